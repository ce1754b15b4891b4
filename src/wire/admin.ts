import { AUDIT_GENERATIONS_MAX } from '../kernel/number-bounds.ts'
import { anyObject, list, number, object, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

export const AUDIT_PAGE_MAX = 1_000

export const staticTokenShape = object('A token of a machine.', {
  id: text('Its id. Requests with the token have it as user.'),
  name: text('Its name.'),
  project: orNull(text('The project that it works in.')),
  roles: list(text('A role.'), 'What it was given.'),
  created_by: text('Who made it: the id of a user.'),
  created_at: text('When it was made.'),
  expires_at: orNull(text('When it expires; null: never.')),
})

export const whoamiShape = object('The caller.', {
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

const generationShape = object(
  'A generation that is another one now.',
  {
    before: orNull(whole('Before the change; null: it was not there.')),
    after: orNull(whole('After it; null: it is gone.')),
  },
  { provider: text('The uuid of the provider.'), consumer: text('The uuid of the consumer.') },
)

const auditEntryShape = object('A change and its caller.', {
  at: text('When.'),
  request_id: text('The id of the request, as the log and the client have it.'),
  user: text('The id of the user, or of the static token.'),
  user_name: orNull(text('What the user is called now; null where the server cannot know.')),
  project: orNull(text('The project of the token.')),
  project_name: orNull(text('What the project is called now; null where the server cannot know.')),
  roles: list(text('A role.'), 'The roles that the caller had.'),
  service: text('The service that was asked.'),
  operation: orNull(text('The policy operation that allowed it; null if none was checked.')),
  method: text('The method of the request.'),
  path: text('Its path, without the query.'),
  command: text('What was done.'),
  revision: whole(
    'The revision that the change made: `/v1/changes` has it in full for as long as changes are kept.',
  ),
  rows: whole('How many rows it touched.'),
  generations: list(
    generationShape,
    `Generations of providers and consumers; of one change the first ${AUDIT_GENERATIONS_MAX}.`,
  ),
})

export const auditPageShape = object('A part of the log.', {
  entries: list(auditEntryShape, 'The newest first.'),
  next: orNull(text('For `before`, to read on; null: there are no older ones.')),
})

const row = orNull(anyObject('The row: a value by each column.'))

export const verifyReportShape = object('What was found.', {
  store: text('What was looked at: the data directory, or the address of the database without its password.'),
  revision: whole('The revision that was compared.'),
  rows: whole('How many rows were compared.'),
  differences_total: whole('How many rows differ.'),
  differences: list(
    object('A row that differs.', {
      table: text('Its table.'),
      key: text('Its key.'),
      stored: row,
      memory: row,
    }),
    'The first of them.',
  ),
  problems_total: number('How many problems the stored state and history have.'),
  problems: list(
    object('A problem.', { kind: text('Its kind.'), what: text('What it is.') }),
    'The first of them.',
  ),
})

/** A static token, without the token itself. */
export type StaticToken = TypeOf<typeof staticTokenShape>
export type Whoami = TypeOf<typeof whoamiShape>
export type AuditEntry = TypeOf<typeof auditEntryShape>
export type AuditPage = TypeOf<typeof auditPageShape>
