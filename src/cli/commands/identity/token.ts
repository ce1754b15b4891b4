import { hash } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import { Refused } from '../../../client/failure.ts'
import { generateSecret } from '../../../identity/secret.ts'
import { ownValue } from '../../../kernel/records.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { byName } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'

export const describe: Describe = (group, around, end) => {
  group.description(
    'Static tokens, for machines: they belong to no user and need no sign-in. And the tokens that users got by signing in.',
  )
  describeCreate(group.command('create').summary('create a token, and show it once'), around, end)
  describeList(group.command('list').summary('list tokens'), around, end)
  describeRevoke(group.command('revoke').summary('revoke a token'), around, end)
}

const UNITS_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

interface CreateOptions {
  readonly role?: readonly string[]
  readonly project?: string
  readonly expires?: number
}

function seconds(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('It is not a duration such as 12h or 90d.')
  return Number(count) * (ownValue(UNITS_S, unit) as number)
}

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Creates a token with the given roles and prints it. The command generates the token; only its hash is sent and stored, so it cannot be shown again.',
    json: 'An object: the token as it is stored, and "token", which is the token itself.',
    examples: [
      'berth token create nova --role service',
      'berth token create grafana --role reader --project admin --expires 90d',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<name>', 'A name, to find it again.')
    .option('--role <role>', 'A role of the token; repeat it for more. At least one is needed.', repeatable)
    .option('--project <project>', 'The project that it works in, by id or name. (default: none)')
    .option(
      '--expires <time>',
      'How long it is valid, such as 12h or 90d. (default: until it is revoked)',
      seconds,
    )
  whenRun(command, around, end, async (session, options: CreateOptions, name: string) => {
    if (options.role === undefined) throw makeUsageError('give it a --role, such as service or reader')
    const token = generateSecret()
    const made = await session.berth.createToken({
      name,
      token_sha256: hash('sha256', token, 'hex'),
      roles: options.role,
      ...(options.project === undefined ? {} : { project: options.project }),
      ...(options.expires === undefined ? {} : { expires_in_s: options.expires }),
    })
    session.print({ ...made, token }, () => `${token}\n`)
    session.remark('the token is not shown again')
  })
}

interface ListOptions {
  readonly user?: string
  readonly users?: true
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lists the static tokens that are not revoked. With --user or --users, lists the tokens of users instead: those that signing in gave, and that are valid now.',
    json: 'An array of static tokens as they are stored; with --user or --users of tokens as GET /v1/user-tokens returns them.',
    examples: ['berth token list', 'berth token list --user ray', 'berth token list --users'],
  })
    .option('--user <user>', 'Tokens of this user, by name or id.')
    .option('--users', 'Tokens of all users.')
  whenRun(command, around, end, async (session, { user, users }: ListOptions) => {
    if (user !== undefined || users === true) return printUserTokens(session, user ?? null)
    const tokens = (await session.berth.tokens()).toSorted(byName)
    session.printList(
      tokens,
      ['name', 'roles', 'project', 'created', 'expires', 'id'],
      ({ name, roles, project, created_at, expires_at, id }) => {
        const expires = expires_at?.slice(0, 19) ?? 'never'
        return [name, roles.join(','), project ?? '-', created_at.slice(0, 19), expires, id]
      },
      'no token',
    )
  })
}

async function printUserTokens(session: Session, user: string | null): Promise<void> {
  session.printList(
    await session.accounts.userTokens(user),
    ['user', 'project', 'roles', 'signed in by', 'issued', 'expires', 'id'],
    one => [
      one.user_name,
      one.project_name ?? one.project ?? '-',
      one.roles.join(','),
      one.application_credential ?? one.methods.join(','),
      ...[one.issued_at.slice(0, 19), one.expires_at.slice(0, 19), one.id],
    ],
    'no token is valid',
  )
}

/** The ids of tokens of users, as their list has them. */
const USER_TOKEN_ID = /^\d{1,15}-[\w-]{1,64}$/

function describeRevoke(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Revokes a token, at once, at every server of the store: a static token by name or id, a token of a user by its id, or with --user all tokens of a user. The user can sign in again; disable the user to prevent that.',
    examples: ['berth token revoke grafana', 'berth token revoke --user ray'],
  })
    .argument('[token]', 'The name or the id of a static token, or the id of a token of a user.')
    .option('--user <user>', 'All tokens of this user, by name or id.')
  whenRun(command, around, end, async (session, { user }: { user?: string }, text: string | undefined) => {
    if ((user === undefined) === (text === undefined)) throw makeUsageError('name a token, or give a --user')
    if (user !== undefined) {
      const { user_name, issued_until } = await session.accounts.revokeUserTokens(user)
      const until = issued_until.slice(0, 19)
      session.around.stdout.write(`revoked all tokens of ${user_name} that were issued until ${until}\n`)
    } else session.around.stdout.write(`revoked ${await revokeOne(session, text as string)}\n`)
  })
}

/** A static token may have the id of another kind of token as its name: it comes first. */
async function revokeOne({ berth, accounts }: Session, text: string): Promise<string> {
  try {
    const { name, id } = await berth.revokeToken(text)
    return `${name} (${id})`
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404 || !USER_TOKEN_ID.test(text)) throw error
    return (await accounts.revokeUserToken(text)).id
  }
}
