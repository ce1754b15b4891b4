import { useMemo } from 'react'
import type { UserToken } from '../../../src/wire/accounts.ts'
import { revokeUserToken } from '../api/access.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Empty, Panel, Waiting } from '../controls/page.tsx'
import { amount, momentText, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { ConfirmedAction } from './confirmed-action.tsx'
import { projectColumn, rolesColumn, timeColumn, userColumn } from './row-columns.tsx'
import { useUserTokens } from './use-access.ts'

const OPERATION = 'berth:tokens:users'

/** The tokens that signing in gave, and that are valid now: of one user, or of all. */
export function UserTokensPanel({
  user,
  search = '',
}: {
  readonly user?: string
  /** In lower case. */
  readonly search?: string
}) {
  const { whyNot } = useSession()
  const query = useUserTokens(user)
  const why = whyNot(OPERATION)
  const columns = useMemo(() => columnsOf(user === undefined, why), [user, why])
  const rows = useMemo(
    () => (query.data?.entries ?? []).filter(one => textOf(one).includes(search)),
    [query.data, search],
  )
  return (
    <Panel
      title={user === undefined ? 'Tokens of users' : 'Tokens'}
      aside={query.data !== undefined && <span className="soft number">{plural(rows.length, 'token')}</span>}
      flush
    >
      {why !== null ? (
        <Empty title="You may not see tokens of users">{why}</Empty>
      ) : query.data === undefined ? (
        <Waiting query={query} what="tokens" />
      ) : rows.length === 0 ? (
        <Empty title={search === '' ? 'No token is valid' : 'No token is like this'}>
          Users get a token when they sign in, with a password or an application credential.
        </Empty>
      ) : (
        <DataTable
          label="Tokens of users"
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          sortedBy="ends"
          sortName="tokens"
          height={user === undefined ? '26rem' : '16rem'}
          cut={query.data.isCut ? `the ${amount(query.data.entries.length)} tokens that end last` : null}
        />
      )}
    </Panel>
  )
}

const signedInBy = ({ application_credential, methods }: UserToken): string =>
  application_credential === null ? methods.join(', ') : `credential ${application_credential}`

const textOf = (one: UserToken): string =>
  [one.user_name, one.project_name ?? '', one.roles.join(' '), signedInBy(one), one.id]
    .join(' ')
    .toLowerCase()

function columnsOf(showsUser: boolean, why: string | null): readonly Column<UserToken>[] {
  return [
    ...(showsUser ? [userColumn<UserToken>()] : []),
    projectColumn(),
    rolesColumn(),
    {
      id: 'by',
      title: 'Signed in by',
      width: 'minmax(8rem, 1fr)',
      by: signedInBy,
      cell: one => <span title={signedInBy(one)}>{signedInBy(one)}</span>,
    },
    timeColumn('issued', 'Issued', ({ issued_at }) => issued_at),
    timeColumn('ends', 'Ends', ({ expires_at }) => expires_at),
    {
      id: 'act',
      title: 'Action',
      width: '6rem',
      cell: one => (
        <ConfirmedAction
          isInRow
          label="Revoke"
          name={`the token of ${one.user_name} that was issued ${momentText(one.issued_at)}`}
          why={why}
          title={`Revoke this token of ${one.user_name}?`}
          action="Revoke the token"
          act={() => revokeUserToken(one.id)}
        >
          It ends at once, at every server of the store, and so do tokens that were issued for it. The user
          can sign in again. If it is the token of this page, you are signed out.
        </ConfirmedAction>
      ),
    },
  ]
}
