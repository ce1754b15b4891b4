import { Button, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { makeTrait, readTraitNames, readTraits, writeTraits } from '../api/placement.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Icon } from '../controls/icons.tsx'
import { Chip, FailureNote, Panel } from '../controls/page.tsx'
import type { Provider } from '../fleet/fleet.ts'
import { useSession } from '../session/session.tsx'
import { Conflict, SetChanges, whyNotYet } from './conflict.tsx'
import styles from './provider-page.module.css'
import { reappliedSet, setChange } from './three-way.ts'
import { useEdit } from './use-edit.ts'

export function TraitsPanel({ provider }: { readonly provider: Provider }) {
  const { whyNot } = useSession()
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
  const { draft, base, theirs } = edit
  return (
    <Panel
      title="Traits"
      aside={
        draft === null && (
          <ActButton
            why={whyNot('placement:resource_providers:traits:update')}
            variant="default"
            loading={edit.isBusy}
            leftSection={<Icon name="pencil" size={13} />}
            onClick={() => void edit.begin()}
          >
            Edit traits
          </ActButton>
        )
      }
    >
      {draft === null ? (
        <TraitChips traits={[...provider.traits].sort()} />
      ) : (
        <>
          <TagsInput
            label="Traits"
            description="Names of the standard list, or your own that begin with CUSTOM_; new ones are made."
            data={[...(names.data ?? [])]}
            limit={50}
            value={[...draft]}
            onChange={edit.set}
            mb="sm"
          />
          <div className={styles.chips}>
            <ActButton onClick={() => void edit.save()} loading={edit.isBusy} why={whyNotYet(edit)}>
              Save traits
            </ActButton>
            <Button variant="default" onClick={edit.cancel}>
              Cancel
            </Button>
          </div>
        </>
      )}
      {theirs !== null && base !== null && (
        <Conflict
          from={base.generation}
          to={theirs.generation}
          isBusy={edit.isBusy}
          onReapply={() => void edit.reapply()}
          onDiscard={edit.cancel}
        >
          <SetChanges change={setChange(base.value, theirs.value)} />
        </Conflict>
      )}
      {edit.error !== null && <FailureNote error={edit.error} />}
    </Panel>
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
