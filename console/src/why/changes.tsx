import { Button } from '@mantine/core'
import { Link } from 'wouter'
import type { ChangeAdvice, ScheduleExplanation } from '../../../src/wire/schedule-explanation.ts'
import { berthCommands } from '../berth-commands.ts'
import { applied } from '../candidates/apply-remedy.ts'
import { formatQuery, parseQuery } from '../candidates/query.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { Panel } from '../controls/page.tsx'
import { useFlavors } from '../flavors/flavors.tsx'
import { useSurroundings } from '../map/capacity-map.tsx'
import { useUrlState } from '../url-state.ts'
import { type Admission, type AdmissionStep, admissionsOf, placeOf } from './admissions.ts'
import { useNames } from './funnels.tsx'
import { NearestMisses, Remedies, type Remedy } from './remedies.tsx'
import styles from './why.module.css'
import type { WhyAsk } from './why-ask.ts'

/** The smallest changes that would help, each with a link to where it can be made. */
export function Changes({
  explained,
  ask,
}: {
  readonly explained: ScheduleExplanation
  readonly ask: WhyAsk
}) {
  const named = useNames()
  if (explained.passed > 0) return null
  const { changes, placement, with_room } = explained
  return (
    <>
      {changes.length > 0 && (
        <Panel title="Any one of these would help" flush>
          <ul className={styles.list} aria-label="Changes that would help">
            {changes
              .filter(({ kind }) => kind !== 'admit-hosts')
              .map(change => (
                <li key={change.text} className={styles.change}>
                  <span>{named(change.text)}</span>
                  <WhereTo change={change} ask={ask} />
                </li>
              ))}
            {admissionsOf(changes, explained.reports).map(admission => (
              <li key={admission.hosts[0]?.provider}>
                <Admit admission={admission} ask={ask} />
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

/** The Placement query follows from the flavor; without a flavor, it can be written by hand. */
function TryIt({ query, change }: { readonly query: string; readonly change: Remedy }) {
  const next = applied(parseQuery(query), change)
  return next === null ? (
    <Link href={`/candidates?${query}`}>Edit the request</Link>
  ) : (
    <Link href={`/candidates?${formatQuery(next)}`}>Ask Placement so</Link>
  )
}

function FlavorLink({ ask }: { readonly ask: WhyAsk }) {
  const flavors = useFlavors()
  const id = flavors.data?.find(({ name }) => name === ask.flavor)?.id
  return (
    <Link href={id === undefined ? '/flavors' : `/flavors/${encodeURIComponent(id)}`}>Edit the flavor</Link>
  )
}

/** The field of the address that a change empties. */
function fieldOf({ kind, hint }: ChangeAdvice & { readonly hint?: unknown }): string | null {
  if (kind === 'drop-zone') return 'zone'
  if (kind === 'drop-host') return 'host'
  if (kind === 'drop-server-group') return 'group'
  if (kind !== 'drop-hint') return null
  if (hint === 'same_host') return 'near'
  if (hint === 'different_host') return 'away'
  return hint === 'query' ? 'query' : null
}

/** Where a change can be made: in the address if the request is from there. */
function WhereTo({ change, ask }: { readonly change: ChangeAdvice; readonly ask: WhyAsk }) {
  const [params, set] = useUrlState()
  if (change.kind === 'set-extra-spec' || change.kind === 'drop-extra-spec')
    return (
      <>
        {typeof change.command === 'string' && <CopyButton label="Copy as berth" text={change.command} />}
        <FlavorLink ask={ask} />
      </>
    )
  const field = fieldOf(change)
  if (field !== null && params.has(field))
    return (
      <Button size="compact-xs" variant="default" onClick={() => set({ [field]: null })}>
        Ask so
      </Button>
    )
  if (change.provider !== undefined)
    return <Link href={`/providers/${change.provider}`}>Open {change.host ?? 'the host'}</Link>
  return <CopyButton label="Copy as berth" text={berthCommands.explainSchedule(ask)} />
}

/** Hosts that would pass after all of these changes. */
function Admit({ admission, ask }: { readonly admission: Admission; readonly ask: WhyAsk }) {
  const named = useNames()
  const { hosts, steps } = admission
  return (
    <>
      For {hosts.length > 1 && 'any of '}
      {hosts.slice(0, HOSTS_MAX).map(({ name, provider }, at) => (
        <span key={provider}>
          {at > 0 && ', '}
          <Link href={`/providers/${provider}`}>{name}</Link>
        </span>
      ))}
      {hosts.length > HOSTS_MAX && ` and ${hosts.length - HOSTS_MAX} more`}
      {steps.length > 1 ? ', all of this:' : ':'}
      <ul>
        {steps.map(step => (
          <li key={step.text} className={styles.change}>
            <span>{named(step.text)}</span>
            <StepLinks step={step} ask={ask} host={hosts[0] as Admission['hosts'][number]} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** Up to this many hosts and aggregates get a link each. */
const HOSTS_MAX = 5
const AGGREGATES_MAX = 3

function StepLinks({
  step,
  ask,
  host,
}: {
  readonly step: AdmissionStep
  readonly ask: WhyAsk
  readonly host: Admission['hosts'][number]
}) {
  const { aggregates } = useSurroundings()
  const [, set] = useUrlState()
  const place = placeOf(step, aggregates)
  const isOfAggregate = place.aggregates.length > 0 || step.code.startsWith('extra-spec.')
  return (
    <>
      {place.aggregates.slice(0, AGGREGATES_MAX).map(({ id, name }) => (
        <Link key={id} href={`/aggregates/${id}`}>
          Open {name}
        </Link>
      ))}
      {isOfAggregate && place.aggregates.length === 0 && <Link href="/aggregates">Open the aggregates</Link>}
      {place.flavor && <FlavorLink ask={ask} />}
      {place.zones.map(zone => (
        <Button key={zone} size="compact-xs" variant="default" onClick={() => set({ zone })}>
          Ask for {zone}
        </Button>
      ))}
      {step.command !== null ? (
        <CopyButton label="Copy as berth" text={step.command} />
      ) : (
        (place.host || !(isOfAggregate || place.flavor || place.zones.length > 0)) && (
          <Link href={`/providers/${host.provider}`}>Open {host.name}</Link>
        )
      )}
    </>
  )
}
