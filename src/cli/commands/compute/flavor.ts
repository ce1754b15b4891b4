import { type Command, InvalidArgumentError } from 'commander'
import type { ComputeApi } from '../../../client/compute.ts'
import type { Flavor } from '../../../wire/openstack-compute.ts'
import { parseKeyValues } from '../../args/key-values.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError, Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { byName, facts, flexible, right } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { adviseOn } from '../questions/advice.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Flavors: sizes of servers, and what they require of their host.')
  describeList(group.command('list').summary('list flavors, public or not'), around, end)
  describeShow(group.command('show').summary('show a flavor'), around, end)
  describeCreate(group.command('create').summary('create a flavor'), around, end)
  describeSet(group.command('set').summary('set extra specs, or the description'), around, end)
  describeUnset(group.command('unset').summary('remove extra specs'), around, end)
  describeDelete(group.command('delete').summary('delete a flavor'), around, end)
}

const SHAPE = 'as the compute API returns it'
const FLAVOR_ARGUMENT = 'The id or the name of the flavor.'

async function findFlavor(compute: ComputeApi, text: string): Promise<Flavor> {
  const flavors = await compute.flavors()
  const found = flavors.find(one => one.id === text) ?? flavors.find(one => one.name === text)
  if (found === undefined) throw new Stopped(`there is no flavor ${text}`, exitCodes.missing)
  return found
}

const specsText = (specs: Readonly<Record<string, string>>): string =>
  Object.entries(specs)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ') || '-'

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists flavors, public and private.',
    json: `An array of flavors, each ${SHAPE}.`,
    examples: ['berth flavor list'],
  })
  whenRun(command, around, end, async session => {
    const flavors = (await (await session.compute()).flavors()).toSorted(byName)
    session.printList(
      flavors,
      ['id', 'name', right('ram MB'), right('vcpus'), right('disk GB'), 'public', flexible('extra specs')],
      ({ id, name, ram, vcpus, disk, extra_specs, 'os-flavor-access:is_public': isPublic }) => {
        return [id, name, ram, vcpus, disk, isPublic ? 'yes' : 'no', specsText(extra_specs)]
      },
      'no flavor',
    )
  })
}

function printFlavor(session: Session, flavor: Flavor): void {
  const pairs: [string, string][] = [
    ['id', flavor.id],
    ['name', flavor.name],
    ['ram MB', String(flavor.ram)],
    ['vcpus', String(flavor.vcpus)],
    ['disk GB', String(flavor.disk)],
    ['ephemeral GB', String(flavor['OS-FLV-EXT-DATA:ephemeral'])],
    ['swap MB', String(flavor.swap)],
    ['public', flavor['os-flavor-access:is_public'] ? 'yes' : 'no'],
    ['description', flavor.description ?? '-'],
    ...Object.entries(flavor.extra_specs),
  ]
  session.print(flavor, look => facts(pairs, look))
}

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows a flavor with its extra specs.',
    json: `The flavor, ${SHAPE}.`,
    examples: ['berth flavor show small'],
  }).argument('<flavor>', FLAVOR_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    printFlavor(session, await findFlavor(await session.compute(), text))
  })
}

