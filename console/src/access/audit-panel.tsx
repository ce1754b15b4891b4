import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { readAudit } from '../api/access.ts'
import { queryOf } from '../api/http.ts'
import { DataTable } from '../controls/data-table.tsx'
import { Empty, Panel, Waiting } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'
import { auditColumns, keyOfEntry } from './audit-columns.tsx'
import { useUserKeys } from './use-access.ts'

const SHOWN = 10
const AGAIN_MS = 15_000

/** The last changes that a user made, or that were made with tokens of a project. */
export function AuditPanel({
  title,
  about,
}: {
  readonly title: string
  readonly about: { readonly user: string } | { readonly project: string }
}) {
  const { may } = useSession()
  const users = useUserKeys()
  const query = useQuery({
    queryKey: ['access', 'audit', about],
    queryFn: () => readAudit({ ...about, limit: SHOWN }),
    enabled: may('berth:audit'),
    refetchInterval: AGAIN_MS,
  })
  const columns = useMemo(() => auditColumns('project' in about ? users : null), [about, users])
  if (!may('berth:audit')) return null
  return (
    <Panel
      title={title}
      aside={<Link href={`/access/audit${queryOf(about)}`}>Search the audit log</Link>}
      flush
    >
      {query.data === undefined ? (
        <Waiting query={query} what="the last changes" />
      ) : query.data.entries.length === 0 ? (
        <Empty title="No change">In the last 90 days nothing was changed.</Empty>
      ) : (
        <DataTable
          label={title}
          rows={query.data.entries}
          columns={columns}
          keyOf={keyOfEntry}
          sortedBy="-at"
          sortName="changes"
          height="16rem"
          cut={query.data.next === null ? null : `the last ${SHOWN} changes`}
        />
      )}
    </Panel>
  )
}
