import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { RoleAssignment, User } from '../../../src/wire/openstack-identity.ts'
import { decodings } from '../address-part.ts'
import { deleteUser, revokeUserTokens, updateUser } from '../api/access.ts'
import { FactList } from '../controls/fact-list.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { useSession } from '../session/session.tsx'
import { AuditPanel } from './audit-panel.tsx'
import { ConfirmedAction } from './confirmed-action.tsx'
import { CredentialsPanel } from './credentials-panel.tsx'
import { KeptElsewhere } from './kept-elsewhere.tsx'
import { RolesPanel } from './roles-panel.tsx'
import { generateSecret } from './secret.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { useAssignments, useKeepsUsers, useUsers } from './use-access.ts'
import { UserTokensPanel } from './user-tokens-panel.tsx'
import { StateChip } from './users.tsx'

const TRAIL = [['Users', '/access/users']] as const

/** A user with roles, tokens, credentials and last changes. */
export default function UserPage() {
  const { id = '' } = useParams<{ id: string }>()
  const { may } = useSession()
  const keepsUsers = useKeepsUsers()
  const users = useUsers()
  const assignments = useAssignments()
  if (!may('identity:list_users')) return <NotForYou title="User" operation="identity:list_users" />
  if (!keepsUsers)
    return (
      <Page title="User" trail={TRAIL}>
        <KeptElsewhere what="users" command="openstack user show USER" />
      </Page>
    )
  if (users.data === undefined)
    return (
      <Page title="User" trail={TRAIL}>
        <Waiting query={users} what="the user" />
      </Page>
    )
  const wanted = decodings(id)
  const user =
    users.data.find(one => wanted.includes(one.id)) ?? users.data.find(one => wanted.includes(one.name))
  if (user === undefined)
    return (
      <Page title="No such user" trail={TRAIL}>
        <Panel>
          <Empty title="The user was deleted, or never was">
            <Link href="/access/users">All users</Link>
          </Empty>
        </Panel>
      </Page>
    )
  return <Details key={user.id} user={user} assignments={assignments.data ?? null} />
}

function Details({
  user,
  assignments,
}: {
  readonly user: User
  readonly assignments: readonly RoleAssignment[] | null
}) {
  const own = assignments?.filter(one => one.user.id === user.id) ?? null
  const project = own?.find(({ scope }) => scope.project.id === user.default_project_id)?.scope.project
  return (
    <Page
      title={user.name}
      trail={TRAIL}
      text={
        <>
          <StateChip isEnabled={user.enabled} /> <code>{user.id}</code>
        </>
      }
      actions={<Actions user={user} />}
    >
      <Panel title="Details">
        <FactList
          facts={[
            ['E-mail', user.email ?? null],
            ['Description', user.description ?? null],
            [
              'Default project',
              user.default_project_id === undefined ? (
                'none'
              ) : (
                <Link href={`/access/projects/${user.default_project_id}`}>
                  {project?.name ?? user.default_project_id}
                </Link>
              ),
            ],
          ]}
        />
      </Panel>
      <RolesPanel title="Roles" of={{ user }} assignments={own} />
      <UserTokensPanel user={user.id} />
      <CredentialsPanel user={user.id} />
      <AuditPanel title="Last changes" about={{ user: user.id }} />
    </Page>
  )
}

function Actions({ user }: { readonly user: User }) {
  const { who, whyNot } = useSession()
  const [, navigate] = useLocation()
  const [password, setPassword] = useState<string | null>(null)
  const isSelf = who.user_id === user.id
  const self = isSelf ? 'This is you: you are signed out. ' : ''
  const mayUpdate = whyNot('identity:update_user')
  return (
    <>
      <ConfirmedAction
        label="Revoke all tokens"
        why={whyNot('berth:tokens:users')}
        title={`Revoke all tokens of ${user.name}?`}
        action="Revoke all tokens"
        act={() => revokeUserTokens(user.id)}
      >
        {self}Those that are valid now end at once, at every server of the store. {user.name} can sign in
        again; disable the user to prevent that. Static tokens belong to no user and stay.
      </ConfirmedAction>
      <ConfirmedAction
        label="New password"
        why={mayUpdate}
        title={`Give ${user.name} a new password?`}
        action="Make a new password"
        act={async () => {
          const made = generateSecret()
          await updateUser(user.id, { password: made })
          setPassword(made)
        }}
      >
        {self}The old password stops working, and all tokens of {user.name} end. The new one is made here and
        shown once. Application credentials stay.
      </ConfirmedAction>
      <EnabledSwitch user={user} self={self} />
      <ConfirmedAction
        label="Delete"
        why={whyNot('identity:delete_user')}
        title={`Delete ${user.name}?`}
        action="Delete the user"
        act={async () => {
          await deleteUser(user.id)
          navigate('/access/users')
        }}
      >
        {self}Roles and application credentials go too, and all tokens end. Servers and shares belong to
        projects and stay. It cannot be undone.
      </ConfirmedAction>
      {password !== null && (
        <SecretDialog
          title={`The password of ${user.name}`}
          secret={password}
          onClose={() => setPassword(null)}
        />
      )}
    </>
  )
}

function EnabledSwitch({ user, self }: { readonly user: User; readonly self: string }) {
  const { whyNot } = useSession()
  const mayUpdate = whyNot('identity:update_user')
  return user.enabled ? (
    <ConfirmedAction
      label="Disable"
      why={mayUpdate}
      title={`Disable ${user.name}?`}
      action="Disable the user"
      act={() => updateUser(user.id, { enabled: false })}
    >
      {self}
      {user.name} can no longer sign in, neither with the password nor with application credentials, and all
      tokens end at once. Roles and credentials stay for when the user is enabled again.
    </ConfirmedAction>
  ) : (
    <ConfirmedAction
      label="Enable"
      why={mayUpdate}
      title={`Enable ${user.name}?`}
      action="Enable the user"
      act={() => updateUser(user.id, { enabled: true })}
    >
      {user.name} can sign in again, with the password and with application credentials, and has the same
      roles as before.
    </ConfirmedAction>
  )
}
