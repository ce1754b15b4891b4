import {
  USER_CREDENTIALS_MAX,
  type UserCredential,
  type UserCredentials,
  userCredentialsShape,
} from '../../wire/accounts.ts'
import { object, text, whole } from '../../wire/shape.ts'
import type { CredentialRow } from '../../world/identity.ts'
import type { World } from '../../world/world.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { findAskedUser } from './asked-user.ts'

const LIMIT_DEFAULT = 100

/** The application credentials of all users: the identity API lists those of one. */
export function userCredentialRoutes(world: World): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/user-credentials',
      operation: 'berth:credentials',
      summary: 'List the application credentials of users',
      description:
        'Of all users, or of one. `DELETE /identity/v3/users/{user}/application_credentials/{id}` removes one.',
      query: object(
        'Which.',
        {},
        {
          user: text('Only of this user, by id or name.'),
          after: whole('Only those after this: `next` of an earlier answer.', { minimum: 0 }),
          limit: whole(`How many at most; default: ${LIMIT_DEFAULT}.`, {
            minimum: 1,
            maximum: USER_CREDENTIALS_MAX,
          }),
        },
      ),
      answer: { description: 'The application credentials.', shape: userCredentialsShape },
      problems: { 404: 'There is no such user.' },
      handle({ query: { user, after = 0, limit = LIMIT_DEFAULT } }): UserCredentials {
        const wanted = user === undefined ? null : findAskedUser(world, user).id
        const all = world.identity.credentials
          .all()
          .filter(({ user_id }) => wanted === null || user_id === wanted)
        const rest = all.filter(({ id }) => id > after)
        const shown = rest.slice(0, limit)
        return {
          credentials: shown.map(row => credentialBody(world, row)),
          total: all.length,
          next: rest.length > limit ? (shown.at(-1)?.id ?? null) : null,
        }
      },
    }),
  ]
}

function credentialBody({ identity }: World, row: CredentialRow): UserCredential {
  const user = identity.users.row(row.user_id)
  const project = identity.projects.row(row.project_id)
  return {
    id: row.uuid,
    name: row.name,
    description: row.description,
    user: user.uuid,
    user_name: user.name,
    project: project.uuid,
    project_name: project.name,
    roles: JSON.parse(row.roles) as string[],
    unrestricted: row.is_unrestricted === 1,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
  }
}
