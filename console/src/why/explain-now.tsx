import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { DecisionDetail } from '../../../src/wire/decisions.ts'
import type { ScheduleExplanation } from '../../../src/wire/schedule-explanation.ts'
import type { AskBody } from '../../../src/wire/scheduling.ts'
import { explainSchedule } from '../api/scheduling.ts'
import { FailureNote, Loading, Note, Panel } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useNames } from './funnels.tsx'
import styles from './why.module.css'

/** Whether the same request would find a host now, and what would help if not. */
export function ExplainNow({ decision }: { readonly decision: DecisionDetail }) {
  const { may } = useSession()
  const ask = askOf(decision)
  const query = useQuery({
    queryKey: ['why', ask, 0],
    queryFn: () => explainSchedule(ask as AskBody, 20),
    enabled: ask !== null && may('berth:explain:hosts'),
  })
  if (ask === null || !may('berth:explain:hosts')) return null
  const link = `/why?${new URLSearchParams(Object.entries(ask).map(([name, value]) => [name, String(value)]))}`
  return (
    <>
      <Panel title="The same now" aside={<Link href={link}>Explain now</Link>}>
        {query.data === undefined ? (
          query.error === null ? (
            <Loading what="the explanation" />
          ) : (
            <FailureNote error={query.error} />
          )
        ) : query.data.passed > 0 ? (
          <Note tone="good">
            {plural(query.data.passed, 'host')} would take it now
            {query.data.reports[0] !== undefined && <>, the best is {query.data.reports[0].host}</>}.
          </Note>
        ) : (
          <Note tone="hot">
            No host would take it now either: {plural(query.data.with_room, 'host')} of {query.data.hosts}{' '}
            with room, none passes every filter.
          </Note>
        )}
      </Panel>
      {query.data !== undefined && query.data.passed === 0 && <WhatHelps explained={query.data} />}
    </>
  )
}

/** The smallest changes that would help; the page behind the link makes them. */
function WhatHelps({ explained }: { readonly explained: ScheduleExplanation }) {
  const named = useNames()
  const { changes, placement, with_room } = explained
  const texts = [...changes, ...(with_room === 0 ? placement.changes : [])].map(({ text }) => named(text))
  if (texts.length === 0) return null
  return (
    <Panel title="What would help" flush>
      <ul className={styles.list} aria-label="Changes that would help">
        {[...new Set(texts)].map(text => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Panel>
  )
}

/** Flavor, zone and host; hints and groups are left out, and a request without a flavor cannot be asked like this. */
function askOf({ kind, asked }: DecisionDetail): AskBody | null {
  const isServer = kind === 'schedule' || kind === 'dry-run' || kind === 'move'
  if (!isServer || asked.flavor === null) return null
  return {
    flavor: asked.flavor,
    ...(asked.zone === null ? {} : { zone: asked.zone }),
    ...(asked.host === null ? {} : { host: asked.host }),
  }
}
