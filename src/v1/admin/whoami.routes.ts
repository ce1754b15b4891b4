import type { Policy } from '../../http/policy.ts'
import { type Whoami, whoamiShape } from '../../wire/admin.ts'
import { type V1Route, v1Route } from '../api/route.ts'

/** For clients that hide what the caller may not do, or explain it. */
export function whoamiRoutes(policy: Policy): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/whoami',
      operation: 'berth:whoami',
      summary: 'Show the caller and what it may do',
      description:
        'The user, project and roles of the token, and every policy operation that it may use. Operations whose rule ' +
        'depends on the owner are judged for objects of the caller.',
      answer: { description: 'Who asks.', shape: whoamiShape },
      handle: ({ credentials }): Whoami => ({
        user_id: credentials.userId,
        user_name: credentials.names?.user ?? null,
        project_id: credentials.projectId,
        project_name: credentials.names?.project ?? null,
        roles: credentials.roles,
        system_scope: credentials.systemScope,
        allowed: policy
          .operations()
          .filter(operation => policy.allows(operation, credentials, { project_id: credentials.projectId })),
      }),
    }),
  ]
}
