import { SegmentedControl, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { ListedDecision } from '../../../src/wire/decisions.ts'
import { readDecisions } from '../api/scheduling.ts'
import { berthCommands } from '../berth-commands.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { domainOf, withoutDomain } from '../controls/host-name.ts'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'

/** Refusals change nothing, so no change announces them. */
const TAIL_MS = 5_000
const KINDS: readonly ListedDecision['kind'][] = [
  'schedule',
  'move',
  'rebuild',
  'share',
  'share-move',
  'dry-run',
  'nova-filter',
  'candidates',
  'claim',
]

export default function Decisions() {
  const { may } = useSession()
  const [params] = useUrlState()
  const outcome = params.get('outcome')
  const kind = params.get('kind')
  const wanted = (params.get('q') ?? '').trim().toLowerCase()
  const query = useQuery({
    queryKey: ['decisions', outcome, kind],
    queryFn: () => readDecisions(outcome, kind),
    enabled: may('berth:decisions'),
    refetchInterval: TAIL_MS,
    placeholderData: before => before,
  })
  const columns = useMemo(() => columnsOf(query.data ?? []), [query.data])
  const rows = useMemo(
    () => (query.data ?? []).filter(one => wanted === '' || searchText(one).includes(wanted)),
    [query.data, wanted],
  )
  if (!may('berth:decisions')) return <NotForYou title="Decisions" operation="berth:decisions" />
  return (
    <Page
      title="Decisions"
      text="What the scheduler decided, and on which state. Each can be decided again as it was then."
    >
      <Panel
        title="Past decisions"
        aside={
          <>
            <Filters />
            <span className="soft">{plural(rows.length, 'decision')}</span>
          </>
        }
        flush
      >
        {query.data === undefined ? (
          <Waiting query={query} what="decisions" />
        ) : query.data.length === 0 ? (
          <Empty title="Nothing was decided yet" command={berthCommands.trySchedule()}>
            Every scheduling leaves a decision for 14 days, also one that found no host.
          </Empty>
        ) : rows.length === 0 ? (
          <Empty title="No decision is like this">
            Of the newest {query.data.length}. Fewer filters show more; a server has all of its decisions on
            its own page.
          </Empty>
        ) : (
          <DataTable
            label="Decisions"
            rows={rows}
            columns={columns}
            keyOf={row => row.id}
            sortedBy="-at"
            height="calc(100dvh - 15rem)"
          />
        )}
      </Panel>
    </Page>
  )
}

function Filters() {
  const [params, change] = useUrlState()
  return (
    <>
      <FindBoot />
      <TextInput
        size="xs"
        aria-label="Filter by server, flavor, project or reason"
        placeholder="Server, flavor, reason …"
        value={params.get('q') ?? ''}
        onChange={event => change({ q: event.currentTarget.value })}
      />
      <Select
        size="xs"
        w={130}
        aria-label="Which kind"
        placeholder="Any kind"
        clearable
        clearButtonProps={{ 'aria-label': 'Any kind' }}
        data={KINDS}
        value={params.get('kind')}
        onChange={value => change({ kind: value })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Which outcome"
        value={params.get('outcome') ?? 'all'}
        onChange={value => change({ outcome: value === 'all' ? null : value })}
        data={[
          { value: 'all', label: 'All' },
          { value: 'placed', label: 'Placed' },
          { value: 'refused', label: 'Refused' },
        ]}
      />
    </>
  )
}

const searchText = ({ asked, placed, project_id, reason, id }: ListedDecision): string =>
  [id, ...asked.instances, asked.flavor, asked.zone, project_id, reason, ...placed.map(({ host }) => host)]
    .join(' ')
    .toLowerCase()

/** Leads to all stages of one boot of Nova. */
function FindBoot() {
  const [, navigate] = useLocation()
  const [id, setId] = useState('')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (id.trim() !== '') navigate(`/boots/${encodeURIComponent(id.trim())}`)
      }}
    >
      <TextInput
        size="xs"
        aria-label="Find a boot of Nova by its request id or server"
        placeholder="req-… or server"
        value={id}
        onChange={event => setId(event.currentTarget.value)}
      />
    </form>
  )
}

function columnsOf(all: readonly ListedDecision[]): readonly Column<ListedDecision>[] {
  const domain = domainOf(all.flatMap(({ placed }) => placed.map(({ host }) => host)))
  return [
    {
      id: 'at',
      title: 'When',
      width: '11.5rem',
      by: one => Date.parse(one.at),
      cell: one => <Link href={`/decisions/${one.id}`}>{new Date(one.at).toLocaleString()}</Link>,
    },
    { id: 'kind', title: 'Kind', width: '6.5rem', by: one => one.kind, cell: one => <Chip>{one.kind}</Chip> },
    {
      id: 'outcome',
      title: 'Outcome',
      width: '7rem',
      by: one => one.outcome,
      cell: one => <Chip tone={one.outcome === 'refused' ? 'hot' : 'good'}>{one.outcome}</Chip>,
    },
    {
      id: 'flavor',
      title: 'Flavor',
      width: 'minmax(7rem, 1fr)',
      by: one => one.asked.flavor ?? '',
      cell: one => one.asked.flavor ?? '–',
    },
    {
      id: 'servers',
      title: 'Servers, or the query',
      width: 'minmax(8rem, 1fr)',
      by: one => one.asked.instances.length,
      cell: one => (
        <span title={one.asked.query ?? one.asked.instances.join('\n')}>
          {one.asked.query ?? aboutText(one)}
        </span>
      ),
    },
    {
      id: 'placed',
      title: 'Where, or why not',
      width: 'minmax(14rem, 3fr)',
      cell: one => {
        const hosts = [...new Set(one.placed.map(({ host }) => host))]
        const text = one.reason ?? (hosts.map(host => withoutDomain(host, domain)).join(', ') || '–')
        return <span title={one.reason ?? hosts.join('\n')}>{text}</span>
      },
    },
    {
      id: 'project',
      title: 'Project',
      width: 'minmax(7rem, 1fr)',
      by: one => one.project_id ?? '',
      cell: one => one.project_id ?? '–',
    },
  ]
}

/** One is named, several are counted. */
function aboutText({ kind, asked: { instances } }: ListedDecision): string {
  const [only, ...others] = instances
  if (others.length > 0) return plural(instances.length, 'server')
  return only === undefined ? '–' : kind.startsWith('share') ? `share ${only}` : only
}
