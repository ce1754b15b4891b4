import { useMemo } from 'react'
import type { UserCredential } from '../../../src/wire/accounts.ts'
import { deleteCredential } from '../api/access.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Empty, Panel, Waiting } from '../controls/page.tsx'
import { amount, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { ConfirmedAction } from './confirmed-action.tsx'
import { projectColumn, rolesColumn, timeColumn, userColumn } from './row-columns.tsx'
import { useCredentials } from './use-access.ts'

/** Application credentials: of one user, or of all. */
export function CredentialsPanel({
  user,
  search = '',
}: {
  readonly user?: string
  /** In lower case. */
  readonly search?: string
}) {
  const { whyNot } = useSession()
  const query = useCredentials(user)
  const why = whyNot('berth:credentials')
  const whyNoDelete = whyNot('identity:delete_application_credential')
  const columns = useMemo(() => columnsOf(user === undefined, whyNoDelete), [user, whyNoDelete])
  const rows = useMemo(
    () => (query.data?.entries ?? []).filter(one => textOf(one).includes(search)),
    [query.data, search],
  )
  return (
    <Panel
      title="Application credentials"
      aside={
        query.data !== undefined && <span className="soft number">{plural(rows.length, 'credential')}</span>
      }
      flush
    >
      {why !== null ? (
        <Empty title="You may not see credentials of users">{why}</Empty>
      ) : query.data === undefined ? (
        <Waiting query={query} what="application credentials" />
      ) : rows.length === 0 ? (
        <Empty
          title={search === '' ? 'No application credential' : 'No application credential is like this'}
          command="openstack application credential create NAME"
        >
          Programs sign in with them instead of a password. Users make their own.
        </Empty>
      ) : (
        <DataTable
          label="Application credentials"
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          sortedBy="ends"
          sortName="credentials"
          height="16rem"
          cut={query.data.isCut ? `the first ${amount(query.data.entries.length)} credentials` : null}
        />
      )}
    </Panel>
  )
}

const textOf = (one: UserCredential): string =>
  [one.name, one.description ?? '', one.user_name, one.project_name, one.roles.join(' '), one.id]
    .join(' ')
    .toLowerCase()

function columnsOf(showsUser: boolean, why: string | null): readonly Column<UserCredential>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(8rem, 1.2fr)',
      by: ({ name }) => name,
      cell: ({ name, description, id }) => <span title={`${description ?? ''} ${id}`.trim()}>{name}</span>,
    },
    ...(showsUser ? [userColumn<UserCredential>()] : []),
    projectColumn(),
    rolesColumn(),
    {
      id: 'unrestricted',
      title: 'Restricted',
      width: '6rem',
      by: ({ unrestricted }) => (unrestricted ? 'no' : 'yes'),
      cell: ({ unrestricted }) => (unrestricted ? 'no' : 'yes'),
    },
    timeColumn('created', 'Created', ({ created_at }) => created_at),
    timeColumn('ends', 'Ends', ({ expires_at }) => expires_at),
    {
      id: 'act',
      title: 'Action',
      width: '6rem',
      cell: one => (
        <ConfirmedAction
          isInRow
          label="Revoke"
          name={`${one.name} of ${one.user_name}`}
          why={why}
          title={`Revoke ${one.name} of ${one.user_name}?`}
          action="Revoke the credential"
          act={() => deleteCredential(one.user, one.id)}
        >
          It is deleted, and tokens that were issued for it end at once. Programs that sign in with it can no
          longer do so. Credentials and static tokens that were made with it stay.
        </ConfirmedAction>
      ),
    },
  ]
}
