import type { Command } from 'commander'
import type { Placement } from '../../../client/placement.ts'
import type { Inventories, Provider } from '../../../wire/openstack-placement.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { inventoryTable } from '../../render/inventories.ts'
import type { Describe } from '../describe-command.ts'
import { withFreshGeneration } from './generation-retry.ts'
import { amended, type InventorySpec, parseInventorySpecs, replaced } from './inventory-specs.ts'
import { findProvider, PROVIDER_ARGUMENT } from './providers-by-name.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Inventories: how much of each resource class a provider has.')
  describeList(group.command('list').summary('list the inventories of a provider'), around, end)
  describeSet(group.command('set').summary('replace or amend them'), around, end)
  describeDelete(group.command('delete').summary('delete one of them, or all'), around, end)
}

const SHAPE =
  '{"provider": {"uuid", "name"}, "generation", "inventories": {CLASS: {"total", "reserved", "min_unit",\n' +
  '"max_unit", "step_size", "allocation_ratio"}}, "usages": {CLASS: number}}'

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists the inventories of a provider, with what is used and what is free.',
    json: `An object: ${SHAPE}.`,
    examples: ['berth inventory list compute-1', 'berth inventory list compute-1 --json'],
  }).argument('<provider>', PROVIDER_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const placement = await session.placement()
    const provider = await findProvider(placement, text)
    await printInventories(session, placement, provider, await placement.inventories(provider.uuid))
  })
}

async function printInventories(
  session: Session,
  placement: Placement,
  { uuid, name }: Provider,
  { resource_provider_generation: generation, inventories }: Inventories,
): Promise<void> {
  const usages = await placement.usages(uuid)
  session.print({ provider: { uuid, name }, generation, inventories, usages }, look =>
    inventoryTable(inventories, usages, look),
  )
  if (Object.keys(inventories).length === 0) session.remark(`${name} has no inventory`)
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Replaces all inventories of a provider by those given; with --amend, changes those given and leaves ' +
      'the others, and within one what is not mentioned. If someone else changes the provider meanwhile, ' +
      'the command reads it again and retries, three times at most.',
    json: `An object: ${SHAPE}.`,
    examples: [
      'berth inventory set compute-1 VCPU=64,allocation_ratio=16 MEMORY_MB=262144,reserved=4096 DISK_GB=2000',
      'berth inventory set compute-1 --amend VCPU=128',
      'berth inventory set compute-1 --amend MEMORY_MB=reserved=8192',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<provider>', PROVIDER_ARGUMENT)
    .argument(
      '<inventory...>',
      'CLASS=TOTAL, and after commas any of reserved=N, allocation_ratio=N, min_unit=N, max_unit=N, step_size=N.',
    )
    .option('--amend', 'Change only what is given.')
  whenRun(command, around, end, async (session, options: { amend?: true }, text: string, words: string[]) => {
    const specs = parseInventorySpecs(words)
    const placement = await session.placement()
    const provider = await findProvider(placement, text)
    const set = await withFreshGeneration(session, provider.name, () =>
      write(placement, provider, specs, options.amend === true),
    )
    await printInventories(session, placement, provider, set)
  })
}

async function write(
  placement: Placement,
  { uuid }: Provider,
  specs: ReadonlyMap<string, InventorySpec>,
  amend: boolean,
): Promise<Inventories> {
  const { inventories, resource_provider_generation: generation } = await placement.inventories(uuid)
  return placement.setInventories(uuid, generation, amend ? amended(inventories, specs) : replaced(specs))
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes the inventory of one class, or of all classes. An inventory in use is not deleted.',
    examples: ['berth inventory delete compute-1 DISK_GB', 'berth inventory delete compute-1'],
    exits: [exitCodes.conflict],
  })
    .argument('<provider>', PROVIDER_ARGUMENT)
    .argument('[class]', 'The resource class; without it, all of them.')
  whenRun(command, around, end, async (session, _options, text: string, resourceClass?: string) => {
    const placement = await session.placement()
    const { uuid, name } = await findProvider(placement, text)
    if (resourceClass === undefined) await placement.deleteInventories(uuid)
    else await placement.deleteInventory(uuid, resourceClass)
    session.around.stdout.write(`deleted ${resourceClass ?? 'all inventories'} of ${name}\n`)
  })
}
