import { Button } from '@mantine/core'
import { Link } from 'wouter'
import type { ScheduleChange, ScheduleExplanation, ServerAsk } from '../api/scheduling.ts'
import { applied } from '../candidates/apply-remedy.ts'
import { formatQuery, parseQuery } from '../candidates/query.ts'
import { Panel } from '../controls/page.tsx'
import { useFlavors } from '../flavors/flavors.tsx'
import { useUrlState } from '../url-state.ts'
import { useNames } from './funnels.tsx'
import { NearestMisses, Remedies, type Remedy } from './remedies.tsx'
import styles from './why.module.css'

/** The smallest changes that would help, each with a way to where it can be made. */
export function Changes({
  explained,
  ask,
}: {
  readonly explained: ScheduleExplanation
  readonly ask: ServerAsk
}) {
  const named = useNames()
  if (explained.passed > 0) return null
  const { changes, placement, with_room } = explained
  return (
    <>
      {changes.length > 0 && (
        <Panel title="Any one of these would help" flush>
          <ul className={styles.list} aria-label="Changes that would help">
            {changes.map(change => (
              <li key={change.text} className={styles.change}>
                <span>{named(change.text)}</span>
                <WhereTo change={change} ask={ask} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {with_room === 0 && placement.changes.length > 0 && (
        <Panel title="Of what is asked of Placement" flush>
          <Remedies
            changes={placement.changes.map(one => ({ ...(one as Remedy), text: named(one.text) }))}
            act={change => <TryIt query={explained.query} change={change} />}
          />
        </Panel>
      )}
      {with_room === 0 && (placement.nearest ?? []).length > 0 && (
        <Panel title="The nearest misses" flush>
          <NearestMisses
            nearest={(placement.nearest ?? []).map(one => ({
              ...one,
              misses: one.misses.map(({ text }) => ({ text: named(text) })),
            }))}
          />
        </Panel>
      )}
    </>
  )
}

/** What is asked of Placement follows from the flavor; without it, it can be asked by hand. */
function TryIt({ query, change }: { readonly query: string; readonly change: Remedy }) {
  const next = applied(parseQuery(query), change)
  return next === null ? null : <Link href={`/candidates?${formatQuery(next)}`}>Ask Placement so</Link>
}

function WhereTo({ change, ask }: { readonly change: ScheduleChange; readonly ask: ServerAsk }) {
  const flavors = useFlavors()
  const [, set] = useUrlState()
  if (change.kind === 'drop-extra-spec') {
    const id = flavors.data?.find(({ name }) => name === ask.flavor)?.id
    return id === undefined ? null : <Link href={`/flavors/${encodeURIComponent(id)}`}>Edit the flavor</Link>
  }
  if (change.kind === 'drop-zone' || change.kind === 'drop-host')
    return (
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => set(change.kind === 'drop-zone' ? { zone: null } : { host: null })}
      >
        Ask so
      </Button>
    )
  return change.provider === undefined ? null : (
    <Link href={`/providers/${change.provider}`}>Open {change.host ?? 'the host'}</Link>
  )
}
