import { Select } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Project, RoleAssignment, User } from '../../../src/wire/openstack-identity.ts'
import { grantRole } from '../api/access.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Empty, FailureNote, Loading, Panel } from '../controls/page.tsx'
import { Sideways } from '../controls/sideways.tsx'
import page from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'
import styles from './access.module.css'
import { ConfirmedAction } from './confirmed-action.tsx'
import { useReread, useRoles, useStoredProjects, useUsers } from './use-access.ts'

/** Whose roles: those of a user in projects, or those of users in a project. */
type RolesOf = { readonly user: User } | { readonly project: Project }

/** Roles with where they hold; each can be taken away, and others given. */
export function RolesPanel({
  title,
  of,
  assignments,
}: {
  readonly title: string
  readonly of: RolesOf
  /** Of this user, or in this project; null: not known yet. */
  readonly assignments: readonly RoleAssignment[] | null
}) {
  const isOfUser = 'user' in of
  return (
    <Panel title={title} flush>
      {assignments === null ? (
        <Loading what="roles" />
      ) : assignments.length === 0 ? (
        <Empty title={isOfUser ? 'No role in any project' : 'Nobody has a role here'}>
          {isOfUser
            ? 'The user can sign in, and may do nothing until it has a role in a project.'
            : 'Users can work in the project once they have a role in it.'}
        </Empty>
      ) : (
        <Sideways label={title}>
          <table className={`${page.table} ${page.words} ${styles.roles}`}>
            <thead>
              <tr>
                <th scope="col">{isOfUser ? 'Project' : 'User'}</th>
                <th scope="col">Role</th>
                <th scope="col">
                  <span className="hidden">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sortedOf(assignments, isOfUser).map(one => (
                <Row
                  key={`${one.user.id} ${one.scope.project.id} ${one.role.id}`}
                  assignment={one}
                  isOfUser={isOfUser}
                />
              ))}
            </tbody>
          </table>
        </Sideways>
      )}
      <GiveRole of={of} />
    </Panel>
  )
}

function sortedOf(assignments: readonly RoleAssignment[], isOfUser: boolean): RoleAssignment[] {
  const keyOf = ({ user, scope, role }: RoleAssignment) =>
    `${isOfUser ? scope.project.name : user.name}\n${role.name}`
  return assignments.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)))
}

function Row({
  assignment: { user, scope, role },
  isOfUser,
}: {
  readonly assignment: RoleAssignment
  readonly isOfUser: boolean
}) {
  const { whyNot } = useSession()
  const { project } = scope
  return (
    <tr>
      <th scope="row">
        {isOfUser ? (
          <Link href={`/access/projects/${project.id}`}>{project.name}</Link>
        ) : (
          <Link href={`/access/users/${user.id}`}>{user.name}</Link>
        )}
      </th>
      <td>
        <Link href={`/access/policy?role=${encodeURIComponent(role.name)}`}>{role.name}</Link>
      </td>
      <td>
        <ConfirmedAction
          isInRow
          label="Take away"
          name={`${role.name} of ${user.name} in ${project.name}`}
          why={whyNot('identity:revoke_grant')}
          title={`Take ${role.name} from ${user.name}?`}
          action="Take the role away"
          act={() => grantRole('DELETE', { user: user.id, project: project.id, role: role.id })}
        >
          In {project.name}, at once, also for tokens that are valid now. Without any role there, the tokens
          of {user.name} for {project.name} end.
        </ConfirmedAction>
      </td>
    </tr>
  )
}

function GiveRole({ of }: { readonly of: RolesOf }) {
  const { whyNot } = useSession()
  const isOfUser = 'user' in of
  const projects = useStoredProjects()
  const users = useUsers()
  const roles = useRoles()
  const reread = useReread()
  const [other, setOther] = useState<string | null>(null)
  const [role, setRole] = useState<string | null>(null)
  const giving = useMutation({
    mutationFn: () =>
      grantRole('PUT', {
        user: isOfUser ? of.user.id : (other as string),
        project: isOfUser ? (other as string) : of.project.id,
        role: role as string,
      }),
    onSuccess: async () => {
      setRole(null)
      await reread()
    },
  })
  const others = (isOfUser ? projects.data : users.data) ?? []
  const what = isOfUser ? 'Project' : 'User'
  const why =
    whyNot('identity:create_grant') ??
    (other === null || role === null ? `Choose a ${what.toLowerCase()} and a role first.` : null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Enter submits even if the button is disabled.
    if (why === null && !giving.isPending) giving.mutate()
  }
  return (
    <form aria-label="Give a role" onSubmit={submit}>
      {giving.error !== null && <FailureNote error={giving.error} />}
      <div className={styles.fields}>
        <Select
          label={what}
          placeholder="Choose"
          searchable
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={other}
          onChange={setOther}
        />
        <Select
          label="Role"
          placeholder="Choose"
          data={(roles.data ?? []).map(one => ({ value: one.id, label: one.name }))}
          value={role}
          onChange={setRole}
        />
        <ActButton type="submit" variant="default" why={why} loading={giving.isPending}>
          Give the role
        </ActButton>
      </div>
    </form>
  )
}
