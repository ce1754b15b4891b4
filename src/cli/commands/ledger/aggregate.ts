import type { Command } from 'commander'
import { aggregateUuids } from '../../args/names.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { escapeControls } from '../../render/text-width.ts'
import type { Describe } from '../describe-command.ts'
import { withFreshGeneration } from './generation-retry.ts'
import { findProvider, PROVIDER_ARGUMENT } from './providers-by-name.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Aggregates: groups of providers, identified by uuids.')
  describeList(group.command('list').summary('list the aggregates of a provider'), around, end)
  describeSet(group.command('set').summary('replace the aggregates of a provider'), around, end)
}

const SHAPE = '{"provider": {"uuid", "name"}, "generation", "aggregates": [UUID, ...]}'

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists the aggregates that a provider is in.',
    json: `An object: ${SHAPE}.`,
    examples: ['berth aggregate list compute-1'],
  }).argument('<provider>', PROVIDER_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const placement = await session.placement()
    const provider = await findProvider(placement, text)
    printAggregates(session, provider, await placement.aggregates(provider.uuid))
  })
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Replaces the aggregates of a provider by those given; with none, the provider leaves ' +
      'all of them. If someone else changes the provider meanwhile, the command reads it again and retries, ' +
      'three times at most.',
    json: `An object: ${SHAPE}.`,
    examples: [
      'berth aggregate set compute-1 0f0b7a0e-53ac-4b2b-8a55-5c4f1c0b7f6d',
      'berth aggregate set compute-1',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<provider>', PROVIDER_ARGUMENT)
    .argument(
      '[aggregate...]',
      'Uuids of aggregates, or names of host aggregates. A new uuid creates an aggregate.',
    )
  whenRun(command, around, end, async (session, _options, text: string, aggregates: string[] = []) => {
    const placement = await session.placement()
    const provider = await findProvider(placement, text)
    const uuids = await aggregateUuids(session, aggregates)
    const set = await withFreshGeneration(session, provider.name, async () => {
      const { resource_provider_generation: generation } = await placement.aggregates(provider.uuid)
      return placement.setAggregates(provider.uuid, generation, uuids)
    })
    printAggregates(session, provider, set)
  })
}

function printAggregates(
  session: Session,
  { uuid, name }: { readonly uuid: string; readonly name: string },
  answer: { readonly aggregates: readonly string[]; readonly resource_provider_generation: number },
): void {
  const { aggregates, resource_provider_generation: generation } = answer
  session.print({ provider: { uuid, name }, generation, aggregates }, () =>
    aggregates.map(aggregate => `${escapeControls(aggregate)}\n`).join(''),
  )
  if (aggregates.length === 0) session.remark(`${name} is in no aggregate`)
}