interface CreateOptions {
  readonly id?: string
  readonly ram: number
  readonly vcpus: number
  readonly disk: number
  readonly ephemeral?: number
  readonly swap?: number
  readonly private?: true
  readonly description?: string
  readonly spec?: readonly string[]
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is not a whole number.')
  return Number(text)
}

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Creates a flavor.',
    json: `The flavor, ${SHAPE}.`,
    examples: ['berth flavor create small --ram 2048 --vcpus 2 --disk 20 --spec tier=gold'],
    exits: [exitCodes.conflict],
  })
    .argument('<name>', 'Its name.')
    .requiredOption('--ram <mb>', 'Memory in MiB.', whole)
    .requiredOption('--vcpus <count>', 'Processors.', whole)
    .requiredOption('--disk <gb>', 'Root disk in GiB.', whole)
    .option('--ephemeral <gb>', 'Ephemeral disk in GiB.', whole)
    .option('--swap <mb>', 'Swap in MiB.', whole)
    .option('--id <id>', 'Its id. (default: a new uuid)')
    .option('--private', 'Only for projects that are given access.')
    .option('--description <text>', 'What it is for.')
    .option('--spec <key=value>', 'An extra spec; repeat it for more.', repeatable)
  whenRun(command, around, end, async (session, options: CreateOptions, name: string) => {
    const specs = parseKeyValues(options.spec ?? [])
    const compute = await session.compute()
    const { id } = await compute.createFlavor(fieldsOf(name, options))
    if (Object.keys(specs).length > 0)
      // A flavor without its extra specs is worse than none, so it is deleted again.
      await compute.setExtraSpecs(id, specs).catch(async (error: unknown) => {
        await compute.deleteFlavor(id)
        throw error
      })
    await printWritten(session, await findFlavor(compute, id), Object.keys(specs))
  })
}

/** Includes the catalog's advice about the extra specs that were set. */
async function printWritten(session: Session, flavor: Flavor, keys: readonly string[]): Promise<void> {
  printFlavor(session, flavor)
  if (keys.length > 0) await adviseOn(session, 'OS::Nova::Flavor', flavor.extra_specs, keys)
}

function fieldsOf(name: string, options: CreateOptions): Record<string, unknown> {
  const { ram, vcpus, disk, id, ephemeral, swap, description } = options
  return {
    name,
    ram,
    vcpus,
    disk,
    ...(id === undefined ? {} : { id }),
    ...(ephemeral === undefined ? {} : { 'OS-FLV-EXT-DATA:ephemeral': ephemeral }),
    ...(swap === undefined ? {} : { swap }),
    ...(description === undefined ? {} : { description }),
    'os-flavor-access:is_public': options.private !== true,
  }
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Sets extra specs of a flavor, or its description. Other extra specs stay.',
    json: `The flavor, ${SHAPE}.`,
    examples: ['berth flavor set small tier=gold hw:cpu_policy=dedicated'],
  })
    .argument('<flavor>', FLAVOR_ARGUMENT)
    .argument('[key=value...]', 'Extra specs.')
    .option('--description <text>', 'What it is for.')
  whenRun(
    command,
    around,
    end,
    async (session, options: { description?: string }, text: string, words: string[] = []) => {
      if (words.length === 0 && options.description === undefined) throw makeUsageError('nothing to set')
      const specs = parseKeyValues(words)
      const compute = await session.compute()
      const { id } = await findFlavor(compute, text)
      if (options.description !== undefined) await compute.describeFlavor(id, options.description)
      if (words.length > 0) await compute.setExtraSpecs(id, specs)
      await printWritten(session, await findFlavor(compute, id), Object.keys(specs))
    },
  )
}

function describeUnset(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Removes extra specs from a flavor.',
    json: `The flavor, ${SHAPE}.`,
    examples: ['berth flavor unset small tier'],
  })
    .argument('<flavor>', FLAVOR_ARGUMENT)
    .argument('<key...>', 'The keys of the extra specs.')
  whenRun(command, around, end, async (session, _options, text: string, keys: string[]) => {
    const compute = await session.compute()
    const { id } = await findFlavor(compute, text)
    for (const key of keys) await compute.deleteExtraSpec(id, key)
    printFlavor(session, await findFlavor(compute, id))
  })
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a flavor. Servers that were placed with it stay.',
    examples: ['berth flavor delete small'],
  }).argument('<flavor>', FLAVOR_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const compute = await session.compute()
    const { id, name } = await findFlavor(compute, text)
    await compute.deleteFlavor(id)
    session.around.stdout.write(`deleted ${name} (${id})\n`)
  })
}
