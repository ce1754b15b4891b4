import { useMutation, useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import type { DecisionDetail } from '../../../src/wire/decisions.ts'
import { whoText } from '../../../src/words/decision-words.ts'
import { readDecision, replayDecision } from '../api/scheduling.ts'
import { ConsumerLink } from '../consumers/consumer-link.tsx'
import { ActButton } from '../controls/act-button.tsx'
import { FactList } from '../controls/fact-list.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, codeStyle, FailureNote, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { amount, momentText, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { CompareDecision } from './compare-decision.tsx'
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
  const isOurs = decision.kind === 'schedule' || decision.kind === 'dry-run' || decision.kind === 'move'
  return (
    <>
      <Outcome decision={decision} />
      <AskedPanel decision={decision} />
      {choice !== null && (
        <div className={styles.two}>
          <Panel
            title="Filters"
            aside={<span className="soft">{plural(choice.candidates, 'host')} with room</span>}
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
      <ExplainNow decision={decision} />
      {isOurs && <CompareDecision id={decision.id} />}
      {!DECIDED_ELSEWHERE.has(decision.kind) && <Replay id={decision.id} />}
    </>
  )
}

/** The answer in a sentence, with what leads on. */
function Outcome({ decision }: { readonly decision: DecisionDetail }) {
  const { at, kind, outcome, revision, seed, placed, reason, asked } = decision
  const boot = decision.global_request_id ?? decision.request_id
  const isShare = kind.startsWith('share') || kind.startsWith('manila')
  return (
    <Panel title="Outcome" aside={<Chip tone={outcome === 'refused' ? 'hot' : 'good'}>{outcome}</Chip>}>
      {reason !== null && (
        <p>
          <strong>{reason}</strong>
        </p>
      )}
      {placed.map(({ instance, host, provider }) => (
        <p key={instance}>
          <About uuid={instance} name={asked.names[instance] ?? null} isShare={isShare} />{' '}
          {kind === 'dry-run' ? 'would go to' : 'went to'}{' '}
          {provider === null ? host : <Link href={`/providers/${provider}`}>{host}</Link>}
        </p>
      ))}
      <p className="soft">
        {momentText(at)}, {kind}, by {whoText(decision)}, on revision {revision}, seed {seed}
      </p>
      {boot !== null && (
        <p>
          <Link href={`/boots/${encodeURIComponent(boot)}`}>All stages of this boot</Link>
        </p>
      )}
    </Panel>
  )
}

function About({
  uuid,
  name,
  isShare,
}: {
  readonly uuid: string
  readonly name: string | null
  readonly isShare: boolean
}) {
  return isShare ? (
    <Link href={`/shares/${uuid}`} title={uuid}>
      {name ?? uuid}
    </Link>
  ) : (
    <ConsumerLink uuid={uuid} name={name} />
  )
}

const SHOWN_MAX = 20

/** The request in short; the recorded request is below. */
function AskedPanel({ decision }: { readonly decision: DecisionDetail }) {
  const { kind, asked } = decision
  const isShare = kind.startsWith('share') || kind.startsWith('manila')
  const facts: readonly (readonly [name: string, value: ReactNode | null])[] = [
    [
      isShare ? 'Share type' : 'Flavor',
      asked.flavor === null || isShare ? (
        asked.flavor
      ) : (
        <Link href={`/why?flavor=${encodeURIComponent(asked.flavor)}`}>{asked.flavor}</Link>
      ),
    ],
    [
      isShare ? 'Share' : plural(asked.instances.length, 'server'),
      asked.instances.length === 0 ? null : (
        <Several
          items={asked.instances.map(uuid => (
            <About key={uuid} uuid={uuid} name={asked.names[uuid] ?? null} isShare={isShare} />
          ))}
        />
      ),
    ],
    ['Size', asked.gigabytes === null ? null : `${amount(asked.gigabytes)} GB`],
    ['Zone', asked.zone],
    [isShare ? 'Pool' : 'Host', asked.host],
    ['Server group', asked.server_group],
    ['Root disk', asked.volume_backed ? 'a volume' : null],
    ...Object.entries(asked.hints).map(
      ([name, value]) => [`Hint ${name}`, <Hint key={name} value={value} isShare={isShare} />] as const,
    ),
    ...Object.entries(asked.image ?? {}).map(([name, value]) => [`Image ${name}`, textOf(value)] as const),
    ['Query', asked.query],
    ['Project', decision.project_name ?? decision.project_id],
    ['User', decision.user_name ?? decision.user_id],
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

function Several({ items }: { readonly items: readonly ReactNode[] }) {
  return (
    <>
      {items.slice(0, SHOWN_MAX).map((item, at) => (
        <Fragment key={at}>
          {at > 0 && ', '}
          {item}
        </Fragment>
      ))}
      {items.length > SHOWN_MAX && ` and ${items.length - SHOWN_MAX} more`}
    </>
  )
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Uuids in hints lead to what they name. */
function Hint({ value, isShare }: { readonly value: unknown; readonly isShare: boolean }) {
  const all = [value].flat()
  if (!all.every(one => typeof one === 'string' && UUID.test(one))) return textOf(value)
  return (
    <Several
      items={all.map(one => <About key={one as string} uuid={one as string} name={null} isShare={isShare} />)}
    />
  )
}

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
