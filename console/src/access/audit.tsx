import { Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { readAudit } from '../api/access.ts'
import { DataTable } from '../controls/data-table.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { amount, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import styles from './access.module.css'
import { auditColumns, keyOfEntry } from './audit-columns.tsx'
import { useUserKeys } from './use-access.ts'

const LIMIT = 200
const AGAIN_MS = 10_000
const TYPING_MS = 300

const PERIODS = [
  { value: '1h', label: 'the last hour' },
  { value: '24h', label: 'the last day' },
  { value: '7d', label: 'the last week' },
  { value: '30d', label: 'the last 30 days' },
]

/** What the address asks for, sent once the typing rests. */
function useAuditQuery() {
  const { may } = useSession()
  const [params] = useUrlState()
  const asked = {
    search: params.get('q')?.trim() ?? '',
    user: params.get('user')?.trim() ?? '',
    project: params.get('project')?.trim() ?? '',
    target: params.get('target')?.trim() ?? '',
    since: params.get('since') ?? '',
  }
  const [settled] = useDebouncedValue(JSON.stringify(asked), TYPING_MS)
  return useInfiniteQuery({
    queryKey: ['access', 'audit', 'page', settled],
    queryFn: ({ pageParam }) =>
      readAudit({ ...(JSON.parse(settled) as typeof asked), before: pageParam ?? '', limit: LIMIT }),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next,
    enabled: may('berth:audit'),
    placeholderData: before => before,
    // Once somebody reads on, what is above must not move.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : AGAIN_MS),
  })
}

/** Which request changed what: with ids and operations. Activity tells the same in words. */
export default function Audit() {
  const { may } = useSession()
  const users = useUserKeys()
  const query = useAuditQuery()
  const entries = useMemo(() => query.data?.pages.flatMap(page => page.entries), [query.data])
  const columns = useMemo(() => auditColumns(users), [users])
  if (!may('berth:audit')) return <NotForYou title="Audit log" operation="berth:audit" />
  return (
    <Page
      title="Audit log"
      text={
        <>
          Every change that a request made, for 90 days, with the caller. What was refused is in the log of
          the server only. <Link href="/activity">Activity</Link> tells the changes in words.
        </>
      }
    >
      <Panel
        title="Changes"
        aside={entries !== undefined && <span className="soft">{plural(entries.length, 'change')} read</span>}
        flush
      >
        <Filters />
        {entries === undefined ? (
          <Waiting query={query} what="the audit log" />
        ) : entries.length === 0 ? (
          <Empty title={query.hasNextPage ? 'Nothing so far' : 'No change is like this'}>
            {query.hasNextPage
              ? 'The newest 20,000 changes have nothing like this. There are older ones.'
              : 'Changes are kept for 90 days.'}
          </Empty>
        ) : (
          <DataTable
            label="Audit log"
            rows={entries}
            columns={columns}
            keyOf={keyOfEntry}
            sortedBy="-at"
            height="calc(100dvh - 20rem)"
            cut={query.hasNextPage ? `the newest ${amount(entries.length)} changes` : null}
          />
        )}
        {query.hasNextPage && (
          <button
            type="button"
            className={styles.more}
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {query.isFetchingNextPage ? 'Reading older changes …' : 'Show older changes'}
          </button>
        )}
      </Panel>
    </Page>
  )
}

function Filters() {
  const [params, change] = useUrlState()
  const field = (name: string, label: string, placeholder: string) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={params.get(name) ?? ''}
      onChange={event => change({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <div className={styles.filters}>
      {field('q', 'Find', 'Command, path, request id …')}
      {field('user', 'User or static token', 'Name or id')}
      {field('project', 'Project', 'Name or id')}
      {field('target', 'Changed thing', 'A part of the path')}
      <Select
        label="When"
        placeholder="90 days"
        clearable
        clearButtonProps={{ 'aria-label': 'Any time' }}
        data={PERIODS}
        value={params.get('since')}
        onChange={since => change({ since })}
      />
    </div>
  )
}
