import { json } from '../../http/api.ts'
import type { IdentityContext, IdentityRoute } from './context.ts'
import { emptyPageOf } from './schemas.ts'
import { policyTargetOf, userOr404 } from './users.routes.ts'
import { listOf } from './views.ts'

/** Users have roles themselves; there are no groups of them. */
export function groupRoutes(context: IdentityContext): IdentityRoute[] {
  return [
    {
      method: 'GET',
      path: '/v3/groups',
      operation: 'identity:list_groups',
      summary: 'List groups',
      answers: { 200: emptyPageOf('groups') },
      handle: request => json(200, listOf(request, 'groups', 'groups', [])),
    },
    {
      method: 'GET',
      path: '/v3/users/{user_id}/groups',
      operation: 'identity:list_groups_for_user',
      summary: 'List the groups of a user',
      answers: { 200: emptyPageOf('groups') },
      target: policyTargetOf,
      handle(request) {
        const { uuid } = userOr404(context, request)
        return json(200, listOf(request, 'groups', `users/${uuid}/groups`, []))
      },
    },
  ]
}
