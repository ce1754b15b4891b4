import { type Command, InvalidArgumentError } from 'commander'
import { parseGroups } from './candidate-query.ts'
import { wrongUsage } from './client-failures.ts'
import { parseKeyJson, parseKeyValues } from './key-values.ts'
import { repeatable } from './repeatable.ts'

/** How a server is asked for on the command line, in the terms of the API. */

export interface SpecOptions {
  readonly flavor?: string
  readonly vcpus?: number
  readonly ram?: number
  readonly disk?: number
  readonly ephemeral?: number
  readonly swap?: number
  readonly spec?: readonly string[]
  readonly resources?: readonly string[]
  readonly required?: readonly string[]
  readonly forbidden?: readonly string[]
  readonly memberOf?: readonly string[]
  readonly requestGroup?: readonly string[]
  readonly groupPolicy?: string
  readonly imageId?: string
  readonly diskFormat?: string
  readonly imageProperty?: readonly string[]
  readonly volumeBacked?: true
  readonly zone?: string
  readonly anyZone?: true
  readonly hint?: readonly string[]
}

export interface AskOptions extends SpecOptions {
  readonly host?: string
  readonly ignoreHost?: readonly string[]
  readonly serverGroup?: string
  readonly project?: string
  readonly user?: string
}

export const SPEC_NOTES = `What a server is like is said in one of three ways: a flavor that exists; a flavor that need not, by --vcpus, --ram,
--disk and --spec; or what is asked of Placement as it is, by --resources and --request-group.
A hint that is given twice is a list. Values of hints and image properties are JSON where they can be read as such.`

export function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is no whole number.')
  return Number(text)
}

export const addImageOptions = (command: Command): Command =>
  command
    .option('--image-id <id>', 'The id of its image.')
    .option('--disk-format <format>', 'The format of its image, such as qcow2.')
    .option(
      '--image-property <key=value>',
      'A property of its image, such as hw_architecture=x86_64. Repeatable.',
      repeatable,
    )

/** What a server is to be like. */
export function addSpecOptions(command: Command): Command {
  command
    .option('--vcpus <count>', 'Processors, of a flavor that need not exist.', whole)
    .option('--ram <mb>', 'Its memory in MiB.', whole)
    .option('--disk <gb>', 'Its root disk in GiB.', whole)
    .option('--ephemeral <gb>', 'Its further disk in GiB.', whole)
    .option('--swap <mb>', 'Its swap in MiB.', whole)
    .option('--spec <key=value>', 'Its extra spec. Repeatable.', repeatable)
    .option(
      '--resources <class=amount,...>',
      'How much of what, instead of a flavor. Repeatable.',
      repeatable,
    )
    .option(
      '--required <traits>',
      'With traits A and without B: A,!B; with either: in:A,B. Repeatable.',
      repeatable,
    )
    .option('--forbidden <traits>', 'Without any of these traits: A,B. Repeatable.', repeatable)
    .option('--member-of <aggregates>', 'In an aggregate: U, or in:U,V. Repeatable.', repeatable)
    .option(
      '--request-group <name-and-parts...>',
      'A part that one provider serves: NAME resources=... required=... Repeatable.',
    )
    .option('--group-policy <policy>', 'Whether these parts may share a provider: none or isolate.')
  return addImageOptions(command)
    .option('--volume-backed', 'Its root disk is a volume, and takes no local disk.')
    .option('--zone <name>', 'The availability zone it must be in.')
    .option(
      '--hint <key=value>',
      'A scheduler hint: same_host, different_host, query, group. Repeatable.',
      repeatable,
    )
}

/** What schedule, explain and simulate take. */
export const addAskOptions = (command: Command): Command =>
  addSpecOptions(command.argument('[flavor]', 'The flavor, by id or name.'))
    .option('--host <host>', 'The only host that will do, by name or uuid.')
    .option('--ignore-host <host>', 'A host that will not do. Repeatable.', repeatable)
    .option('--server-group <uuid>', 'The server group that it joins.')
    .option('--project <id>', 'Whose it is. (default: that of the token)')
    .option('--user <id>', 'Who asks for it. (default: that of the token)')

type Fields = Readonly<Record<string, unknown>>

/** Without what was not said. */
export const said = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export function askOf(flavor: string | undefined, options: AskOptions): Record<string, unknown> {
  const spec = specOf({ ...options, ...(flavor === undefined ? {} : { flavor }) })
  if (spec.flavor === undefined && spec.groups === undefined)
    throw wrongUsage(
      'nothing is asked for: name a flavor, or give --vcpus and --ram and --disk, or --resources',
    )
  const { host, ignoreHost, serverGroup, project, user } = options
  return {
    ...spec,
    ...said({
      host,
      ignore_hosts: ignoreHost,
      server_group: serverGroup,
      project_id: project,
      user_id: user,
    }),
  }
}

