import type { Command } from 'commander'
import { parseTraitNames } from '../../../kernel/standard-names.ts'
import { inputName, inputText } from '../../args/input-text.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { escapeControls } from '../../render/text-width.ts'
import type { Describe } from '../describe-command.ts'
import { withFreshGeneration } from './generation-retry.ts'
import { findProvider, PROVIDER_ARGUMENT } from './providers-by-name.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Traits: properties of providers that requests can require.')
  describeList(group.command('list').summary('list the traits'), around, end)
  describeCreate(group.command('create').summary('create a trait'), around, end)
  describeLearn(group.command('learn').summary('add standard traits from a file'), around, end)
  describeDelete(group.command('delete').summary('delete a trait'), around, end)
  describeShow(group.command('show').summary('show the traits of a provider'), around, end)
  describeSet(group.command('set').summary('replace the traits of a provider'), around, end)
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists the traits, standard and custom (CUSTOM_).',
    json: 'An array of names.',
    examples: ['berth trait list --prefix CUSTOM_', 'berth trait list --associated'],
  })
    .option('--prefix <text>', 'Only names that start with this.')
    .option('--associated', 'Only traits that some provider has.')
  whenRun(command, around, end, async (session, options: { prefix?: string; associated?: true }) => {
    const { prefix, associated } = options
    const placement = await session.placement()
    const traits = await placement.traits([
      ...(prefix === undefined ? [] : [['name', `startswith:${prefix}`] as const]),
      ...(associated === undefined ? [] : [['associated', 'true'] as const]),
    ])
    // Placement reads `_` and `%` in a prefix as SQL wildcards; here they are literal.
    const listed = prefix === undefined ? traits : traits.filter(name => name.startsWith(prefix))
    printNames(session, listed, 'no trait')
  })
}

/** One name per line. */
export function printNames(session: Session, names: readonly string[], none: string): void {
  session.print(names, () => names.map(name => `${escapeControls(name)}\n`).join(''))
  if (names.length === 0) session.remark(none)
}

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Creates a trait, unless it exists.',
    examples: ['berth trait create CUSTOM_RAIL_A'],
  }).argument('<name>', 'Its name, which starts with CUSTOM_.')
  whenRun(command, around, end, async (session, _options, name: string) => {
    const created = await (await session.placement()).createTrait(name)
    session.around.stdout.write(created ? `created ${name}\n` : `${name} already exists\n`)
  })
}

function describeLearn(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Adds standard traits that are newer than this version of Berth, for all servers of the store. The file has one ' +
      'name a line, or a JSON array of names. Names that exist stay.',
    json: 'An object: {"added": [NAME, ...]}.',
    examples: [
      'berth trait learn new-traits.txt',
      "python3 -c 'import json, os_traits; print(json.dumps(os_traits.get_traits()))' | berth trait learn -",
    ],
  }).argument('<file>', 'The file; - is standard input.')
  whenRun(command, around, end, async (session, _options, file: string) => {
    const names = parseTraitNames(await inputText(around, file))
    if ('fault' in names) throw makeUsageError(`${inputName(file)}: ${names.fault}`)
    if (names.length === 0) throw makeUsageError(`${inputName(file)} has no name`)
    const { added } = await session.berth.learnTraits(names)
    session.print({ added }, () => added.map(name => `added ${escapeControls(name)}\n`).join(''))
    if (added.length === 0) session.remark('all names were known')
  })
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a custom trait that no provider has.',
    examples: ['berth trait delete CUSTOM_RAIL_A'],
    exits: [exitCodes.conflict],
  }).argument('<name>', 'Its name.')
  whenRun(command, around, end, async (session, _options, name: string) => {
    await (await session.placement()).deleteTrait(name)
    session.around.stdout.write(`deleted ${name}\n`)
  })
}

const SHAPE = '{"provider": {"uuid", "name"}, "generation", "traits": [NAME, ...]}'

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows the traits of a provider.',
    json: `An object: ${SHAPE}.`,
    examples: ['berth trait show compute-1'],
  }).argument('<provider>', PROVIDER_ARGUMENT)
  whenRun(command, around, end, async (session, _options, text: string) => {
    const placement = await session.placement()
    const provider = await findProvider(placement, text)
    printTraits(session, provider, await placement.providerTraits(provider.uuid))
  })
}

function describeSet(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Replaces the traits of a provider by those given; with none, removes all. If someone else ' +
      'changes the provider meanwhile, the command reads it again and retries, three times at most.',
    json: `An object: ${SHAPE}.`,
    examples: ['berth trait set compute-1 HW_CPU_X86_AVX2 CUSTOM_RAIL_A', 'berth trait set compute-1'],
    exits: [exitCodes.conflict],
  })
    .argument('<provider>', PROVIDER_ARGUMENT)
    .argument('[trait...]', 'The new traits.')
  whenRun(command, around, end, async (session, _options, text: string, traits: string[] = []) => {
    const placement = await session.placement()
    const provider = await findProvider(placement, text)
    const set = await withFreshGeneration(session, provider.name, async () => {
      const { resource_provider_generation: generation } = await placement.providerTraits(provider.uuid)
      return placement.setProviderTraits(provider.uuid, generation, traits)
    })
    printTraits(session, provider, set)
  })
}

function printTraits(
  session: Session,
  { uuid, name }: { readonly uuid: string; readonly name: string },
  answer: { readonly traits: readonly string[]; readonly resource_provider_generation: number },
): void {
  const traits = answer.traits.toSorted()
  const generation = answer.resource_provider_generation
  session.print({ provider: { uuid, name }, generation, traits }, () =>
    traits.map(trait => `${escapeControls(trait)}\n`).join(''),
  )
  if (traits.length === 0) session.remark(`${name} has no trait`)
}
