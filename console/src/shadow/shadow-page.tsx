import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ShadowDifferences, ShadowStatus } from '../../../src/wire/shadow.ts'
import { readShadow, readShadowDifferences } from '../api/berth.ts'
import { berthCommands } from '../berth-commands.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { momentText, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'

type Shadow = NonNullable<ShadowStatus['shadow']>
type Difference = ShadowDifferences['differences'][number]
type Repair = ShadowDifferences['repairs'][number]
type Count = Shadow['counts'][number]

const REFRESH_MS = 5_000

export default function ShadowPage() {
  const { may } = useSession()
  const enabled = may('berth:shadow')
  const status = useQuery({ queryKey: ['shadow'], queryFn: readShadow, enabled, refetchInterval: REFRESH_MS })
  const found = useQuery({
    queryKey: ['shadow', 'differences'],
    queryFn: readShadowDifferences,
    enabled,
    refetchInterval: REFRESH_MS,
  })
  if (!enabled) return <NotForYou title="Shadow" operation="berth:shadow" />
  const shadow = status.data?.shadow
  return (
    <Page
      title="Shadow"
      text={`How Berth compares with the Placement that it is to replace. ${berthCommands.switchShadow()} switches reads.`}
    >
      {status.data === undefined ? (
        <Waiting query={status} what="the shadow" />
      ) : shadow == null ? (
        <Empty title="No Placement is shadowed">Start the server with --shadow-of.</Empty>
      ) : (
        <>
          <Summary shadow={shadow} />
          <Panel title="Answers that differed" aside={plural(shadow.differences, 'difference')} flush>
            {found.data === undefined ? (
              <Waiting query={found} what="differences" />
            ) : found.data.differences.length === 0 ? (
              <Empty title="None">Both gave the same answers so far.</Empty>
            ) : (
              <DataTable
                label="Differences"
                rows={found.data.differences}
                columns={differenceColumns}
                keyOf={row => `${row.known === null} ${row.number}`}
                sortedBy="-at"
                height="24rem"
              />
            )}
          </Panel>
          <Repairs total={shadow.repairs} found={found} />
          <Panel title="Requests by outcome" flush>
            <DataTable
              label="Requests"
              rows={shadow.counts}
              columns={countColumns}
              keyOf={row => `${row.method} ${row.route} ${row.outcome}`}
              sortedBy="route"
              height="24rem"
            />
          </Panel>
        </>
      )}
    </Page>
  )
}

interface RepairsProps {
  readonly total: number
  readonly found: UseQueryResult<ShadowDifferences>
}

function Repairs({ total, found }: RepairsProps) {
  return (
    <Panel title="Repairs of the ledgers" aside={plural(total, 'repair')} flush>
      {found.data === undefined ? (
        <Waiting query={found} what="repairs" />
      ) : found.data.repairs.length === 0 ? (
        <Empty title="None">Both ledgers were equal wherever they were compared.</Empty>
      ) : (
        <DataTable
          label="Repairs"
          rows={found.data.repairs}
          columns={repairColumns}
          keyOf={row => `${row.at} ${row.what}`}
          sortedBy="-at"
          height="24rem"
        />
      )}
    </Panel>
  )
}

function Summary({ shadow }: { readonly shadow: Shadow }) {
  const { sweep, backlog, latency, orphaned } = shadow
  return (
    <Panel title={shadow.placement}>
      <p>
        Reads: <Chip>{shadow.reads}</Chip> Writes: <Chip>{shadow.writes}</Chip>{' '}
        {shadow.is_ended && <Chip tone="good">ended</Chip>}
      </p>
      <p>
        {plural(shadow.differences, 'difference')}, {plural(shadow.known, 'known bug')} of Placement,{' '}
        {plural(shadow.repairs, 'repair')} of the ledgers.
      </p>
      {orphaned > 0 && (
        <p>
          Placement has lost consumers of {plural(orphaned, 'provider')}: run {lostCommand}, then{' '}
          {berthCommands.sweepShadow()}.
        </p>
      )}
      <p>
        Sweep:{' '}
        {sweep.failure ??
          `${sweep.checked} of ${plural(sweep.total, 'provider')}, ${plural(sweep.passes, 'pass', 'passes')}`}
        . To send to Placement: {backlog.to_send}.
      </p>
      <p>
        Placement took {latencyText(latency.placement)}; Berth {latencyText(latency.berth)}.
      </p>
    </Panel>
  )
}

const lostCommand = 'placement-manage db online_data_migrations'

const latencyText = (side: Shadow['latency']['berth']): string =>
  side === null ? 'no time yet' : `${side.p50_ms} ms, p99 ${side.p99_ms} ms`

const atColumn: Column<{ readonly at: string }> = {
  id: 'at',
  title: 'When',
  width: '11.5rem',
  by: one => Date.parse(one.at),
  exported: one => one.at,
  cell: one => momentText(one.at),
}

const repairColumns: readonly Column<Repair>[] = [
  atColumn,
  {
    id: 'repaired',
    title: 'Changed',
    width: '8rem',
    by: one => one.repaired ?? 'nothing',
    cell: one => <Chip tone={one.repaired === null ? 'hot' : 'plain'}>{one.repaired ?? 'nothing'}</Chip>,
  },
  { id: 'why', title: 'Found', width: '14rem', by: one => one.why, cell: one => one.why },
  {
    id: 'what',
    title: 'What differed',
    width: 'minmax(14rem, 2fr)',
    by: one => one.what,
    cell: one => <span title={one.what}>{one.what}</span>,
  },
]

const differenceColumns: readonly Column<Difference>[] = [
  atColumn,
  {
    id: 'what',
    title: 'What',
    width: '10rem',
    by: one => one.known ?? one.what,
    cell: one => <Chip tone={one.known === null ? 'hot' : 'plain'}>{one.known ?? one.what}</Chip>,
  },
  {
    id: 'request',
    title: 'Request',
    width: 'minmax(14rem, 2fr)',
    by: one => one.path,
    exported: one => `${one.method} ${one.path}`,
    cell: one => <span title={one.request_id}>{`${one.method} ${one.path}`}</span>,
  },
  {
    id: 'placement',
    title: 'Placement',
    width: 'minmax(10rem, 1fr)',
    exported: one => answerText(one.placement),
    cell: one => answerCell(one.placement),
  },
  {
    id: 'berth',
    title: 'Berth',
    width: 'minmax(10rem, 1fr)',
    exported: one => answerText(one.berth),
    cell: one => answerCell(one.berth),
  },
]

const answerText = (answer: Difference['placement']) =>
  answer === null ? null : `${answer.status} ${answer.body}`

const answerCell = (answer: Difference['placement']) =>
  answer === null ? '–' : <span title={answer.body}>{answerText(answer)}</span>

const countColumns: readonly Column<Count>[] = [
  { id: 'method', title: 'Method', width: '6rem', by: one => one.method, cell: one => one.method },
  { id: 'route', title: 'Route', width: 'minmax(14rem, 2fr)', by: one => one.route, cell: one => one.route },
  {
    id: 'outcome',
    title: 'Outcome',
    width: '8rem',
    by: one => one.outcome,
    cell: one => <Chip tone={one.outcome === 'different' ? 'hot' : 'plain'}>{one.outcome}</Chip>,
  },
  { id: 'count', title: 'Count', width: '7rem', by: one => one.count, cell: one => one.count },
]
