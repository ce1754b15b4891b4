import { Link } from 'wouter'
import type { AuditEntry } from '../../../src/wire/admin.ts'
import type { Column } from '../controls/data-table.tsx'
import { momentText } from '../formats.ts'
import { projectColumn } from './row-columns.tsx'

const whoText = ({ user_name, user }: AuditEntry): string => user_name ?? user

/** One change is one row: of a request that changed several things there are several. */
export const keyOfEntry = ({ revision, request_id }: AuditEntry): string => `${revision} ${request_id}`

/** A caller without a page is a static token, or a user that is kept elsewhere or deleted. */
const whoColumn = (users: ReadonlySet<string>): Column<AuditEntry> => ({
  id: 'who',
  title: 'Who',
  width: 'minmax(7rem, 1fr)',
  by: whoText,
  cell: entry =>
    users.has(entry.user) ? (
      <Link href={`/access/users/${encodeURIComponent(entry.user)}`}>{whoText(entry)}</Link>
    ) : (
      <span title={entry.user}>{whoText(entry)}</span>
    ),
})

export const auditColumns = (
  /** Ids and names of users that have a page; null leaves out the caller, where all entries are of one. */
  users: ReadonlySet<string> | null,
): readonly Column<AuditEntry>[] => [
  {
    id: 'at',
    title: 'When',
    width: '11rem',
    by: ({ at }) => at,
    cell: ({ at }) => <time dateTime={at}>{momentText(at)}</time>,
  },
  ...(users === null ? [] : [whoColumn(users)]),
  projectColumn(),
  {
    id: 'what',
    title: 'What',
    width: 'minmax(14rem, 1.4fr)',
    by: ({ command }) => command,
    cell: entry => <span title={entry.command}>{entry.command}</span>,
  },
  {
    id: 'path',
    title: 'Request',
    width: 'minmax(14rem, 2.4fr)',
    by: ({ method, path }) => `${method} ${path}`,
    cell: ({ method, path }) => (
      <code title={`${method} ${path}`}>
        {method} {path}
      </code>
    ),
  },
  {
    id: 'request',
    title: 'Request id',
    width: 'minmax(8rem, 1fr)',
    by: ({ request_id }) => request_id,
    cell: ({ request_id }) => (
      <Link href={`/access/audit?q=${encodeURIComponent(request_id)}`} title={request_id}>
        {request_id}
      </Link>
    ),
  },
  {
    id: 'rows',
    title: 'Rows',
    width: '4.5rem',
    right: true,
    by: ({ rows }) => rows,
    cell: ({ rows }) => rows,
  },
  {
    id: 'revision',
    title: 'Revision',
    width: '6rem',
    right: true,
    by: ({ revision }) => revision,
    cell: ({ revision }) => revision,
  },
]
