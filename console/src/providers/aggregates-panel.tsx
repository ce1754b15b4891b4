import { TagsInput } from '@mantine/core'
import { Link } from 'wouter'
import type { HostAggregate } from '../../../src/wire/openstack-compute.ts'
import { readAggregates, writeAggregates } from '../api/placement.ts'
import { Chip } from '../controls/page.tsx'
import { reappliedSet } from '../controls/three-way.ts'
import type { Provider } from '../fleet/fleet.ts'
import { useSurroundings } from '../map/capacity-map.tsx'
import styles from './provider-page.module.css'
import { SetPanel } from './set-panel.tsx'
import { useEdit } from './use-edit.ts'

export function AggregatesPanel({ provider }: { readonly provider: Provider }) {
  const { aggregates } = useSurroundings()
  const named = new Map(aggregates.map(one => [one.uuid, one]))
  const nameOf = (uuid: string) => named.get(uuid)?.name ?? uuid
  const uuidOf = (text: string) => aggregates.find(({ name }) => name === text)?.uuid ?? text
  const edit = useEdit<readonly string[]>({
    read: async () => {
      const answer = await readAggregates(provider.uuid)
      return { value: [...answer.aggregates].sort(), generation: answer.resource_provider_generation }
    },
    write: (generation, value) => writeAggregates(provider.uuid, generation, value),
    reapply: reappliedSet,
  })
  return (
    <SetPanel
      title="Aggregates"
      operation="placement:resource_providers:aggregates:update"
      edit={edit}
      shown={<Members members={[...provider.aggregates].sort()} named={named} />}
      field={draft => (
        <TagsInput
          label="Aggregates"
          description="Names of host aggregates, or uuids of Placement's own."
          data={aggregates.map(({ name }) => name)}
          value={draft.map(nameOf)}
          onChange={names => edit.set(names.map(uuidOf))}
          mb="sm"
        />
      )}
      nameOf={nameOf}
    />
  )
}

function Members({
  members,
  named,
}: {
  readonly members: readonly string[]
  readonly named: ReadonlyMap<string, HostAggregate>
}) {
  return members.length === 0 ? (
    <p className="soft">
      In none. Aggregates are how requests ask for a zone or rack, and how storage is shared.
    </p>
  ) : (
    <div className={styles.chips}>
      {members.map(uuid => {
        const known = named.get(uuid)
        return (
          <Chip key={uuid} title={uuid}>
            {known === undefined ? (
              <code>{uuid}</code>
            ) : (
              <Link href={`/aggregates/${known.id}`}>{known.name}</Link>
            )}
          </Chip>
        )
      })}
    </div>
  )
}
