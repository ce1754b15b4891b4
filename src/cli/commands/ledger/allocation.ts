import type { Command } from 'commander'
import type { Placement } from '../../../client/placement.ts'
import { emptyRecord } from '../../../kernel/records.ts'
import { isUuidLike } from '../../../kernel/uuid.ts'
import type { ByClass, ConsumerAllocations } from '../../../wire/openstack-placement.ts'
import { projectId, userId } from '../../args/names.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { type Column, facts, flexible, right, table } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { parseAllocationSpecs } from './allocation-specs.ts'
import { withFreshGeneration } from './generation-retry.ts'
import { findProvider, namesOf } from './providers-by-name.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Allocations: what a consumer, such as an instance, holds of which provider.')
  describeShow(group.command('show').summary('show what a consumer holds'), around, end)
  describeSet(group.command('set').summary('replace what a consumer holds'), around, end)
  describeDelete(group.command('delete').summary('delete the allocations of a consumer'), around, end)
}

const CONSUMER_ARGUMENT = 'The uuid of the consumer.'

const SHAPE =
  '{"consumer", "generation", "project_id", "user_id", "consumer_type": null or text, "allocations":\n' +
  '[{"provider": {"uuid", "name"}, "resources": {CLASS: number}}]}'

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows the allocations, project and user of a consumer.',
    json: `An object: ${SHAPE}.`,
    examples: ['berth allocation show 7d4c1d7e-26c4-4d5b-9f3f-6f2f0b3f8a11'],
  }).argument('<consumer>', CONSUMER_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    await printAllocations(session, await session.placement(), uuidOf(text))
  })
}

function uuidOf(text: string): string {
  // Exactly as typed: Placement compares consumer uuids as text.
  if (!isUuidLike(text)) throw makeUsageError(`'${text}' is not a uuid: a consumer is named only by its uuid`)
  return text
}

const COLUMNS: readonly Column[] = [flexible('PROVIDER'), 'UUID', 'CLASS', right('AMOUNT')]

async function printAllocations(session: Session, placement: Placement, consumer: string): Promise<void> {
  const answer = await placement.allocations(consumer)
  const held = Object.entries(answer.allocations)
  if (held.length === 0) throw new Stopped(`${consumer} holds nothing`, exitCodes.missing)
  const names = await namesOf(session, new Set(held.map(([uuid]) => uuid)))
  const allocations = held.map(([uuid, { resources }]) => ({
    provider: { uuid, name: names.get(uuid) ?? uuid },
    resources,
  }))
  const shown = {
    consumer,
    generation: answer.consumer_generation ?? null,
    project_id: answer.project_id ?? null,
    user_id: answer.user_id ?? null,
    consumer_type: typeOf(answer),
    allocations,
  }
  session.print(shown, look => {
    const about: [string, string][] = [
      ['consumer', consumer],
      ['type', shown.consumer_type ?? '-'],
      ['project', shown.project_id ?? '-'],
      ['user', shown.user_id ?? '-'],
      ['generation', String(shown.generation ?? '-')],
    ]
    const rows = allocations.flatMap(({ provider, resources }) =>
      Object.entries(resources).map(([name, amount]) => [provider.name, provider.uuid, name, String(amount)]),
    )
    return `${facts(about, look)}\n${table(COLUMNS, rows, look)}`
  })
}

/** `unknown` is how Placement says that a consumer has no type. */
const typeOf = ({ consumer_type: type }: ConsumerAllocations): string | null =>
  type === undefined || type === 'unknown' ? null : type

interface SetOptions {
  readonly project?: string
  readonly user?: string
  readonly type?: string
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Replaces what a consumer holds, all at once. A consumer that holds something already keeps its ' +
      'project, user and type where they are not given. If someone else changes the consumer meanwhile, ' +
      'the command reads it again and retries, three times at most.',
    json: `An object: ${SHAPE}.`,
    examples: [
      'berth allocation set 7d4c1d7e-26c4-4d5b-9f3f-6f2f0b3f8a11 compute-1:VCPU=2,MEMORY_MB=4096 nfs:DISK_GB=20 \\',
      '  --project 1f0c --user 8a2d --type INSTANCE',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<consumer>', CONSUMER_ARGUMENT)
    .argument('<allocation...>', 'PROVIDER:CLASS=AMOUNT, with more CLASS=AMOUNT after commas.')
    .option('--project <project>', 'The project that it belongs to, by id or name.')
    .option('--user <user>', 'The user that it belongs to, by id or name.')
    .option('--type <name>', 'The type of the consumer, such as INSTANCE.')
  whenRun(command, around, end, async (session, options: SetOptions, text: string, words: string[]) => {
    const consumer = uuidOf(text)
    const specs = parseAllocationSpecs(words)
    const placement = await session.placement()
    const allocations: Record<string, { resources: ByClass<number> }> = emptyRecord()
    for (const [name, resources] of specs) {
      const { uuid } = await findProvider(placement, name)
      if (allocations[uuid] !== undefined)
        throw makeUsageError(`${name} is given twice, once by another name`)
      allocations[uuid] = { resources }
    }
    const owner = await idsOf(session, options)
    await withFreshGeneration(session, `consumer ${consumer}`, async () => {
      const current = await placement.allocations(consumer)
      await placement.setAllocations(consumer, { allocations, ...ownerOf(current, owner) })
    })
    await printAllocations(session, placement, consumer)
  })
}

async function idsOf(session: Session, { project, user, type }: SetOptions): Promise<SetOptions> {
  return {
    ...(project === undefined ? {} : { project: await projectId(session, project) }),
    ...(user === undefined ? {} : { user: await userId(session, user) }),
    ...(type === undefined ? {} : { type }),
  }
}

function ownerOf(current: ConsumerAllocations, { project, user, type }: SetOptions) {
  const projectId = project ?? current.project_id
  const userId = user ?? current.user_id
  if (projectId === undefined || userId === undefined)
    throw makeUsageError('a consumer that holds nothing yet needs both --project and --user')
  const consumerType = type ?? typeOf(current)
  return {
    project_id: projectId,
    user_id: userId,
    consumer_generation: current.consumer_generation ?? null,
    ...(consumerType === null ? {} : { consumer_type: consumerType }),
  }
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes all allocations of a consumer.',
    examples: ['berth allocation delete 7d4c1d7e-26c4-4d5b-9f3f-6f2f0b3f8a11'],
  }).argument('<consumer>', CONSUMER_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const consumer = uuidOf(text)
    await (await session.placement()).deleteAllocations(consumer)
    session.around.stdout.write(`deleted the allocations of ${consumer}\n`)
  })
}
