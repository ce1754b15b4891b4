import type { Finding, Report } from '../world/findings.ts'
import type { World } from '../world/world.ts'

type IdentityFinding = Finding<'user.missing' | 'project.missing' | 'role.missing'>

/** Every row of identity refers to a user, a project and a role that exist. */
export function checkIdentity({ identity }: World, report: Report<IdentityFinding>): void {
  const check = (what: string, userId: number, projectId: number) => {
    if (identity.users.get(userId) === undefined)
      report.add({ kind: 'user.missing', what: `${what} is of user ${userId}` })
    if (identity.projects.get(projectId) === undefined)
      report.add({ kind: 'project.missing', what: `${what} is in project ${projectId}` })
  }
  for (const { user_id, project_id, role_id } of identity.assignments.rows()) {
    check(`an assignment of role ${role_id}`, user_id, project_id)
    if (identity.roles.get(role_id) === undefined)
      report.add({ kind: 'role.missing', what: `user ${user_id} has role ${role_id}` })
  }
  for (const { uuid, user_id, project_id } of identity.credentials.rows())
    check(`application credential ${uuid}`, user_id, project_id)
}
