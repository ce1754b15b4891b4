import type { Command } from 'commander'
import type { IdentityApi } from '../../../client/identity.ts'
import { generateSecret } from '../../../identity/secret.ts'
import type { Project, User } from '../../../wire/openstack-identity.ts'
import { inputText } from '../../args/input-text.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { byName, facts } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { findProject } from './project.ts'
import { printUserRoles } from './user-roles.ts'
import { describeUserShow } from './user-show.ts'

export const describe: Describe = (group, around, end) => {
  group.description('The users of this server: people and programs that sign in at /identity.')
  describeList(group.command('list').summary('list users'), around, end)
  describeUserShow(
    group.command('show').summary('show a user with roles, tokens and application credentials'),
    around,
    end,
  )
  describeCreate(group.command('create').summary('create a user'), around, end)
  describeSet(group.command('set').summary('change a user or its password'), around, end)
  describeDelete(group.command('delete').summary('delete a user'), around, end)
}

const SHAPE = 'as the identity API returns it'
const USER_ARGUMENT = 'The name or the id of the user.'

export async function findUser(identity: IdentityApi, text: string): Promise<User> {
  const users = await identity.users()
  const found = users.find(one => one.name === text) ?? users.find(one => one.id === text)
  if (found === undefined) throw new Stopped(`there is no user ${text}`, exitCodes.missing)
  return found
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lists users. With --roles, also the roles of each in every project, and how many tokens and application credentials each has.',
    json: `An array of users, each ${SHAPE}; with --roles an array of {"user", "roles", "tokens", "credentials"}.`,
    examples: ['berth user list', 'berth user list --roles'],
  }).option('--roles', 'With roles, and how many tokens and credentials each has.')
  whenRun(command, around, end, async (session, { roles }: { roles?: true }) => {
    if (roles === true) return printUserRoles(session)
    const identity = await session.identity()
    const [users, projects] = [(await identity.users()).toSorted(byName), await identity.projects()]
    session.printList(
      users,
      ['id', 'name', 'enabled', 'default project'],
      user => [user.id, user.name, user.enabled ? 'yes' : 'no', projectName(user, projects)],
      'no user',
    )
  })
}

function projectName({ default_project_id: id }: User, projects: readonly Project[]): string {
  return id === undefined ? '-' : (projects.find(one => one.id === id)?.name ?? id)
}

interface UserOptions {
  readonly name?: string
  readonly project?: string
  readonly role?: string
  readonly passwordFile?: string
  readonly newPassword?: true
  readonly description?: string
  readonly email?: string
  readonly enable?: true
  readonly disable?: true
}

/** The password from a file or standard input; otherwise generates one and shows it once. */
async function passwordOf(
  options: UserOptions,
  around: ProcessEnvironment,
): Promise<{ password: string; isNew: boolean }> {
  if (options.passwordFile === undefined) return { password: generateSecret(), isNew: true }
  const text = await inputText(around, options.passwordFile)
  const password = text.replace(/\r?\n$/, '')
  if (password === '') throw makeUsageError('the password is empty')
  return { password, isNew: false }
}

async function fieldsOf(identity: IdentityApi, options: UserOptions): Promise<Record<string, unknown>> {
  const { project, description, email, enable, disable } = options
  if (enable === true && disable === true) throw makeUsageError('--enable and --disable exclude each other')
  return {
    ...(project === undefined ? {} : { default_project_id: (await findProject(identity, project)).id }),
    ...(description === undefined ? {} : { description }),
    ...(email === undefined ? {} : { email }),
    ...(enable === true || disable === true ? { enabled: enable === true } : {}),
  }
}

const PASSWORD_FILE = 'A file that holds the password; - is standard input.'

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Creates a user. Without a password file, it generates a password and prints it once. With --project and --role the user gets the role in the project, which becomes the default project.',
    json: `The user, ${SHAPE}, with "password" if one was generated.`,
    examples: [
      'berth user create ray --project lab --role member',
      'berth user create ray --password-file - < password.txt',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<name>', 'The name of the user.')
    .option('--project <project>', 'The project to work in, by name or id.')
    .option('--role <role>', 'A role in that project.')
    .option('--password-file <file>', PASSWORD_FILE)
    .option('--email <address>', 'An e-mail address.')
    .option('--description <text>', 'A description.')
  whenRun(command, around, end, async (session, options: UserOptions, name: string) => {
    if (options.role !== undefined && options.project === undefined)
      throw makeUsageError('--role needs --project: a role belongs to a project')
    const { password, isNew } = await passwordOf(options, around)
    const identity = await session.identity()
    const fields = await fieldsOf(identity, options)
    const role = options.role === undefined ? null : await findRole(identity, options.role)
    const user = await identity.createUser({ name, password, ...fields })
    if (role !== null) await identity.grant('PUT', user.id, fields.default_project_id as string, role.id)
    printUser(session, user, isNew ? password : null)
  })
}

export async function findRole(identity: IdentityApi, text: string) {
  const roles = await identity.roles()
  const found = roles.find(one => one.name === text.toLowerCase()) ?? roles.find(one => one.id === text)
  if (found === undefined)
    throw new Stopped(
      `there is no role ${text}; there is ${roles.map(({ name }) => name).join(', ')}`,
      exitCodes.missing,
    )
  return found
}

function printUser(session: Session, user: User, password: string | null): void {
  const pairs: [string, string][] = [
    ['id', user.id],
    ['name', user.name],
    ['enabled', user.enabled ? 'yes' : 'no'],
    ...(password === null ? [] : [['password', `${password} (not shown again)`] as [string, string]]),
  ]
  session.print({ ...user, ...(password === null ? {} : { password }) }, look => facts(pairs, look))
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Changes a user. A new password, or --disable, ends all tokens of the user.',
    json: `The user, ${SHAPE}, with "password" if one was generated.`,
    examples: ['berth user set ray --disable', 'berth user set ray --new-password'],
    exits: [exitCodes.conflict],
  })
    .argument('<user>', USER_ARGUMENT)
    .option('--name <name>', 'Another name.')
    .option('--project <project>', 'The default project.')
    .option('--password-file <file>', PASSWORD_FILE)
    .option('--new-password', 'Generate a password and print it once.')
    .option('--email <address>', 'An e-mail address.')
    .option('--description <text>', 'A description.')
    .option('--enable', 'Enable the user again.')
    .option('--disable', 'Disable the user.')
  whenRun(command, around, end, async (session, options: UserOptions, text: string) => {
    if (Object.keys(options).every(name => CONNECTION.has(name))) throw makeUsageError('nothing to set')
    if (options.newPassword === true && options.passwordFile !== undefined)
      throw makeUsageError('--new-password and --password-file exclude each other')
    const hasPassword = options.newPassword === true || options.passwordFile !== undefined
    const { password, isNew } = hasPassword
      ? await passwordOf(options, around)
      : { password: null, isNew: false }
    const identity = await session.identity()
    const { id } = await findUser(identity, text)
    const user = await identity.updateUser(id, {
      ...(await fieldsOf(identity, options)),
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(password === null ? {} : { password }),
    })
    printUser(session, user, isNew ? password : null)
  })
}

const CONNECTION: ReadonlySet<string> = new Set(['url', 'server', 'token', 'tokenFile', 'json'])

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a user, with its roles and application credentials. Its tokens end.',
    examples: ['berth user delete ray'],
  }).argument('<user>', USER_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const identity = await session.identity()
    const { id, name } = await findUser(identity, text)
    await identity.deleteUser(id)
    session.around.stdout.write(`deleted ${name} (${id})\n`)
  })
}
