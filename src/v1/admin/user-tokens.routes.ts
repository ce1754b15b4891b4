import type { TokenFacts, Tokens } from '../../identity/builtin/tokens.ts'
import type { Store } from '../../store/store.ts'
import { type PlainRow, plainTableByName } from '../../store/tables/plain-tables.ts'
import {
  revokedTokenShape,
  revokedUserShape,
  USER_TOKENS_MAX,
  type UserToken,
  userTokensShape,
} from '../../wire/accounts.ts'
import { object, text, whole } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { readMatchingRows } from '../api/matching-rows.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route, v1Write } from '../api/route.ts'
import { findAskedUser } from './asked-user.ts'

const LIMIT_DEFAULT = 100
/** What one request looks at: revoked tokens are stored until they expire. */
const READ_MAX = 20_000
const { keepMsMax } = plainTableByName.tokens

type TokenRow = PlainRow<'tokens'>

interface UserTokenContext {
  readonly world: World
  readonly store: () => Store
  readonly nowMs: () => number
  /** Null if another service issues tokens. */
  readonly tokens: () => Pick<Tokens, 'findMeaning'> | null
}

const operation = 'berth:tokens:users'
const none = { 404: 'This server issues no tokens, or there is no such user or token.' }

/** The tokens of users that are valid now. */
export function userTokenRoutes(context: UserTokenContext): V1Route[] {
  return [listRoute(context), revokeRoute(context), revokeAllRoute(context)]
}

function requireTokens({ tokens }: UserTokenContext) {
  const found = tokens()
  if (found === null)
    throw new Problem(404, 'identity.none-here', 'This server issues no tokens: auth is not token.')
  return found
}

function listRoute(context: UserTokenContext): V1Route {
  return v1Route({
    method: 'GET',
    path: '/user-tokens',
    operation,
    summary: 'List the tokens of users that are valid now',
    description:
      'For whom each was issued, and until when. The server does not know the tokens themselves, only hashes. A request looks ' +
      `at ${READ_MAX} stored tokens at most, so that an answer may have fewer than \`limit\` and still a \`next\`.`,
    query: object(
      'Which.',
      {},
      {
        user: text('Only of this user, by id or name.'),
        after: text('Only those after this: `next` of an earlier answer.'),
        limit: whole(`How many at most; default: ${LIMIT_DEFAULT}.`, {
          minimum: 1,
          maximum: USER_TOKENS_MAX,
        }),
      },
    ),
    answer: { description: 'The tokens.', shape: userTokensShape },
    problems: none,
    async handle({ query: { user, after, limit = LIMIT_DEFAULT } }) {
      const tokens = requireTokens(context)
      const wanted = user === undefined ? null : findAskedUser(context.world, user).uuid
      const start = after === undefined ? null : parseId(after)
      let isPast = start === null
      const isAfter = (row: TokenRow) => {
        isPast ||= row.expires_at < (start?.expiresAt ?? 0)
        const is = isPast
        isPast ||= auditIdOf(row) === start?.auditId
        return is
      }
      const { rows, last } = await readMatchingRows(
        context.store(),
        'tokens',
        {
          after: start === null ? null : placeBefore(start.expiresAt),
          sinceMs: 0,
          limit,
          readMax: READ_MAX,
          matches: row =>
            isAfter(row) && (wanted === null || row.user === wanted) && tokens.findMeaning(row) !== null,
        },
        context.nowMs(),
      )
      return {
        tokens: rows.flatMap(row => tokenBody(tokens.findMeaning(row))),
        next: last === null ? null : idOf(last),
      }
    },
  })
}

const auditIdOf = ({ audit_ids }: TokenRow): string => audit_ids.split(' ', 1)[0] as string
const idOf = (row: TokenRow): string => `${row.expires_at}-${auditIdOf(row)}`

/** Before every hash of this time. */
const placeBefore = (expiresAt: number) => [expiresAt - keepMsMax, '~']

function parseId(given: string) {
  const [, expiresAt, auditId] = /^(\d{1,15})-([\w-]{1,64})$/.exec(given) ?? []
  if (expiresAt === undefined || auditId === undefined)
    throw new Problem(400, 'identity.bad-token-id', `${given} is not the id of a token in this list.`, {
      id: given,
    })
  return { expiresAt: Number(expiresAt), auditId }
}

function tokenBody(facts: TokenFacts | null): UserToken[] {
  if (facts === null) return []
  const { row, user, project, roles, credential } = facts
  return [
    {
      id: idOf(row),
      user: user.uuid,
      user_name: user.name,
      project: project?.uuid ?? null,
      project_name: project?.name ?? null,
      roles: roles.map(({ name }) => name),
      methods: row.methods.split(' '),
      application_credential: credential?.name ?? null,
      issued_at: new Date(row.issued_at).toISOString(),
      expires_at: new Date(row.expires_at).toISOString(),
    },
  ]
}

function revokeRoute(context: UserTokenContext): V1Route {
  return v1Write({
    method: 'DELETE',
    path: '/user-tokens/{user_token}',
    operation,
    summary: 'Revoke a token of a user',
    description:
      'It is invalid at once, at every server of the store, and so are tokens that were issued for it.',
    params: { user_token: 'The id of the token, as the list has it.' },
    answer: { description: 'It is revoked.', shape: revokedTokenShape },
    problems: none,
    async write({ params, once }) {
      requireTokens(context)
      const id = params.user_token as string
      const { expiresAt, auditId } = parseId(id)
      const { rows } = await readMatchingRows(
        context.store(),
        'tokens',
        {
          after: placeBefore(expiresAt),
          sinceMs: expiresAt - keepMsMax,
          limit: 1,
          readMax: READ_MAX,
          matches: row => auditIdOf(row) === auditId,
        },
        context.nowMs(),
      )
      if (rows.length === 0)
        throw new Problem(404, 'identity.token-missing', `There is no token ${id}, or it has expired.`, {
          id,
        })
      return once.submit({ kind: 'identity:revoke-token', auditId, expiresAt }, () => ({
        status: 200,
        body: { id },
      }))
    },
  })
}

function revokeAllRoute(context: UserTokenContext): V1Route {
  return v1Write({
    method: 'POST',
    path: '/user-tokens/revoke',
    operation,
    summary: 'Revoke all tokens of a user',
    description:
      'Those that are valid now, at once, at every server of the store. The user can sign in again; disable the user to ' +
      'prevent that. Static tokens are not of users and stay.',
    body: object('Whose.', { user: text('The user, by id or name.', { minLength: 1, maxLength: 255 }) }),
    answer: { description: 'They are revoked.', shape: revokedUserShape },
    problems: none,
    async write({ body, once }) {
      requireTokens(context)
      const { uuid } = findAskedUser(context.world, body.user)
      return once.submit({ kind: 'identity:revoke-user-tokens', user: uuid }, outcome =>
        outcome.ok
          ? {
              status: 200,
              body: {
                user: outcome.answer.uuid,
                user_name: outcome.answer.name,
                issued_until: new Date(outcome.answer.tokens_since).toISOString(),
              },
            }
          : new Problem(404, 'identity.identity-missing', `user: there is no user ${body.user}.`, {
              user: body.user,
            }),
      )
    },
  })
}
