import type { Command } from 'commander'
import type { UserCredential } from '../../../wire/accounts.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import type { Column } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'

export const describe: Describe = (group, around, end) => {
  group.description(
    'Application credentials: programs sign in with them instead of the password of their user. Users create their own, with berth clouds-yaml --credential or openstack application credential create.',
  )
  describeList(group.command('list').summary('list application credentials'), around, end)
  describeRevoke(group.command('revoke').summary('delete an application credential'), around, end)
}

interface Options {
  readonly user?: string
}

const USER_OPTION = 'Only those of this user, by name or id.'

export const credentialColumns: readonly Column[] = [
  ...['name', 'user', 'project', 'roles'],
  ...['restricted', 'created', 'expires', 'id'],
]

export const credentialRow = (one: UserCredential): string[] => [
  ...[one.name, one.user_name, one.project_name, one.roles.join(',')],
  one.unrestricted ? 'no' : 'yes',
  one.created_at.slice(0, 19),
  one.expires_at?.slice(0, 19) ?? 'never',
  one.id,
]

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists application credentials of all users, or of one.',
    json: 'An array of application credentials, each as GET /v1/user-credentials returns it.',
    examples: ['berth credential list', 'berth credential list --user ray'],
  }).option('--user <user>', USER_OPTION)
  whenRun(command, around, end, async (session, { user }: Options) => {
    session.printList(
      await session.accounts.userCredentials(user ?? null),
      credentialColumns,
      credentialRow,
      'no application credential',
    )
  })
}

function describeRevoke(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Deletes an application credential. Tokens that were issued for it end at once. Credentials and static tokens that were created with it stay.',
    examples: ['berth credential revoke ci --user ray'],
  })
    .argument('<credential>', 'The name or the id of the application credential.')
    .option('--user <user>', USER_OPTION)
  whenRun(command, around, end, async (session, { user }: Options, text: string) => {
    const { id, name, user: owner, user_name } = await findCredential(session, text, user ?? null)
    await (await session.identity()).deleteCredential(owner, id)
    session.around.stdout.write(`revoked ${name} of ${user_name} (${id})\n`)
  })
}

/** Users have credentials of the same name: then it must be said whose. */
async function findCredential(session: Session, text: string, user: string | null): Promise<UserCredential> {
  const all = await session.accounts.userCredentials(user)
  const byId = all.find(({ id }) => id === text)
  if (byId !== undefined) return byId
  const named = all.filter(({ name }) => name === text)
  const [first] = named
  if (first === undefined) throw new Stopped(`there is no application credential ${text}`, exitCodes.missing)
  if (named.length > 1) {
    const users = named.map(({ user_name }) => user_name).join(', ')
    throw makeUsageError(
      `${named.length} users have an application credential ${text}: give --user, one of ${users}`,
    )
  }
  return first
}
