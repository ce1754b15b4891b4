import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { StaticToken } from '../../../src/wire/admin.ts'
import { revokeStaticToken } from '../api/access.ts'
import { ActButton } from '../controls/act-button.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Icon } from '../controls/icons.tsx'
import { Empty, Panel, Waiting } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { ConfirmedAction } from './confirmed-action.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { projectColumn, rolesColumn, timeColumn } from './row-columns.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { useKeepsUsers, useStaticTokens, useUsers } from './use-access.ts'

const OPERATION = 'berth:tokens'

/** Tokens of machines, which belong to no user. */
export function StaticTokensPanel({ search }: { readonly search: string }) {
  const { whyNot } = useSession()
  const query = useStaticTokens()
  const users = useUsers()
  const keepsUsers = useKeepsUsers()
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<{ readonly name: string; readonly token: string } | null>(null)
  const why = whyNot(OPERATION)
  const names = useMemo(() => new Map(users.data?.map(({ id, name }) => [id, name])), [users.data])
  const columns = useMemo(() => columnsOf(names, keepsUsers, why), [names, keepsUsers, why])
  const rows = useMemo(
    () => (query.data ?? []).filter(one => textOf(one).includes(search)),
    [query.data, search],
  )
  return (
    <Panel
      title="Static tokens"
      aside={
        <>
          {query.data !== undefined && <span className="soft number">{plural(rows.length, 'token')}</span>}
          <ActButton
            variant="default"
            why={why}
            leftSection={<Icon name="plus" size={13} />}
            onClick={() => setMaking(true)}
          >
            New static token
          </ActButton>
        </>
      }
      flush
    >
      {why !== null ? (
        <Empty title="You may not see static tokens">{why}</Empty>
      ) : query.data === undefined ? (
        <Waiting query={query} what="static tokens" />
      ) : rows.length === 0 ? (
        <Empty title={search === '' ? 'No static token' : 'No static token is like this'}>
          Static tokens are for machines that cannot sign in. They belong to no user and are valid until they
          are revoked or end.
        </Empty>
      ) : (
        <DataTable
          label="Static tokens"
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          sortedBy="ends"
          sortName="static"
          height="16rem"
        />
      )}
      {isMaking && (
        <NewTokenDialog
          onMade={one => {
            setMaking(false)
            setMade(one)
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {made !== null && (
        <SecretDialog title={`The token ${made.name}`} secret={made.token} onClose={() => setMade(null)} />
      )}
    </Panel>
  )
}

const textOf = (one: StaticToken): string =>
  [one.name, one.project ?? '', one.roles.join(' '), one.id].join(' ').toLowerCase()

function columnsOf(
  users: ReadonlyMap<string, string>,
  keepsUsers: boolean,
  why: string | null,
): readonly Column<StaticToken>[] {
  const makerOf = ({ created_by }: StaticToken) => users.get(created_by) ?? created_by
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(8rem, 1.2fr)',
      by: ({ name }) => name,
      cell: ({ name, id }) => <span title={id}>{name}</span>,
    },
    rolesColumn(),
    projectColumn(),
    {
      id: 'maker',
      title: 'Made by',
      width: 'minmax(7rem, 1fr)',
      by: makerOf,
      cell: one =>
        keepsUsers && users.has(one.created_by) ? (
          <Link href={`/access/users/${one.created_by}`}>{makerOf(one)}</Link>
        ) : (
          <span title={one.created_by}>{makerOf(one)}</span>
        ),
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
          name={one.name}
          why={why}
          title={`Revoke the static token ${one.name}?`}
          action="Revoke the token"
          act={() => revokeStaticToken(one.id)}
        >
          It ends at once, at every server of the store. Machines that use it get 401 from then on.
        </ConfirmedAction>
      ),
    },
  ]
}