export function specOf(options: SpecOptions): Record<string, unknown> {
  const { flavor, groupPolicy, volumeBacked, zone, anyZone, hint } = options
  const [inline, groups] = [inlineFlavor(options), groupsOf(options)]
  if ([flavor, inline, groups].filter(one => one !== undefined).length > 1)
    throw wrongUsage('a flavor that exists, one by --vcpus and the like, or --resources: give one of them')
  if (zone !== undefined && anyZone) throw wrongUsage('--zone and --any-zone exclude each other')
  return said({
    ...{ flavor: flavor ?? inline, groups, group_policy: groupPolicy, image: imageOf(options) },
    ...{ volume_backed: volumeBacked, zone: anyZone ? null : zone },
    hints: hint === undefined ? undefined : hintsOf(hint),
  })
}

function inlineFlavor(options: SpecOptions): Fields | undefined {
  const { vcpus, ram, disk, ephemeral, swap, spec } = options
  if ([vcpus, ram, disk, ephemeral, swap, spec].every(one => one === undefined)) return undefined
  if (vcpus === undefined || ram === undefined || disk === undefined)
    throw wrongUsage('a flavor that need not exist has --vcpus, --ram and --disk')
  const extra_specs = spec === undefined ? undefined : parseKeyValues(spec)
  return { vcpus, ram, disk, ...said({ ephemeral, swap, extra_specs }) }
}

export function imageOf({ imageId, diskFormat, imageProperty }: SpecOptions): Fields | undefined {
  if (imageId === undefined && diskFormat === undefined && imageProperty === undefined) return undefined
  const properties = imageProperty === undefined ? undefined : parseKeyJson(imageProperty)
  return said({ id: imageId, disk_format: diskFormat, properties })
}

function hintsOf(words: readonly string[]): Fields {
  const values = new Map<string, unknown[]>()
  for (const word of words)
    for (const [key, value] of Object.entries(parseKeyJson([word])))
      values.set(key, [...(values.get(key) ?? []), value])
  return Object.fromEntries([...values].map(([key, all]) => [key, all.length === 1 ? all[0] : all]))
}

function groupsOf(options: SpecOptions): Fields | undefined {
  const { resources, required, forbidden, memberOf, requestGroup } = options
  const groups: Record<string, Fields> = {}
  if (resources !== undefined)
    groups[''] = groupOf('--resources', { resources, required, forbidden, memberOf })
  else if (required !== undefined || forbidden !== undefined || memberOf !== undefined)
    throw wrongUsage('--required, --forbidden and --member-of go with --resources')
  for (const { name, parts } of parseGroups(requestGroup ?? [])) {
    const of = (key: string) => parts.filter(([one]) => one === key).map(([, value]) => value)
    const some = (key: string) => (of(key).length === 0 ? undefined : of(key))
    groups[name] = {
      ...groupOf(`group ${name}`, {
        ...{ resources: of('resources'), required: some('required') },
        ...{ forbidden: some('forbidden'), memberOf: some('member_of') },
      }),
      ...said({ in_tree: of('in_tree')[0] }),
    }
  }
  return Object.keys(groups).length === 0 ? undefined : groups
}

interface GroupWords {
  readonly resources: readonly string[]
  readonly required: readonly string[] | undefined
  readonly forbidden: readonly string[] | undefined
  readonly memberOf: readonly string[] | undefined
}

function groupOf(
  where: string,
  { resources, required = [], forbidden = [], memberOf = [] }: GroupWords,
): Fields {
  const words = required.flatMap(text => (text.startsWith('in:') ? [text] : text.split(',')))
  const not = words.filter(word => word.startsWith('!')).map(word => word.slice(1))
  const wanted = words
    .filter(word => !word.startsWith('!'))
    .map(word => (word.startsWith('in:') ? word.slice('in:'.length).split(',') : word))
  const barred = [...not, ...forbidden.flatMap(text => text.split(','))]
  const members = memberOf.map(text => text.replace(/^in:/, '').split(','))
  if (memberOf.some(text => text.startsWith('!')))
    throw wrongUsage(`${where}: who is in an aggregate can be asked for, not who is not`)
  return {
    resources: amountsIn(where, resources),
    ...(wanted.length === 0 ? {} : { required: wanted }),
    ...(barred.length === 0 ? {} : { forbidden: barred }),
    ...(members.length === 0 ? {} : { member_of: members }),
  }
}

/** `VCPU=2,MEMORY_MB=512`, or with colons, as Placement writes it. */
function amountsIn(where: string, words: readonly string[]): Record<string, number> {
  const amounts: Record<string, number> = {}
  for (const part of words.flatMap(word => word.split(','))) {
    const [, name, amount] = /^([A-Z0-9_]+)[=:]([1-9]\d{0,9})$/.exec(part.trim()) ?? []
    if (name === undefined) throw wrongUsage(`${where}: '${part}' is not CLASS=AMOUNT, such as VCPU=2`)
    if (Object.hasOwn(amounts, name)) throw wrongUsage(`${where}: ${name} is given twice`)
    amounts[name] = Number(amount)
  }
  return amounts
}
