import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { ListedDecision } from '../../../src/wire/decisions.ts'
import { whoText } from '../../../src/words/decision-words.ts'
import { readDecisions } from '../api/scheduling.ts'
import { berthCommands } from '../berth-commands.ts'
import { ConsumerLink } from '../consumers/consumer-link.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { domainOf, withoutDomain } from '../controls/host-name.ts'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { momentText, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { DecisionFilterFields, OutcomeSwitch, useDecisionFilters } from './decision-filters.tsx'
import styles from './why.module.css'

/** Refusals change nothing, so no change announces them. */
const TAIL_MS = 5_000

export default function Decisions() {
  const { may } = useSession()
  const filters = useDecisionFilters()
  const query = useInfiniteQuery({
    queryKey: ['decisions', 'list', filters],
    queryFn: ({ pageParam }) => readDecisions(filters, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: may('berth:decisions'),
    // Older pages would be read again each time.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : TAIL_MS),
    placeholderData: before => before,
  })
  const rows = useMemo(() => (query.data?.pages ?? []).flatMap(({ decisions }) => decisions), [query.data])
  const columns = useMemo(() => columnsOf(rows), [rows])
  if (!may('berth:decisions')) return <NotForYou title="Decisions" operation="berth:decisions" />
  const isFiltered = Object.values(filters).some(value => value !== null && value !== '')
  const isLive = (query.data?.pages.length ?? 1) === 1
  return (
    <Page title="Decisions" text="What was asked, by whom, what came of it, and why not.">
      <Panel>
        <DecisionFilterFields />
      </Panel>
      <Panel
        title={isFiltered ? 'Found' : 'Latest'}
        aside={
          <>
            <OutcomeSwitch />
            <span className="soft" role="status">
              {plural(rows.length, 'decision')}
              {isLive ? ', live' : ', not live'}
            </span>
          </>
        }
        flush
      >
        {query.data === undefined ? (
          <Waiting query={query} what="decisions" />
        ) : rows.length === 0 ? (
          <NothingFound isFiltered={isFiltered} hasMore={query.hasNextPage} />
        ) : (
          <DataTable
            label="Decisions"
            rows={rows}
            columns={columns}
            keyOf={row => row.id}
            sortedBy="-at"
            height="calc(100dvh - 21rem)"
          />
        )}
        {query.hasNextPage && (
          <p className={styles.rest}>
            Back to {momentText(query.data?.pages.at(-1)?.searched_to ?? 0)}.{' '}
            <Button
              size="compact-xs"
              variant="default"
              loading={query.isFetchingNextPage}
              onClick={() => query.fetchNextPage()}
            >
              Look further back
            </Button>
          </p>
        )}
      </Panel>
    </Page>
  )
}

function NothingFound({ isFiltered, hasMore }: { readonly isFiltered: boolean; readonly hasMore: boolean }) {
  if (!isFiltered)
    return (
      <Empty title="Nothing was decided yet" command={berthCommands.trySchedule()}>
        Every scheduling leaves a decision for 14 days, also one that found no host.
      </Empty>
    )
  return (
    <Empty title="No decision is like this">
      {hasMore ? 'Not among the newest: look further back, or use fewer filters.' : 'Use fewer filters.'}
    </Empty>
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
      cell: one => <Link href={`/decisions/${one.id}`}>{momentText(one.at)}</Link>,
    },
    {
      id: 'outcome',
      title: 'Outcome',
      width: '6rem',
      by: one => one.outcome,
      cell: one => <Chip tone={one.outcome === 'refused' ? 'hot' : 'good'}>{one.outcome}</Chip>,
    },
    {
      id: 'flavor',
      title: 'Flavor',
      width: 'minmax(6rem, 1fr)',
      by: one => one.asked.flavor ?? '',
      cell: one => one.asked.flavor ?? '–',
    },
    {
      id: 'servers',
      title: 'Server, or query',
      width: 'minmax(8rem, 1.4fr)',
      by: one => one.asked.instances.length,
      cell: one => <About decision={one} />,
    },
    {
      id: 'placed',
      title: 'Where, or why not',
      width: 'minmax(16rem, 4fr)',
      cell: one => {
        const hosts = [...new Set(one.placed.map(({ host }) => host))]
        const text = one.reason ?? (hosts.map(host => withoutDomain(host, domain)).join(', ') || '–')
        return <span title={one.reason ?? hosts.join('\n')}>{text}</span>
      },
    },
    {
      id: 'who',
      title: 'Who',
      width: 'minmax(6rem, 1fr)',
      by: whoText,
      cell: one => <span title={whoText(one)}>{whoText(one)}</span>,
    },
    { id: 'kind', title: 'Kind', width: '6.5rem', by: one => one.kind, cell: one => <Chip>{one.kind}</Chip> },
  ]
}

/** One is named and leads to its page, several are counted. */
function About({ decision: { kind, asked } }: { readonly decision: ListedDecision }) {
  const { instances, names, query } = asked
  const [only, ...others] = instances
  if (query !== null) return <span title={query}>{query}</span>
  if (only === undefined) return '–'
  if (others.length > 0) return <span title={instances.join('\n')}>{plural(instances.length, 'server')}</span>
  return kind.startsWith('share') || kind.startsWith('manila') ? (
    <Link href={`/shares/${only}`}>{names[only] ?? only}</Link>
  ) : (
    <ConsumerLink uuid={only} name={names[only] ?? null} />
  )
}
