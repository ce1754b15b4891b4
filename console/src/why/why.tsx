import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import type { ScheduleExplanation } from '../../../src/wire/schedule-explanation.ts'
import { dryRun, explainSchedule } from '../api/scheduling.ts'
import { ActButton } from '../controls/act-button.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { FailureNote, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { FitTable } from '../fit/fit-table.tsx'
import { amount, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { AskForm } from './ask-form.tsx'
import { Changes } from './changes.tsx'
import { FilterFunnel, PlacementFunnel } from './funnels.tsx'
import { HostReports } from './host-reports.tsx'
import styles from './why.module.css'
import { askOf, type WhyAsk } from './why-ask.ts'

const HOSTS_AT_FIRST = 50

/** Where a flavor would go, or why nowhere. Claims nothing. */
export default function Why() {
  const { may } = useSession()
  const [params, change] = useUrlState()
  const ask = useMemo(() => askOf(params), [params])
  const hostsMax = Number(params.get('hosts') ?? HOSTS_AT_FIRST)
  const query = useQuery({
    queryKey: ['why', ask, hostsMax],
    queryFn: () => explainSchedule(ask as WhyAsk, hostsMax),
    enabled: ask !== null && may('berth:explain:hosts'),
    placeholderData: before => before,
  })
  if (!may('berth:explain:hosts')) return <NotForYou title="Why no host" operation="berth:explain:hosts" />
  return (
    <Page
      title="Why no host"
      text="Where a server would go, or why nowhere. Claims nothing."
      actions={<DryRun ask={ask} />}
    >
      <Panel>
        <AskForm />
      </Panel>
      {ask === null ? (
        <FitTable page="/why" />
      ) : query.data === undefined ? (
        <Waiting query={query} what="the explanation" />
      ) : (
        <>
          {query.error !== null && <FailureNote error={query.error} />}
          <Explained explained={query.data} ask={ask} />
          <HostReports
            explained={query.data}
            onMore={() => change({ hosts: String(Math.min(10_000, hostsMax * 10)) })}
          />
        </>
      )}
    </Page>
  )
}

function Explained({ explained, ask }: { readonly explained: ScheduleExplanation; readonly ask: WhyAsk }) {
  const { passed, with_room, hosts, warnings, query } = explained
  const best = explained.reports.find(({ verdict }) => verdict === 'passes')
  return (
    <>
      {passed === 0 ? (
        <Note tone="hot">
          <strong>No host.</strong>
          <p>
            {with_room === 0
              ? 'No host has room for what is asked of Placement.'
              : `${plural(with_room, 'host')} would have room, and filters refuse ${with_room === 1 ? 'it' : 'all of them'}.`}
          </p>
        </Note>
      ) : (
        <Note tone="good">
          <strong>
            It would go to{' '}
            {best === undefined ? 'a host' : <Link href={`/providers/${best.provider}`}>{best.host}</Link>}.
          </strong>
          <p>
            {plural(passed, 'host')} of {amount(hosts)} {passed === 1 ? 'fits' : 'fit'}.
          </p>
        </Note>
      )}
      {warnings.map(({ text }) => (
        <Note key={text} tone="warm">
          {text}
        </Note>
      ))}
      <Changes explained={explained} ask={ask} />
      <div className={styles.figures}>
        <Figure value={hosts} text="hosts" />
        <Figure value={with_room} text="with room, by Placement" />
        <Figure value={passed} text="pass every filter" />
      </div>
      <div className={styles.two}>
        <Panel
          title="Asked of Placement"
          aside={<Link href={`/candidates?${query}`}>Open as candidates</Link>}
          flush
        >
          <PlacementFunnel explanation={explained.placement} />
        </Panel>
        <Panel title="Asked of the filters" flush>
          <FilterFunnel steps={explained.funnel} histogram={explained.histogram} />
        </Panel>
      </div>
    </>
  )
}

function Figure({ value, text }: { readonly value: number; readonly text: string }) {
  return (
    <div className={styles.figure}>
      <b>{amount(value)}</b>
      <span>{text}</span>
    </div>
  )
}

/** The same by the scheduler itself, recorded as a decision that can be replayed. */
function DryRun({ ask }: { readonly ask: WhyAsk | null }) {
  const { whyNot } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const run = useMutation({
    mutationFn: () => dryRun(ask as WhyAsk),
    onSettled: () => queries.invalidateQueries({ queryKey: ['decisions'] }),
    onSuccess: ({ decision }) => navigate(`/decisions/${decision}`),
    onError: error => {
      const facts = (error as { facts?: { decision?: string } }).facts
      if (typeof facts?.decision === 'string') navigate(`/decisions/${facts.decision}`)
    },
  })
  return (
    <>
      <Link href="/decisions">Past decisions</Link>
      <ActButton
        variant="default"
        why={whyNot('berth:schedule') ?? (ask === null ? 'Choose a flavor first.' : null)}
        loading={run.isPending}
        onClick={() => run.mutate()}
      >
        Keep as a decision
      </ActButton>
    </>
  )
}
