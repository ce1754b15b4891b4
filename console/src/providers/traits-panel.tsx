import { TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { makeTrait, readTraitNames, readTraits, writeTraits } from '../api/placement.ts'
import { Chip } from '../controls/page.tsx'
import { reappliedSet } from '../controls/three-way.ts'
import type { Provider } from '../fleet/fleet.ts'
import styles from './provider-page.module.css'
import { SetPanel } from './set-panel.tsx'
import { useEdit } from './use-edit.ts'

export function TraitsPanel({ provider }: { readonly provider: Provider }) {
  const names = useQuery({ queryKey: ['traits'], queryFn: readTraitNames })
  const edit = useEdit<readonly string[]>({
    read: async () => {
      const { traits, resource_provider_generation } = await readTraits(provider.uuid)
      return { value: [...traits].sort(), generation: resource_provider_generation }
    },
    write: async (generation, traits) => {
      const known = new Set(names.data ?? [])
      for (const trait of traits) if (!known.has(trait) && trait.startsWith('CUSTOM_')) await makeTrait(trait)
      await writeTraits(provider.uuid, generation, traits)
    },
    reapply: reappliedSet,
  })
  return (
    <SetPanel
      title="Traits"
      operation="placement:resource_providers:traits:update"
      edit={edit}
      shown={<TraitChips traits={[...provider.traits].sort()} />}
      field={draft => (
        <TagsInput
          label="Traits"
          description="Names of the standard list, or your own that begin with CUSTOM_; new ones are made."
          data={[...(names.data ?? [])]}
          limit={50}
          value={[...draft]}
          onChange={edit.set}
          mb="sm"
        />
      )}
    />
  )
}

function TraitChips({ traits }: { readonly traits: readonly string[] }) {
  if (traits.length === 0)
    return (
      <p className="soft">
        None. A trait says what a provider is like; requests ask for it, or ask to avoid it.
      </p>
    )
  return (
    <div className={styles.chips}>
      {traits.map(trait => (
        <Chip key={trait} tone={trait.startsWith('CUSTOM_') ? 'accent' : 'plain'}>
          {trait}
        </Chip>
      ))}
    </div>
  )
}
