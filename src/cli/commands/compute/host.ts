import { type Command, Option } from 'commander'
import { globMatcher } from '../../../kernel/glob.ts'
import type { Host, HostFigure } from '../../../wire/hosts.ts'
import { parseKeyJson } from '../../args/key-values.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { byName, facts, flexible, right } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { parseInventorySpecs, replaced } from '../ledger/inventory-specs.ts'
import { describeLanding } from '../questions/landing.ts'
import { describeChange, describeUndo } from './change-hosts.ts'
import { findAggregate } from './host-aggregate.ts'

export const describe: Describe = (group, around, end) => {
  group.description(
    'Hosts: root providers whose tree has VCPU or PCPU, and those that were added here. A host is up unless it was ' +
      'forced down.',
  )
  describeList(group.command('list').summary('list hosts'), around, end)
  describeShow(group.command('show').summary('show a host'), around, end)
  describeAdd(group.command('add').summary('add a host'), around, end)
  describeSet(group.command('set').summary('change a host'), around, end)
  describeChange(group.command('change').summary('change many hosts in one commit'), around, end)
  describeUndo(group.command('undo').summary('undo a change of hosts'), around, end)
  describeRemove(group.command('remove').summary('remove a host with its tree of providers'), around, end)
  describeLanding(group, around, end, {
    group: 'host',
    example: 'compute-1',
    what: 'a host',
    argument: ['<host>', HOST_ARGUMENT],
    target: host => ({ host }),
  })
}

const SHAPE = 'as GET /v1/hosts/NAME returns it'
const HOST_ARGUMENT = 'The name of the host.'

interface Settings {
  readonly inventory?: readonly string[]
  readonly trait?: readonly string[]
  readonly capability?: readonly string[]
  readonly disable?: string | true
  readonly enable?: true
  readonly forceDown?: true
  readonly up?: true
}

const addSettings = (command: Command): Command =>
  command
    .option(
      '--inventory <spec>',
      'An inventory, such as VCPU=64,allocation_ratio=4; repeat it for each class.',
      repeatable,
    )
    .option('--trait <name>', 'A trait; repeat it for more.', repeatable)
    .option(
      '--capability <key=value>',
      'A capability that filters read, as JSON or text; repeat it for more.',
      repeatable,
    )
    .option('--disable [reason]', 'Place nothing new on it.')

function settingsOf(options: Settings): Record<string, unknown> {
  const { inventory, trait, capability, disable, enable, forceDown, up } = options
  if (disable !== undefined && enable) throw makeUsageError('--enable and --disable exclude each other')
  if (forceDown && up) throw makeUsageError('--force-down and --up exclude each other')
  return {
    ...(inventory === undefined ? {} : { inventories: replaced(parseInventorySpecs(inventory)) }),
    ...(trait === undefined ? {} : { traits: trait }),
    ...(capability === undefined ? {} : { capabilities: parseKeyJson(capability) }),
    ...(disable === undefined ? {} : { disabled: true, disabled_reason: disable === true ? null : disable }),
    ...(enable ? { disabled: false } : {}),
    ...(forceDown ? { forced_down: true } : {}),
    ...(up ? { forced_down: false } : {}),
  }
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lists hosts with usage and capacity. The capacity is the total without the reserved part, ' +
      'times the ratio. `x4` is that ratio; `!` marks usage beyond the capacity.',
    json: `An array of hosts, each ${SHAPE}.`,
    examples: [
      'berth host list',
      "berth host list --name 'compute-*' --zone a --sort memory",
      'berth host list --over',
      'berth host list --disabled --aggregate rack-1',
    ],
  })
    .option('--name <glob>', 'By name, where * is any text and ? any character.')
    .option('--zone <name>', 'In this availability zone.')
    .option('--aggregate <aggregate>', 'In this host aggregate, by name, number or uuid.')
    .option('--disabled', 'Only disabled hosts.')
    .option('--down', 'Only hosts that are down.')
    .option('--over', 'Only hosts whose usage exceeds their capacity.')
    .addOption(
      new Option('--sort <by>', 'By name, or the fullest first. (default: name)').choices(
        Object.keys(ORDERS),
      ),
    )
  whenRun(command, around, end, async (session, options: ListOptions) => {
    const aggregate =
      options.aggregate === undefined ? null : await findAggregate(await session.compute(), options.aggregate)
    const hosts = (await session.berth.hosts())
      .filter(hostFilter(options))
      .filter(one => aggregate === null || one.aggregates.includes(aggregate.name))
      .toSorted(byName)
      .toSorted(ORDERS[options.sort ?? 'name'])
    const figures = ['cpu', 'memory MB', 'disk GB', 'consumers'].map(right)
    session.printList(
      hosts,
      [flexible('name'), 'zone', 'status', 'state', ...figures],
      ({ name, zone, status, state, cpu, memory_mb, disk_gb, consumers }) => {
        return [name, zone, status, state, ...[cpu, memory_mb, disk_gb].map(usedOfCapacity), consumers]
      },
      'no host',
    )
  })
}

interface ListOptions {
  readonly name?: string
  readonly zone?: string
  readonly aggregate?: string
  readonly disabled?: true
  readonly down?: true
  readonly over?: true
  readonly sort?: keyof typeof ORDERS
}

