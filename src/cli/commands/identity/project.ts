import type { Command } from 'commander'
import type { IdentityApi } from '../../../client/identity.ts'
import type { Project } from '../../../wire/openstack-identity.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { byName, facts, flexible, right } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { describeProjectShow, usageText } from './project-show.ts'

export const describe: Describe = (group, around, end) => {
  group.description('The projects of this server, in which users have roles.')
  describeList(group.command('list').summary('list projects'), around, end)
  describeProjectShow(
    group.command('show').summary('show a project with members, usage and servers'),
    around,
    end,
  )
  describeCreate(group.command('create').summary('create a project'), around, end)
  describeSet(group.command('set').summary('change a project'), around, end)
  describeDelete(group.command('delete').summary('delete a project'), around, end)
}

const SHAPE = 'as the identity API returns it'
const PROJECT_ARGUMENT = 'The name or the id of the project.'

export async function findProject(identity: IdentityApi, text: string): Promise<Project> {
  const projects = await identity.projects()
  const found = projects.find(one => one.name === text) ?? projects.find(one => one.id === text)
  if (found === undefined) throw new Stopped(`there is no project ${text}`, exitCodes.missing)
  return found
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lists projects. With --usage, also those that only have something here: where a Keystone keeps projects, only such are known, by id.',
    json: `An array of projects, each ${SHAPE}; with --usage as GET /v1/projects returns it.`,
    examples: ['berth project list', 'berth project list --usage'],
  }).option('--usage', 'With what each uses, and its limits.')
  whenRun(command, around, end, async (session, { usage }: { usage?: true }) => {
    if (usage === true) return printUsage(session)
    const projects = (await (await session.identity()).projects()).toSorted(byName)
    session.printList(
      projects,
      ['id', 'name', 'enabled', flexible('description')],
      one => [one.id, one.name, one.enabled ? 'yes' : 'no', one.description || '-'],
      'no project',
    )
  })
}

async function printUsage(session: Session): Promise<void> {
  session.printList(
    await session.accounts.projects(),
    ['name', ...USAGE_SHOWN.map(title => right(title.replaceAll('_', ' '))), 'id'],
    one => [
      one.name ?? '-',
      ...USAGE_SHOWN.map(resource =>
        usageText([...one.compute, ...one.shares].find(quota => quota.resource === resource)),
      ),
      one.id,
    ],
    'no project',
  )
}

const USAGE_SHOWN = ['instances', 'cores', 'ram', 'disk', 'shares', 'gigabytes']

function printProject(session: Session, project: Project): void {
  const pairs: [string, string][] = [
    ['id', project.id],
    ['name', project.name],
    ['enabled', project.enabled ? 'yes' : 'no'],
    ['description', project.description || '-'],
  ]
  session.print(project, look => facts(pairs, look))
}

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Creates a project.',
    json: `The project, ${SHAPE}.`,
    examples: ["berth project create lab --description 'Where we try things'"],
    exits: [exitCodes.conflict],
  })
    .argument('<name>', 'The name of the project.')
    .option('--description <text>', 'What it is for.')
  whenRun(command, around, end, async (session, { description }: { description?: string }, name: string) => {
    const fields = { name, ...(description === undefined ? {} : { description }) }
    printProject(session, await (await session.identity()).createProject(fields))
  })
}

interface SetOptions {
  readonly name?: string
  readonly description?: string
  readonly enable?: true
  readonly disable?: true
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Changes a project. A disabled project cannot be used.',
    json: `The project, ${SHAPE}.`,
    examples: ['berth project set lab --disable'],
    exits: [exitCodes.conflict],
  })
    .argument('<project>', PROJECT_ARGUMENT)
    .option('--name <name>', 'Another name.')
    .option('--description <text>', 'What it is for.')
    .option('--enable', 'Enable it again.')
    .option('--disable', 'Disable it.')
  whenRun(command, around, end, async (session, options: SetOptions, text: string) => {
    const { name, description, enable, disable } = options
    if (enable === true && disable === true) throw makeUsageError('--enable and --disable exclude each other')
    const fields = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(enable === true || disable === true ? { enabled: enable === true } : {}),
    }
    if (Object.keys(fields).length === 0) throw makeUsageError('nothing to set')
    const identity = await session.identity()
    const { id } = await findProject(identity, text)
    printProject(session, await identity.updateProject(id, fields))
  })
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a project with all roles in it. Its objects stay, visible to admins.',
    examples: ['berth project delete lab'],
  }).argument('<project>', PROJECT_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const identity = await session.identity()
    const { id, name } = await findProject(identity, text)
    await identity.deleteProject(id)
    session.around.stdout.write(`deleted ${name} (${id})\n`)
  })
}
