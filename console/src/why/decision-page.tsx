import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import type { DecisionDetail } from '../../../src/wire/decisions.ts'
import { readDecision, replayDecision } from '../api/scheduling.ts'
import { ConsumerLink } from '../consumers/consumer-link.tsx'
import { ActButton } from '../controls/act-button.tsx'
import { FactList } from '../controls/fact-list.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, codeStyle, FailureNote, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { amount, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { ExplainNow } from './explain-now.tsx'
import { FilterFunnel } from './funnels.tsx'
import { Scores } from './scores.tsx'
import styles from './why.module.css'

export default function DecisionPage() {
  const { id = '' } = useParams<{ id: string }>()
  const { may } = useSession()
  const query = useQuery({
    queryKey: ['decisions', 'one', id],
    queryFn: () => readDecision(id),
    enabled: may('berth:decisions'),
  })
  if (!may('berth:decisions')) return <NotForYou title="Decision" operation="berth:decisions" />
  return (
    <Page title="Decision" trail={[['Decisions', '/decisions']]} text={<code>{id}</code>}>
      {query.data === undefined ? (
        <Waiting query={query} what="the decision" />
      ) : (
        <Details decision={query.data} />
      )}
    </Page>
  )
}

/** Another service decided, or named the hosts: there is nothing to decide again. */
const DECIDED_ELSEWHERE: ReadonlySet<string> = new Set([
  'nova-filter',
  'manila-filter',
  'manila-place',
  'candidates',
  'claim',
])

function Details({ decision }: { readonly decision: DecisionDetail }) {
  const { choice } = decision
  const boot = decision.global_request_id ?? decision.request_id
  return (
    <>
      <Panel
        title="What came of it"
        aside={<Chip tone={decision.outcome === 'refused' ? 'hot' : 'good'}>{decision.outcome}</Chip>}
      >
        <p>
          {new Date(decision.at).toLocaleString()}, {decision.kind}, on revision {decision.revision}, seed{' '}
          {decision.seed}.
        </p>
        {boot !== null && (
          <p>
            <Link href={`/boots/${encodeURIComponent(boot)}`}>All stages of this boot</Link>
          </p>
        )}
        {decision.placed.map(({ instance, host, provider }) => (
          <p key={instance}>
            <ConsumerLink uuid={instance} /> goes to <Link href={`/providers/${provider}`}>{host}</Link>
          </p>
        ))}
        {decision.reason !== null && (
          <p>
            <strong>{decision.reason}</strong>
          </p>
        )}
      </Panel>
      <AskedPanel decision={decision} />
      <ExplainNow decision={decision} />
      {!DECIDED_ELSEWHERE.has(decision.kind) && <Replay id={decision.id} />}
      {choice !== null && (
        <div className={styles.two}>
          <Panel
            title="Filters"
            aside={<span className="soft">{plural(choice.candidates, 'candidate host')}</span>}
            flush
          >
            <FilterFunnel steps={choice.funnel} />
          </Panel>
          {choice.top.length > 0 && (
            <Panel title="Best hosts, by weight" flush>
              <Scores top={choice.top} chosen={decision.placed.map(({ host }) => host)} />
            </Panel>
          )}
        </div>
      )}
    </>
  )
}

/** The request in short; the recorded request is below. */
function AskedPanel({ decision }: { readonly decision: DecisionDetail }) {
  const { kind, asked } = decision
  const isShare = kind.startsWith('share')
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    [isShare ? 'Share type' : 'Flavor', asked.flavor],
    [isShare ? 'Share' : plural(asked.instances.length, 'server'), asked.instances.join(', ') || null],
    ['Size', asked.gigabytes === null ? null : `${amount(asked.gigabytes)} GB`],
    ['Zone', asked.zone],
    [isShare ? 'Pool' : 'Host', asked.host],
    ['Server group', asked.server_group],
    ...Object.entries(asked.hints).map(([name, value]) => [`Hint ${name}`, hintText(value)] as const),
    ['Query', asked.query],
    ['Project', decision.project_id],
    ['Request', decision.request_id],
    ['Global request', decision.global_request_id],
  ]
  return (
    <Panel title="What was asked">
      <FactList facts={facts} />
      <details>
        <summary>The whole request, with filters, weighers and settings of that moment</summary>
        <pre className={codeStyle}>{JSON.stringify(decision.request, null, 2)}</pre>
      </details>
    </Panel>
  )
}

const hintText = (value: unknown): string =>
  [value]
    .flat()
    .map(one => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join(', ')

function Replay({ id }: { readonly id: string }) {
  const replay = useMutation({ mutationFn: () => replayDecision(id) })
  return (
    <Panel
      title="Decide it again"
      aside={
        <ActButton variant="default" loading={replay.isPending} onClick={() => replay.mutate()}>
          Replay
        </ActButton>
      }
    >
      {replay.error !== null && <FailureNote error={replay.error} />}
      {replay.data === undefined ? (
        <p className="soft">
          On the state as it was then, made by taking back every change since. Nothing is written.
        </p>
      ) : (
        <Note tone={replay.data.same ? 'good' : 'warm'}>
          <strong>{replay.data.same ? 'Same result.' : 'Different result.'}</strong>
          <p>
            {replay.data.outcome}
            {replay.data.placed.length > 0 && `: ${replay.data.placed.map(({ host }) => host).join(', ')}`}
          </p>
        </Note>
      )}
    </Panel>
  )
}
