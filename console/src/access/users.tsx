import { SegmentedControl, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ActButton } from '../controls/act-button.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Icon } from '../controls/icons.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { amount, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { KeptElsewhere } from './kept-elsewhere.tsx'
import { type ListedUser, listUsers, rolesText, searchedText } from './listed-users.ts'
import { NewUserDialog } from './new-user-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { useAssignments, useCredentials, useKeepsUsers, useUsers, useUserTokens } from './use-access.ts'

const TEXT = 'Who may sign in, in which projects, with which roles.'

export default function Users() {
  const { may } = useSession()
  const keepsUsers = useKeepsUsers()
  if (!may('identity:list_users')) return <NotForYou title="Users" operation="identity:list_users" />
  if (keepsUsers) return <StoredUsers />
  return (
    <Page title="Users" text={TEXT}>
      <KeptElsewhere what="users" command="openstack user list" />
    </Page>
  )
}

function StoredUsers() {
  const { whyNot } = useSession()
  const [, navigate] = useLocation()
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<{ id: string; name: string; password: string } | null>(null)
  return (
    <Page
      title="Users"
      text={TEXT}
      actions={
        <ActButton
          why={whyNot('identity:create_user')}
          leftSection={<Icon name="plus" size={13} />}
          onClick={() => setMaking(true)}
        >
          New user
        </ActButton>
      }
    >
      <UserTable />
      {isMaking && (
        <NewUserDialog
          onMade={one => {
            setMaking(false)
            setMade(one)
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {made !== null && (
        <SecretDialog
          title={`The password of ${made.name}`}
          secret={made.password}
          onClose={() => navigate(`/access/users/${made.id}`)}
        />
      )}
    </Page>
  )
}

function UserTable() {
  const users = useUsers()
  const assignments = useAssignments()
  const tokens = useUserTokens()
  const credentials = useCredentials()
  const [params] = useUrlState()
  const search = (params.get('q') ?? '').trim().toLowerCase()
  const state = params.get('state') ?? 'all'
  const all = useMemo(
    () =>
      listUsers(
        users.data ?? [],
        assignments.data ?? [],
        tokens.data?.entries ?? null,
        credentials.data?.entries ?? null,
      ),
    [users.data, assignments.data, tokens.data, credentials.data],
  )
  const rows = useMemo(
    () =>
      all.filter(
        one =>
          (state === 'all' || one.user.enabled === (state === 'enabled')) &&
          searchedText(one).includes(search),
      ),
    [all, search, state],
  )
  const isCut = tokens.data?.isCut === true || credentials.data?.isCut === true
  return (
    <Panel
      title="All users"
      aside={
        <>
          <UserFilters />
          <span className="soft number">{plural(rows.length, 'user')}</span>
        </>
      }
      flush
    >
      {users.data === undefined ? (
        <Waiting query={users} what="users" />
      ) : rows.length === 0 ? (
        <Empty title="No user is like this">The search looks at names, addresses, projects and roles.</Empty>
      ) : (
        <DataTable
          label="Users"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ user }) => user.id}
          height="calc(100dvh - 15rem)"
          cut={isCut ? 'tokens and credentials counted among the first 10,000' : null}
        />
      )}
    </Panel>
  )
}

function UserFilters() {
  const [params, change] = useUrlState()
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="Which users"
        value={params.get('state') ?? 'all'}
        onChange={value => change({ state: value === 'all' ? null : value })}
        data={[
          { value: 'all', label: 'All' },
          { value: 'enabled', label: 'Enabled' },
          { value: 'disabled', label: 'Disabled' },
        ]}
      />
      <TextInput
        aria-label="Filter users"
        placeholder="Name, project, role"
        leftSection={<Icon name="search" size={13} />}
        value={params.get('q') ?? ''}
        onChange={event => change({ q: event.currentTarget.value })}
      />
    </>
  )
}

const countColumn = (
  id: string,
  title: string,
  find: (listed: ListedUser) => number | null,
): Column<ListedUser> => ({
  id,
  title,
  width: '6.5rem',
  right: true,
  by: listed => find(listed) ?? -1,
  exported: listed => find(listed) ?? '',
  cell: listed => {
    const count = find(listed)
    return count === null ? '–' : amount(count)
  },
})

const COLUMNS: readonly Column<ListedUser>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1fr)',
    by: ({ user }) => user.name,
    cell: ({ user }) => <Link href={`/access/users/${user.id}`}>{user.name}</Link>,
  },
  {
    id: 'state',
    title: 'State',
    width: '6.5rem',
    by: ({ user }) => Number(user.enabled),
    exported: ({ user }) => (user.enabled ? 'enabled' : 'disabled'),
    cell: ({ user }) => <StateChip isEnabled={user.enabled} />,
  },
  {
    id: 'roles',
    title: 'Projects and roles',
    width: 'minmax(14rem, 3fr)',
    by: rolesText,
    cell: listed =>
      listed.projects.length === 0 ? (
        <span className="soft">no role in any project</span>
      ) : (
        <span title={rolesText(listed)}>{rolesText(listed)}</span>
      ),
  },
  {
    id: 'email',
    title: 'E-mail',
    width: 'minmax(8rem, 1fr)',
    by: ({ user }) => user.email ?? '',
    cell: ({ user }) => <span title={user.email}>{user.email ?? '–'}</span>,
  },
  countColumn('tokens', 'Tokens', ({ tokens }) => tokens),
  countColumn('credentials', 'Credentials', ({ credentials }) => credentials),
]

export function StateChip({ isEnabled }: { readonly isEnabled: boolean }) {
  return <Chip tone={isEnabled ? 'good' : 'warm'}>{isEnabled ? 'enabled' : 'disabled'}</Chip>
}
