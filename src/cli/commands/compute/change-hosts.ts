import type { Command } from 'commander'
import { countText } from '../../../kernel/count-text.ts'
import { globMatcher } from '../../../kernel/glob.ts'
import type { ChangedHosts, HostsPreview, UndoneHosts } from '../../../wire/host-changes.ts'
import type { HostAggregate } from '../../../wire/openstack-compute.ts'
import { findAggregatesOfRack, findRackName } from '../../../words/rack-name.ts'
import { serverTitle } from '../../../words/server-title.ts'
import { parseKeyValues } from '../../args/key-values.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { type Look, right, table } from '../../render/table.ts'
import { findAggregate } from './host-aggregate.ts'

interface ChangeOptions {
  readonly rack?: string
  readonly aggregate?: string
  readonly zone?: string
  readonly name?: string
  readonly disable?: string | true
  readonly enable?: true
  readonly ratio?: readonly string[]
  readonly join?: readonly string[]
  readonly leave?: readonly string[]
  readonly drain?: true
  readonly preview?: true
}

export function describeChange(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Brings many hosts to one state in one commit: all of them, or none. Hosts are named, or chosen by rack, aggregate, zone or ' +
      'name. With --preview nothing is changed: it shows what would fit before and after and, with --drain, whether every ' +
      'server would find another place.',
    json: 'As POST /v1/hosts/change returns it; with --preview, as POST /v1/hosts/preview returns it.',
    examples: [
      'berth host change --rack b2 --drain --preview',
      "berth host change --rack b2 --disable 'new switch'",
      'berth host change compute-1 compute-2 --ratio VCPU=4 --join fast --leave slow',
    ],
    exits: [exitCodes.nothing, exitCodes.conflict],
  })
    .argument('[host...]', 'Names of hosts.')
    .option(
      '--rack <rack>',
      'Hosts of this rack: of host aggregates with rack=<rack> in their metadata, or named so.',
    )
    .option('--aggregate <aggregate>', 'Hosts of this host aggregate, by name, number or uuid.')
    .option('--zone <name>', 'Hosts of this availability zone.')
    .option('--name <glob>', 'Hosts by name, where * is any text and ? any character.')
    .option('--disable [reason]', 'Place nothing new on them.')
    .option('--enable', 'Allow placement on them again.')
    .option('--ratio <class=ratio>', 'An allocation ratio; repeat it for more classes.', repeatable)
    .option('--join <aggregate>', 'Join a host aggregate, by name or uuid; repeat it for more.', repeatable)
    .option('--leave <aggregate>', 'Leave a host aggregate, by name or uuid; repeat it for more.', repeatable)
    .option('--drain', 'With --preview: their servers would have to go elsewhere.')
    .option('--preview', 'Change nothing; show the effects.')
  whenRun(command, around, end, async (session, options: ChangeOptions, names: string[]) => {
    if (options.drain && !options.preview) throw makeUsageError('--drain needs --preview: it moves no server')
    const body = { hosts: await findHosts(session, options, names), ...changeIn(options) }
    if (options.preview) {
      const preview = await session.berth.previewHosts({ ...body, ...(options.drain ? { drain: true } : {}) })
      session.print(preview, look => previewText(preview, look))
      return (preview.drained?.stuck ?? 0) > 0 ? exitCodes.nothing : exitCodes.ok
    }
    const done = await session.berth.changeHosts(body)
    session.print(done, () => changedText(done))
    return exitCodes.ok
  })
}

async function findHosts(session: Session, options: ChangeOptions, names: string[]): Promise<string[]> {
  const { rack, aggregate, zone, name } = options
  if ([rack, aggregate, zone, name].every(one => one === undefined)) {
    if (names.length === 0)
      throw makeUsageError('name hosts, or choose them by --rack, --aggregate, --zone or --name')
    return names
  }
  if (names.length > 0) throw makeUsageError('name hosts or choose them by option, not both')
  const ofRack = rack === undefined ? null : await findRack(session, rack)
  const within = aggregate === undefined ? null : await findAggregate(await session.compute(), aggregate)
  const isNamed = name === undefined ? () => true : globMatcher(name)
  const found = (await session.berth.hosts()).filter(
    host =>
      (ofRack === null || host.aggregates.some(one => ofRack.has(one))) &&
      (within === null || host.aggregates.includes(within.name)) &&
      (zone === undefined || host.zone === zone) &&
      isNamed(host.name),
  )
  if (found.length === 0) throw makeUsageError('no host is like this')
  return found.map(host => host.name)
}

/** Names of its host aggregates. */
async function findRack(session: Session, rack: string): Promise<ReadonlySet<string>> {
  const aggregates = await (await session.compute()).aggregates()
  const found = findAggregatesOfRack(aggregates, rack)
  if (found.length === 0)
    throw new Stopped(`there is no rack ${rack}${listRacks(aggregates)}`, exitCodes.missing)
  return new Set(found.map(({ name }) => name))
}

