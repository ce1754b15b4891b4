import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { type DecisionDetails, readDecision, replayDecision } from '../api/scheduling.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Chip, codeStyle, FailureNote, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { NotForYou } from '../providers/not-for-you.tsx'
import { useSession } from '../session/session.tsx'
import { FilterFunnel } from './funnels.tsx'
import { type RefusalWords, refusalWords } from './refusal-words.ts'
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

function Details({ decision }: { readonly decision: DecisionDetails }) {
  const { choice } = decision
  return (
    <>
      <Panel
        title="What came of it"
        aside={<Chip tone={decision.outcome === 'placed' ? 'good' : 'hot'}>{decision.outcome}</Chip>}
      >
        <p>
          {new Date(decision.at).toLocaleString()}, {decision.kind}, on revision {decision.revision}, seed{' '}
          {decision.seed}.
        </p>
        {decision.placed.map(({ instance, host, provider }) => (
          <p key={instance}>
            <code>{instance}</code> goes to <Link href={`/providers/${provider}`}>{host}</Link>
          </p>
        ))}
        {decision.refusal !== null && <Refused {...refusalWords(decision.refusal, choice)} />}
      </Panel>
      <Replay id={decision.id} />
      {choice !== null && (
        <div className={styles.two}>
          <Panel
            title="Filters"
            aside={<span className="soft">{plural(choice.candidates, 'candidate host')}</span>}
            flush
          >
            <FilterFunnel steps={choice.funnel} />
          </Panel>
          <Panel title="Best hosts, by weight" flush>
            <Top choice={choice} />
          </Panel>
        </div>
      )}
      <Panel title="What was asked">
        <pre className={codeStyle}>{JSON.stringify(decision.request, null, 2)}</pre>
      </Panel>
    </>
  )
}

function Refused({ text, details }: RefusalWords) {
  return (
    <>
      <p>
        <strong>{text}</strong>
      </p>
      <dl className={styles.details}>
        {details.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function Top({ choice }: { readonly choice: NonNullable<DecisionDetails['choice']> }) {
  const most = Math.max(1e-9, ...choice.top.map(({ weight }) => Math.abs(weight)))
  return (
    <ul className={styles.list}>
      {choice.top.map(({ host, provider, weight }) => (
        <li
          key={provider}
          className={styles.weights}
          style={{ gridTemplateColumns: '9rem minmax(4rem, 1fr) 4rem' }}
        >
          <Link href={`/providers/${provider}`}>{host}</Link>
          <i style={{ width: `${(Math.abs(weight) / most) * 100}%` }} />
          <span>{weight.toFixed(3)}</span>
        </li>
      ))}
    </ul>
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
          <strong>{replay.data.same ? 'It comes to the same.' : 'It comes to something else.'}</strong>
          <p>
            {replay.data.outcome}
            {replay.data.placed.length > 0 && `: ${replay.data.placed.map(({ host }) => host).join(', ')}`}
          </p>
        </Note>
      )}
    </Panel>
  )
}
