import type { Command } from 'commander'
import type { ComputeApi } from '../../../client/compute.ts'
import type { HostAggregate } from '../../../wire/openstack-compute.ts'
import { parseKeyValues } from '../../args/key-values.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { byName, facts, flexible, right } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { adviseOn } from '../questions/advice.ts'
import { describeLanding } from '../questions/landing.ts'

export const describe: Describe = (group, around, end) => {
  group.description(
    'Host aggregates: groups of hosts with metadata that filters read. `berth aggregate` is about the plain groups of ' +
      'providers in Placement; a host in a host aggregate is in the one with the same uuid.',
  )
  describeList(group.command('list').summary('list host aggregates'), around, end)
  describeShow(group.command('show').summary('show a host aggregate'), around, end)
  describeCreate(group.command('create').summary('create a host aggregate'), around, end)
  describeSet(group.command('set').summary('set metadata, the name or the zone'), around, end)
  describeUnset(group.command('unset').summary('take metadata away'), around, end)
  describeHosts(group.command('add-host').summary('put hosts into it'), around, end, 'add_host')
  describeHosts(group.command('remove-host').summary('remove hosts from it'), around, end, 'remove_host')
  describeDelete(group.command('delete').summary('delete a host aggregate without hosts'), around, end)
  describeLanding(group, around, end, {
    group: 'host-aggregate',
    example: 'ssd',
    what: 'the hosts of an aggregate',
    argument: ['<aggregate>', ARGUMENT],
    target: aggregate => ({ aggregate }),
  })
}

const SHAPE = 'as the compute API returns it'
const ARGUMENT = 'The name, number or uuid of the host aggregate.'

export async function findAggregate(compute: ComputeApi, text: string): Promise<HostAggregate> {
  const all = await compute.aggregates()
  const found =
    all.find(one => one.name === text) ?? all.find(one => one.uuid === text || String(one.id) === text)
  if (found === undefined) throw new Stopped(`there is no host aggregate ${text}`, exitCodes.missing)
  return found
}

const pairsText = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ') || '-'

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists host aggregates.',
    json: `An array of host aggregates, each ${SHAPE}.`,
    examples: ['berth host-aggregate list'],
  })
  whenRun(command, around, end, async session => {
    const all = (await (await session.compute()).aggregates()).toSorted(byName)
    session.printList(
      all,
      [right('id'), 'name', 'zone', right('hosts'), flexible('metadata')],
      one => [one.id, one.name, one.availability_zone ?? '-', one.hosts.length, pairsText(one.metadata)],
      'no host aggregate',
    )
  })
}

function printAggregate(session: Session, aggregate: HostAggregate): void {
  const pairs: [string, string][] = [
    ['id', String(aggregate.id)],
    ['uuid', aggregate.uuid],
    ['name', aggregate.name],
    ['zone', aggregate.availability_zone ?? '-'],
    ['hosts', aggregate.hosts.join(', ') || '-'],
    ['metadata', pairsText(aggregate.metadata)],
  ]
  session.print(aggregate, look => facts(pairs, look))
}

/** Includes the catalog's advice about the metadata that was set. */
async function printWritten(
  session: Session,
  aggregate: HostAggregate,
  keys: readonly string[],
): Promise<void> {
  printAggregate(session, aggregate)
  if (keys.length > 0) await adviseOn(session, 'OS::Nova::Aggregate', aggregate.metadata, keys)
}

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows a host aggregate with its hosts and metadata.',
    json: `The host aggregate, ${SHAPE}.`,
    examples: ['berth host-aggregate show rack-1'],
  }).argument('<aggregate>', ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    printAggregate(session, await findAggregate(await session.compute(), text))
  })
}

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Creates a host aggregate.',
    json: `The host aggregate, ${SHAPE}.`,
    examples: ['berth host-aggregate create rack-1 ssd=true --zone west'],
    exits: [exitCodes.conflict],
  })
    .argument('<name>', 'Its name.')
    .argument('[key=value...]', 'Metadata.')
    .option('--zone <name>', 'The availability zone of its hosts.')
  whenRun(
    command,
    around,
    end,
    async (session, options: { zone?: string }, name: string, words: string[] = []) => {
      const metadata = parseKeyValues(words)
      const compute = await session.compute()
      const { zone } = options
      const { id } = await compute.createAggregate({
        name,
        ...(zone === undefined ? {} : { availability_zone: zone }),
      })
      if (words.length > 0) await compute.actOnAggregate(id, { set_metadata: { metadata } })
      await printWritten(session, await findAggregate(compute, name), Object.keys(metadata))
    },
  )
}

