import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { AssignmentRow, CredentialRow, ProjectRow, RoleRow } from '../../world/identity.ts'
import type { World } from '../../world/world.ts'
import type { IdentityRefusal } from './refusals.ts'

export interface ProjectFields {
  readonly name: string
  readonly description: string
  readonly is_enabled: number
}

export function createProject(
  world: World,
  command: { readonly uuid: string; readonly fields: ProjectFields },
  nowMs: number,
): Decision<ProjectRow, IdentityRefusal> {
  const { projects } = world.identity
  const { uuid, fields } = command
  if (world.identity.findProjectByName(fields.name) !== undefined)
    return refuse({ kind: 'identity-exists', what: 'project', name: fields.name })
  if (projects.find(uuid) !== undefined)
    return refuse({ kind: 'identity-exists', what: 'project', name: uuid })
  const row: ProjectRow = { id: projects.nextId(), uuid, ...fields, created_at: nowMs }
  return accept({ ops: [insert('projects', row)] }, row)
}

export function updateProject(
  world: World,
  command: { readonly project: string; readonly fields: Partial<ProjectFields> },
): Decision<ProjectRow, IdentityRefusal> {
  const { project, fields } = command
  const before = world.identity.projects.find(project)
  if (before === undefined) return refuse({ kind: 'identity-missing', what: 'project', id: project })
  const namesake = fields.name === undefined ? undefined : world.identity.findProjectByName(fields.name)
  if (namesake !== undefined && namesake.id !== before.id)
    return refuse({ kind: 'identity-exists', what: 'project', name: namesake.name })
  const after = { ...before, ...fields }
  return accept({ ops: [update('projects', before, after)] }, after)
}

/** Also deletes all roles and application credentials in it. Other things of the project stay, for admins to see. */
export function deleteProject(
  world: World,
  command: { readonly project: string },
): Decision<null, IdentityRefusal> {
  const { projects, assignments, credentials } = world.identity
  const row = projects.find(command.project)
  if (row === undefined) return refuse({ kind: 'identity-missing', what: 'project', id: command.project })
  const isHere = (one: AssignmentRow | CredentialRow) => one.project_id === row.id
  const ops: RowOp[] = [
    ...credentials
      .all()
      .filter(isHere)
      .map(one => remove('application_credentials', one)),
    ...[...assignments.rows()].filter(isHere).map(one => remove('role_assignments', one)),
    remove('projects', row),
  ]
  return accept({ ops }, null)
}

export function createRole(
  world: World,
  command: { readonly uuid: string; readonly name: string },
  nowMs: number,
): Decision<RoleRow, IdentityRefusal> {
  const { uuid, name } = command
  if (world.identity.findRoleByName(name) !== undefined)
    return refuse({ kind: 'identity-exists', what: 'role', name })
  const row: RoleRow = { id: world.identity.roles.nextId(), uuid, name, created_at: nowMs }
  return accept({ ops: [insert('roles', row)] }, row)
}

export function deleteRole(
  world: World,
  command: { readonly role: string },
): Decision<null, IdentityRefusal> {
  const { roles, assignments } = world.identity
  const row = roles.find(command.role)
  if (row === undefined) return refuse({ kind: 'identity-missing', what: 'role', id: command.role })
  const holders = new Set(
    [...assignments.rows()].filter(one => one.role_id === row.id).map(one => one.user_id),
  )
  if (holders.size > 0) return refuse({ kind: 'role-in-use', role: row.name, users: holders.size })
  return accept({ ops: [remove('roles', row)] }, null)
}

interface Grant {
  readonly user: string
  readonly project: string
  readonly role: string
}

/** Granting a role again changes nothing. */
export function grantRole(world: World, command: Grant): Decision<null, IdentityRefusal> {
  const found = findGrant(world, command)
  if ('kind' in found) return refuse(found)
  if (world.identity.findAssignment(found) !== undefined) return accept(NO_CHANGE, null)
  return accept({ ops: [insert('role_assignments', found)] }, null)
}

export function revokeRole(world: World, command: Grant): Decision<null, IdentityRefusal> {
  const found = findGrant(world, command)
  if ('kind' in found) return refuse(found)
  const row = world.identity.findAssignment(found)
  const { user, project, role } = command
  if (row === undefined) return refuse({ kind: 'grant-missing', user, project, role })
  return accept({ ops: [remove('role_assignments', row)] }, null)
}

function findGrant(world: World, { user, project, role }: Grant): AssignmentRow | IdentityRefusal {
  const { users, projects, roles } = world.identity
  const [theUser, theProject, theRole] = [users.find(user), projects.find(project), roles.find(role)]
  if (theUser === undefined) return { kind: 'identity-missing', what: 'user', id: user }
  if (theProject === undefined) return { kind: 'identity-missing', what: 'project', id: project }
  if (theRole === undefined) return { kind: 'identity-missing', what: 'role', id: role }
  return { user_id: theUser.id, project_id: theProject.id, role_id: theRole.id }
}
