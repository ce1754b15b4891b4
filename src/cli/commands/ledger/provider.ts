import type { Command } from 'commander'
import type { Provider } from '../../../wire/openstack-placement.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { inventoryTable } from '../../render/inventories.ts'
import { facts } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { describeProviderList } from './provider-list.ts'
import { describeProviderTree } from './provider-tree.ts'
import { findProvider, PROVIDER_ARGUMENT } from './providers-by-name.ts'
import { wholeProvider } from './whole-providers.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Resource providers: hosts, their parts, and anything else that has resources.')
  describeProviderList(group.command('list').summary('list providers'), around, end)
  describeShow(group.command('show').summary('show one provider in detail'), around, end)
  describeProviderTree(group.command('tree').summary('draw trees of providers'), around, end)
  describeCreate(group.command('create').summary('create a provider'), around, end)
  describeSet(group.command('set').summary('rename a provider, or move it'), around, end)
  describeDelete(group.command('delete').summary('delete a provider'), around, end)
}

const PROVIDER_SHAPE =
  '{"uuid", "name", "generation", "parent_provider_uuid": null or uuid, "root_provider_uuid"}'

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows a provider with its inventories, usages, traits and aggregates.',
    json:
      'An object, as a line of GET /v1/fleet: {"uuid", "name", "generation", "parent_provider_uuid",\n' +
      '"root_provider_uuid", "inventories", "usages", "traits", "aggregates"}.',
    examples: ['berth provider show compute-1', 'berth provider show compute-1 --json | jq .inventories'],
  }).argument('<provider>', PROVIDER_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const placement = await session.placement()
    const shown = await wholeProvider(placement, await findProvider(placement, text))
    session.print(shown, look => {
      const joinNames = (items: readonly string[]) => (items.length === 0 ? '-' : items.join(', '))
      const about = facts(
        [
          ...providerFacts(shown),
          ['traits', joinNames(shown.traits)],
          ['aggregates', joinNames(shown.aggregates)],
        ],
        look,
      )
      const inventories = inventoryTable(shown.inventories, shown.usages, look)
      return inventories === '' ? about : `${about}\n${inventories}`
    })
  })
}

const providerFacts = (provider: Provider): [string, string][] => [
  ['name', provider.name],
  ['uuid', provider.uuid],
  ['generation', String(provider.generation)],
  ['parent', provider.parent_provider_uuid ?? '-'],
  ['root', provider.root_provider_uuid],
]

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Creates a provider, as a root or below another.',
    json: `The provider: ${PROVIDER_SHAPE}.`,
    examples: [
      'berth provider create compute-1',
      'berth provider create compute-1-numa0 --parent compute-1',
      'berth provider create nfs --uuid 5d0ef1e4-8f0c-4a4f-9d6c-3c8b8a3f7e01',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<name>', 'Its name.')
    .option('--uuid <uuid>', 'Its uuid. (default: a new one)')
    .option('--parent <provider>', 'Put it below this provider.')
  whenRun(command, around, end, async (session, options: CreateOptions, name: string) => {
    const placement = await session.placement()
    const parent = options.parent === undefined ? null : await findProvider(placement, options.parent)
    const made = await placement.createProvider({
      name,
      ...(options.uuid === undefined ? {} : { uuid: options.uuid }),
      ...(parent === null ? {} : { parent_provider_uuid: parent.uuid }),
    })
    session.print(made, look => facts(providerFacts(made), look))
  })
}

interface CreateOptions {
  readonly uuid?: string
  readonly parent?: string
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Renames a provider, or moves it with its subtree.',
    json: `The provider: ${PROVIDER_SHAPE}.`,
    examples: [
      'berth provider set compute-1 --name compute-01',
      'berth provider set numa0 --parent compute-1',
      'berth provider set numa0 --parent none',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<provider>', PROVIDER_ARGUMENT)
    .option('--name <name>', 'Its new name.')
    .option('--parent <provider>', 'Its new parent; `none` makes it a root.')
  whenRun(command, around, end, async (session, options: SetOptions, text: string) => {
    if (options.name === undefined && options.parent === undefined)
      throw makeUsageError('nothing to set: give --name, --parent or both')
    const placement = await session.placement()
    const provider = await findProvider(placement, text)
    const parentUuid =
      options.parent === undefined
        ? provider.parent_provider_uuid
        : options.parent === 'none'
          ? null
          : (await findProvider(placement, options.parent)).uuid
    const set = await placement.updateProvider(provider.uuid, {
      name: options.name ?? provider.name,
      parent_provider_uuid: parentUuid,
    })
    session.print(set, look => facts(providerFacts(set), look))
  })
}

interface SetOptions {
  readonly name?: string
  readonly parent?: string
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a provider that has no allocations and no children.',
    examples: ['berth provider delete compute-1'],
    exits: [exitCodes.conflict],
  }).argument('<provider>', PROVIDER_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const placement = await session.placement()
    const provider = await findProvider(placement, text)
    await placement.deleteProvider(provider.uuid)
    session.around.stdout.write(`deleted ${provider.name} (${provider.uuid})\n`)
  })
}
