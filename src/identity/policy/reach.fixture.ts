import type { Credentials } from '../../http/api.ts'
import type { Policy } from '../../http/policy.ts'

/** Each role with those that it implies. */
export const ROLES: Readonly<Record<string, readonly string[]>> = {
  admin: ['admin', 'manager', 'member', 'reader'],
  service: ['service'],
  manager: ['manager', 'member', 'reader'],
  member: ['member', 'reader'],
  reader: ['reader'],
  none: [],
}

/** What a caller may access: public objects, those of the own project, and those of others. */
export function reach(
  policy: Policy,
  operation: string,
  roles: readonly string[],
  projectId: string | null = 'p',
): string {
  const caller: Credentials = { userId: 'u', projectId, roles, systemScope: false }
  const may = (project_id: string | null, user_id: string, visibility: string) =>
    policy.allows(operation, caller, {
      project_id,
      user_id,
      visibility,
      'target.user.id': user_id,
      'target.project.id': project_id,
      'target.token.user_id': user_id,
    })
  if (may('q', 'v', 'private')) return 'all'
  const others = may('q', 'v', 'public') ? 'public' : ''
  const own = may(projectId, 'u', 'private') ? 'own' : ''
  return [own, others].filter(one => one !== '').join('+') || '-'
}
