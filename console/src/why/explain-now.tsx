import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { DecisionDetail } from '../../../src/wire/decisions.ts'
import { explainDecision } from '../api/scheduling.ts'
import { FailureNote, Loading, Note, Panel } from '../controls/page.tsx'
import { amount, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { Changes } from './changes.tsx'
import { addressOf, askOf } from './why-ask.ts'

/** Whether the same request would find a host now, and what would help if not. */
export function ExplainNow({ decision }: { readonly decision: DecisionDetail }) {
  const { may } = useSession()
  const isOurs = decision.kind === 'schedule' || decision.kind === 'dry-run' || decision.kind === 'move'
  const query = useQuery({
    queryKey: ['why', 'decision', decision.id],
    queryFn: () => explainDecision(decision.id, 20),
    enabled: isOurs && may('berth:explain:hosts'),
  })
  if (!isOurs || !may('berth:explain:hosts')) return null
  const address = addressOf(decision)
  const ask = address === null ? {} : (askOf(new URLSearchParams(address.split('?')[1])) ?? {})
  return (
    <>
      <Panel title="The same now" aside={address !== null && <Link href={address}>Explain now</Link>}>
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
            No host would take it now either: {amount(query.data.with_room)} of{' '}
            {plural(query.data.hosts, 'host')} with room, none passes every filter.
          </Note>
        )}
      </Panel>
      {query.data !== undefined && <Changes explained={query.data} ask={ask} />}
    </>
  )
}
