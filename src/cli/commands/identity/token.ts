import { hash } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import { generateSecret } from '../../../identity/secret.ts'
import { ownValue } from '../../../kernel/records.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { byName } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Static tokens, for machines: they belong to no user and need no sign-in.')
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

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists the tokens that are not revoked.',
    json: 'An array of tokens as they are stored.',
    examples: ['berth token list'],
  })
  whenRun(command, around, end, async session => {
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

function describeRevoke(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Revokes a token, at once, at every server of the store.',
    examples: ['berth token revoke grafana'],
  }).argument('<name>', 'The name or the id of the token.')
  whenRun(command, around, end, async (session, _options, text: string) => {
    const { name, id } = await session.berth.revokeToken(text)
    session.around.stdout.write(`revoked ${name} (${id})\n`)
  })
}