const RACKS_NAMED_MAX = 10

function listRacks(aggregates: readonly HostAggregate[]): string {
  const racks = [...new Set(aggregates.flatMap(one => findRackName(one) ?? []))].sort()
  if (racks.length === 0) return ': a rack is a host aggregate with rack=NAME in its metadata'
  const more = racks.length > RACKS_NAMED_MAX ? ' ...' : ''
  return `; there are ${racks.slice(0, RACKS_NAMED_MAX).join(', ')}${more}`
}

function changeIn({ disable, enable, ratio, join, leave }: ChangeOptions): Record<string, unknown> {
  if (disable !== undefined && enable) throw makeUsageError('--enable and --disable exclude each other')
  return {
    ...(disable === undefined ? {} : { disabled: true }),
    ...(typeof disable === 'string' ? { disabled_reason: disable } : {}),
    ...(enable ? { disabled: false } : {}),
    ...(ratio === undefined ? {} : { allocation_ratios: ratiosIn(ratio) }),
    ...(join === undefined ? {} : { join }),
    ...(leave === undefined ? {} : { leave }),
  }
}

function ratiosIn(words: readonly string[]): Record<string, number> {
  const pairs = Object.entries(parseKeyValues(words))
  for (const [name, text] of pairs)
    if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw makeUsageError(`--ratio: ${name}=${text} is not a number`)
  return Object.fromEntries(pairs.map(([name, text]) => [name, Number(text)]))
}

function changedText({ revision, changed, unchanged }: ChangedHosts): string {
  if (revision === null)
    return `nothing to change: ${countText(unchanged.length, 'host is', 'hosts are')} so already\n`
  const already = unchanged.length === 0 ? '' : `, ${countText(unchanged.length, 'is', 'are')} so already`
  return `changed ${countText(changed.length, 'host')}${already}; to undo it: berth host undo ${revision}\n`
}

function previewText(preview: HostsPreview, look: Look): string {
  const { refused, changed, unchanged, servers, others, drained, over_capacity_count, broken_count } = preview
  const lines = [
    ...(refused === null ? [] : [`the change itself would be refused: ${refused}`]),
    `${countText(changed.length, 'host')} would change, ${countText(unchanged.length, 'is', 'are')} so already; ${countText(servers, 'server')} and ${countText(others, 'other consumer')} are on them`,
    ...(drained === null
      ? []
      : [
          drained.stuck === 0
            ? `yes: ${drained.moved === 1 ? 'the server finds' : `all ${drained.moved} servers find`} another place`
            : `no: ${drained.stuck} of ${countText(drained.moved + drained.stuck, 'server')} ${drained.stuck === 1 ? 'finds' : 'find'} no other place`,
          ...drained.stuck_servers.map(
            ({ instance, name, host, reason }) => `  ${serverTitle(instance, name)} on ${host}: ${reason}`,
          ),
        ]),
    ...(over_capacity_count === 0
      ? []
      : [`${countText(over_capacity_count, 'inventory', 'inventories')} would be over capacity`]),
    ...(broken_count === 0
      ? []
      : [
          `${countText(broken_count, 'server')} would break a rule of ${broken_count === 1 ? 'its' : 'their'} host`,
        ]),
  ]
  const losing = preview.flavors.filter(({ before, after }) => before !== after)
  const rows = losing.map(({ name, before, after, exact }) => {
    const about = exact ? '' : '~'
    return [name, `${about}${before}`, `${about}${after}`, `${after > before ? '+' : ''}${after - before}`]
  })
  const fits =
    rows.length === 0
      ? 'as many servers of every flavor fit as before\n'
      : table(['flavor', right('fit now'), right('fit then'), right('difference')], rows, look)
  return `${lines.join('\n')}\n${fits}`
}

export function describeUndo(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Undoes a change of hosts by a new one: they get back the settings, allocation ratios and host aggregates that they had. ' +
      'Refused if any of that changed since. `berth audit` lists revisions.',
    json: 'As POST /v1/hosts/undo returns it.',
    examples: ['berth host undo 812'],
    exits: [exitCodes.conflict],
  }).argument('<revision>', 'The revision of the change.')
  whenRun(command, around, end, async (session, _options, text: string) => {
    if (!/^[1-9]\d{0,14}$/.test(text)) throw makeUsageError(`'${text}' is not a revision`)
    const done = await session.berth.undoHosts(Number(text))
    session.print(done, () => undoneText(done, text))
  })
}

const undoneText = ({ hosts, revision }: UndoneHosts, undone: string): string =>
  `revision ${undone} is undone for ${countText(hosts.length, 'host')}; to undo that: berth host undo ${revision}\n`
