import type { Policy } from '../../http/policy.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { list, object, orNull, text, yesOrNo } from '../api/shape.ts'

const answer = object('The caller.', {
  user_id: text('The user of the token.'),
  user_name: orNull(text('What the user is called; null where the server cannot know.')),
  project_id: orNull(text('The project of the token; null if it has none.')),
  project_name: orNull(text('What the project is called; null where the server cannot know.')),
  roles: list(text('A role.'), 'The roles that the token has.'),
  system_scope: yesOrNo('The token is of the whole system, which no operation here takes.'),
  allowed: list(
    text('A policy operation.'),
    'What the policy lets the caller do to what belongs to the project of the token.',
  ),
})

/** For programs that show only what can be done, or say why something cannot. */
export function whoamiRoutes(policy: Policy): V1Route[] {
  return [
    v1Route({
      method: 'GET',
      path: '/whoami',
      operation: 'berth:whoami',
      summary: 'Say who asks, and what they may do',
      description:
        'The user, project and roles of the token, and every policy operation that it may use. Operations that ' +
        'depend on whose something is are judged for what belongs to the caller.',
      answer: { description: 'Who asks.', shape: answer },
      handle: ({ credentials }) => ({
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