const fullness = ({ used, capacity }: HostFigure): number =>
  capacity > 0 ? used / capacity : used > 0 ? Number.POSITIVE_INFINITY : 0

const fullestFirst = (figure: (host: Host) => HostFigure) => (a: Host, b: Host) => {
  const [one, other] = [fullness(figure(a)), fullness(figure(b))]
  return one === other ? 0 : one > other ? -1 : 1
}

const ORDERS = {
  name: byName,
  cpu: fullestFirst(host => host.cpu),
  memory: fullestFirst(host => host.memory_mb),
  disk: fullestFirst(host => host.disk_gb),
  consumers: (a: Host, b: Host) => b.consumers - a.consumers,
} as const

const isOver = (host: Host): boolean => [host.cpu, host.memory_mb, host.disk_gb].some(({ over }) => over > 0)

function hostFilter(options: ListOptions): (host: Host) => boolean {
  const { name, zone, disabled, down, over } = options
  const isNamed = name === undefined ? () => true : globMatcher(name)
  return host =>
    isNamed(host.name) &&
    (zone === undefined || host.zone === zone) &&
    (disabled === undefined || host.status === 'disabled') &&
    (down === undefined || host.state === 'down') &&
    (over === undefined || isOver(host))
}

/** `48/256 x4`, with a mark if usage exceeds capacity. */
function usedOfCapacity({ total, reserved, used, capacity, over }: HostFigure): string {
  const ratio = total > reserved ? Math.round((capacity / (total - reserved)) * 100) / 100 : 1
  return `${over > 0 ? '! ' : ''}${used}/${capacity}${ratio === 1 ? '' : ` x${ratio}`}`
}

function printHost(session: Session, host: Host): void {
  const renderUsed = (figure: HostFigure) => {
    const { total, reserved, over } = figure
    const parts = [`total ${total}`, ...(reserved === 0 ? [] : [`${reserved} reserved`])]
    return `${usedOfCapacity(figure)} (${parts.join(', ')})${over > 0 ? `, ${over} over capacity` : ''}`
  }
  const pairs: [string, string][] = [
    ['name', host.name],
    ['uuid', host.uuid],
    ['zone', host.zone],
    ['status', host.disabled_reason === null ? host.status : `${host.status}: ${host.disabled_reason}`],
    ['state', host.state],
    ['declared', host.declared ? 'yes' : 'no'],
    ['applied by', host.applied_by ?? '-'],
    ['aggregates', host.aggregates.join(', ') || '-'],
    ['cpu', renderUsed(host.cpu)],
    ['memory MB', renderUsed(host.memory_mb)],
    ['disk GB', renderUsed(host.disk_gb)],
    ['consumers', String(host.consumers)],
    ...Object.entries(host.capabilities).map(([key, value]): [string, string] => [
      key,
      JSON.stringify(value),
    ]),
  ]
  session.print(host, look => facts(pairs, look))
}

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows a host with its settings.',
    json: `The host, ${SHAPE}.`,
    examples: ['berth host show compute-1'],
  }).argument('<host>', HOST_ARGUMENT)
  whenRun(command, around, end, async (session, _options, name: string) => {
    printHost(session, await session.berth.host(name))
  })
}

function describeAdd(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Adds a host: a root provider with inventories, traits and capabilities, in one commit.',
    json: `The host, ${SHAPE}.`,
    examples: [
      'berth host add compute-1 --inventory VCPU=64,allocation_ratio=4 --inventory MEMORY_MB=262144,reserved=4096',
      'berth host add compute-2 --inventory VCPU=8 --capability hypervisor_type=QEMU',
    ],
    exits: [exitCodes.conflict],
  })
    .argument('<host>', HOST_ARGUMENT)
    .option('--uuid <uuid>', 'The uuid of its provider. (default: a new one)')
  addSettings(command)
  whenRun(command, around, end, async (session, options: Settings & { uuid?: string }, name: string) => {
    const { uuid } = options
    await session.berth.addHost({ name, ...(uuid === undefined ? {} : { uuid }), ...settingsOf(options) })
    printHost(session, await session.berth.host(name))
  })
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Changes a host. Given options replace the earlier values; the rest stays.',
    json: `The host, ${SHAPE}.`,
    examples: [
      "berth host set compute-1 --disable 'a fan is broken'",
      'berth host set compute-1 --enable',
      'berth host set compute-1 --force-down',
    ],
    exits: [exitCodes.conflict],
  }).argument('<host>', HOST_ARGUMENT)
  addSettings(command)
    .option('--enable', 'Allow placement on it again.')
    .option('--force-down', 'Count it as down.')
    .option('--up', 'Count it as up again.')
  whenRun(command, around, end, async (session, options: Settings, name: string) => {
    const settings = settingsOf(options)
    if (Object.keys(settings).length === 0) throw makeUsageError('nothing to set')
    await session.berth.setHost(name, settings)
    printHost(session, await session.berth.host(name))
  })
}

function describeRemove(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Removes a host with its whole tree of providers. It must have no allocations.',
    examples: ['berth host remove compute-1'],
    exits: [exitCodes.conflict],
  }).argument('<host>', HOST_ARGUMENT)
  whenRun(command, around, end, async (session, _options, name: string) => {
    await session.berth.removeHost(name)
    session.around.stdout.write(`removed ${name}\n`)
  })
}
