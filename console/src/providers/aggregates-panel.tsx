import { Button, TagsInput } from '@mantine/core'
import { Link } from 'wouter'
import type { Aggregate } from '../api/compute.ts'
import { readAggregates, writeAggregates } from '../api/placement.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Icon } from '../controls/icons.tsx'
import { Chip, FailureNote, Panel } from '../controls/page.tsx'
import type { Provider } from '../fleet/fleet.ts'
import { useSurroundings } from '../map/capacity-map.tsx'
import { useSession } from '../session/session.tsx'
import { Conflict, SetChanges, whyNotYet } from './conflict.tsx'
import styles from './provider-page.module.css'
import { reappliedSet, setChange } from './three-way.ts'
import { useEdit } from './use-edit.ts'

export function AggregatesPanel({ provider }: { readonly provider: Provider }) {
  const { whyNot } = useSession()
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
  const { draft, base, theirs } = edit
  const members = [...provider.aggregates].sort()
  return (
    <Panel
      title="Aggregates"
      aside={
        draft === null && (
          <ActButton
            why={whyNot('placement:resource_providers:aggregates:update')}
            variant="default"
            loading={edit.isBusy}
            leftSection={<Icon name="pencil" size={13} />}
            onClick={() => void edit.begin()}
          >
            Edit aggregates
          </ActButton>
        )
      }
    >
      {draft === null ? (
        <Members members={members} named={named} />
      ) : (
        <>
          <TagsInput
            label="Aggregates"
            description="Names of host aggregates, or uuids of Placement's own."
            data={aggregates.map(({ name }) => name)}
            value={draft.map(nameOf)}
            onChange={names => edit.set(names.map(uuidOf))}
            mb="sm"
          />
          <div className={styles.chips}>
            <ActButton onClick={() => void edit.save()} loading={edit.isBusy} why={whyNotYet(edit)}>
              Save aggregates
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
          <SetChanges change={setChange(base.value, theirs.value)} nameOf={nameOf} />
        </Conflict>
      )}
      {edit.error !== null && <FailureNote error={edit.error} />}
    </Panel>
  )
}

function Members({
  members,
  named,
}: {
  readonly members: readonly string[]
  readonly named: ReadonlyMap<string, Aggregate>
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