interface SetOptions {
  readonly name?: string
  readonly zone?: string
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Sets metadata, the name or the zone of a host aggregate. Other metadata stays.',
    json: `The host aggregate, ${SHAPE}.`,
    examples: ['berth host-aggregate set rack-1 ssd=true force_metadata_check=true'],
    exits: [exitCodes.conflict],
  })
    .argument('<aggregate>', ARGUMENT)
    .argument('[key=value...]', 'Metadata.')
    .option('--name <name>', 'Its new name.')
    .option('--zone <name>', 'The availability zone of its hosts.')
  whenRun(
    command,
    around,
    end,
    async (session, { name, zone }: SetOptions, text: string, words: string[] = []) => {
      if (words.length === 0 && name === undefined && zone === undefined)
        throw makeUsageError('nothing to set')
      const metadata = parseKeyValues(words)
      const compute = await session.compute()
      const { id } = await findAggregate(compute, text)
      if (name !== undefined || zone !== undefined)
        await compute.changeAggregate(id, {
          ...(name === undefined ? {} : { name }),
          ...(zone === undefined ? {} : { availability_zone: zone }),
        })
      if (words.length > 0) await compute.actOnAggregate(id, { set_metadata: { metadata } })
      await printWritten(session, await findAggregate(compute, String(id)), Object.keys(metadata))
    },
  )
}

function describeUnset(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Removes metadata from a host aggregate.',
    json: `The host aggregate, ${SHAPE}.`,
    examples: ['berth host-aggregate unset rack-1 ssd'],
  })
    .argument('<aggregate>', ARGUMENT)
    .argument('<key...>', 'The keys of the metadata.')
  whenRun(command, around, end, async (session, _options, text: string, keys: string[]) => {
    const compute = await session.compute()
    const { id, metadata: there } = await findAggregate(compute, text)
    const missing = keys.find(key => !Object.hasOwn(there, key))
    if (missing !== undefined) throw new Stopped(`${text} has no metadata ${missing}`, exitCodes.missing)
    const metadata = Object.fromEntries(keys.map(key => [key, null]))
    printAggregate(session, await compute.actOnAggregate(id, { set_metadata: { metadata } }))
  })
}

function describeHosts(
  command: Command,
  around: ProcessEnvironment,
  end: End,
  action: 'add_host' | 'remove_host',
): void {
  const isAdding = action === 'add_host'
  describeClientCommand(command, {
    description: isAdding
      ? 'Adds hosts to a host aggregate, one request each; it stops at the first that fails.'
      : 'Removes hosts from a host aggregate, one request each; it stops at the first that fails.',
    json: `The host aggregate, ${SHAPE}.`,
    examples: [`berth host-aggregate ${isAdding ? 'add-host' : 'remove-host'} rack-1 compute-1 compute-2`],
    exits: [exitCodes.conflict],
  })
    .argument('<aggregate>', ARGUMENT)
    .argument('<host...>', 'Names of hosts.')
  whenRun(command, around, end, async (session, _options, text: string, hosts: string[]) => {
    const compute = await session.compute()
    let aggregate = await findAggregate(compute, text)
    for (const host of hosts) aggregate = await compute.actOnAggregate(aggregate.id, { [action]: { host } })
    printAggregate(session, aggregate)
  })
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a host aggregate. It must have no hosts.',
    examples: ['berth host-aggregate delete rack-1'],
  }).argument('<aggregate>', ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const compute = await session.compute()
    const { id, name } = await findAggregate(compute, text)
    await compute.deleteAggregate(id)
    session.around.stdout.write(`deleted ${name} (${id})\n`)
  })
}
