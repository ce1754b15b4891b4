import type { Command } from 'commander'
import type { ByClass } from '../../../wire/openstack-placement.ts'
import { projectId, userId } from '../../args/names.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { capacityOf } from '../../render/inventories.ts'
import { type Column, flexible, type Look, right, table } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { findProvider } from './providers-by-name.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Usages: how much is allocated.')
  describeShow(group.command('show').summary('of a provider, or by a project'), around, end)
}

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows how much of a provider is used, or how much a project, or one user of it, uses.',
    json:
      'Of a provider: {"provider": {"uuid", "name"}, "usages": {CLASS: {"used", "capacity"}}}.\n' +
      'Of a project: {"project_id", "user_id": null or id, "usages": {TYPE: {"consumer_count", CLASS: used}}}.',
    examples: ['berth usage show compute-1', 'berth usage show --project 1f0c --user 8a2d'],
  })
    .argument('[provider]', 'The provider, by uuid or name.')
    .option('--project <project>', 'What this project, by id or name, uses by type of consumer.')
    .option('--user <user>', 'Only what this user, by id or name, uses.')
  whenRun(command, around, end, async (session, options: ShowOptions, text: string | undefined) => {
    if ((text === undefined) === (options.project === undefined))
      throw makeUsageError('name a provider, or a project with --project')
    if (options.user !== undefined && options.project === undefined)
      throw makeUsageError('--user needs --project')
    if (text !== undefined) await ofProvider(session, text)
    else await ofProject(session, await projectId(session, options.project as string), options.user)
  })
}

interface ShowOptions {
  readonly project?: string
  readonly user?: string
}

const PROVIDER_COLUMNS: readonly Column[] = [
  flexible('CLASS'),
  right('USED'),
  right('CAPACITY'),
  right('FREE'),
  right('USED %'),
]

async function ofProvider(session: Session, text: string): Promise<void> {
  const placement = await session.placement()
  const { uuid, name } = await findProvider(placement, text)
  const [{ inventories }, used] = await Promise.all([placement.inventories(uuid), placement.usages(uuid)])
  const usages = Object.fromEntries(
    Object.entries(inventories).map(([resourceClass, inventory]) => [
      resourceClass,
      { used: used[resourceClass] ?? 0, capacity: capacityOf(inventory) },
    ]),
  )
  session.print({ provider: { uuid, name }, usages }, look =>
    table(
      PROVIDER_COLUMNS,
      Object.entries(usages).map(([resourceClass, { used, capacity }]) => [
        resourceClass,
        String(used),
        String(capacity),
        String(capacity - used),
        capacity > 0 ? ((used * 100) / capacity).toFixed(1) : '-',
      ]),
      look,
    ),
  )
  if (Object.keys(usages).length === 0) session.remark(`${name} has no inventory`)
}

const PROJECT_COLUMNS: readonly Column[] = ['TYPE', right('CONSUMERS'), flexible('CLASS'), right('USED')]

async function ofProject(session: Session, project: string, userName: string | undefined): Promise<void> {
  const user = userName === undefined ? null : await userId(session, userName)
  const usages = await (await session.placement()).projectUsages(project, user)
  session.print({ project_id: project, user_id: user, usages }, look => projectTable(usages, look))
  if (Object.keys(usages).length === 0) session.remark(`project ${project} uses nothing`)
}

function projectTable(usages: Readonly<Record<string, ByClass<number>>>, look: Look): string {
  const rows = Object.entries(usages).flatMap(([type, { consumer_count: count, ...used }]) =>
    Object.entries(used).map(([name, amount], at) => [
      at === 0 ? type : '',
      at === 0 ? String(count) : '',
      name,
      String(amount),
    ]),
  )
  return table(PROJECT_COLUMNS, rows, look)
}
