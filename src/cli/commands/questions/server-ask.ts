import { type Command, InvalidArgumentError } from 'commander'
import { emptyRecord } from '../../../kernel/records.ts'
import { parseAmounts } from '../../args/amounts.ts'
import { parseKeyJson, parseKeyValues } from '../../args/key-values.ts'
import { projectId, serverGroupId, userId } from '../../args/names.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import type { Session } from '../../connection/session.ts'
import { type CandidateNames, candidateNames, parseGroups } from './candidate-query.ts'

/** The options of a request for a server, in the terms of the API. */

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

export const SPEC_NOTES = `Describe the server in one of three ways: a flavor that exists; a flavor that need not exist, by --vcpus, --ram,
--disk and --spec; or what is asked of Placement as it is, by --resources and --request-group.
A hint that is given twice is a list. Values of hints and image properties are JSON where they can be read as such.`

export function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.')
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

/** The properties of the requested server. */
export function addSpecOptions(command: Command): Command {
  command
    .option('--vcpus <count>', 'Processors, of a flavor that need not exist.', whole)
    .option('--ram <mb>', 'Its memory in MiB.', whole)
    .option('--disk <gb>', 'Its root disk in GiB.', whole)
    .option('--ephemeral <gb>', 'Its ephemeral disk in GiB.', whole)
    .option('--swap <mb>', 'Its swap in MiB.', whole)
    .option('--spec <key=value>', 'Its extra spec. Repeatable.', repeatable)
    .option(
      '--resources <class=amount,...>',
      'The requested amounts, instead of a flavor. Repeatable.',
      repeatable,
    )
    .option(
      '--required <traits>',
      'With traits A and without B: A,!B; with either: in:A,B. Repeatable.',
      repeatable,
    )
    .option('--forbidden <traits>', 'Without any of these traits: A,B. Repeatable.', repeatable)
    .option(
      '--member-of <aggregates>',
      'In an aggregate, by uuid or name: A, or in:A,B. Repeatable.',
      repeatable,
    )
    .option(
      '--request-group <name-and-parts...>',
      'A request group, served by one provider: NAME resources=... required=... Repeatable.',
    )
    .option('--group-policy <policy>', 'Whether request groups may share a provider: none or isolate.')
  return addImageOptions(command)
    .option('--volume-backed', 'Its root disk is a volume, and takes no local disk.')
    .option('--zone <name>', 'The availability zone it must be in.')
    .option(
      '--hint <key=value>',
      'A scheduler hint: same_host, different_host, query, group. Repeatable.',
      repeatable,
    )
}

/** The options that schedule, explain and simulate share. */
export const addAskOptions = (command: Command): Command =>
  addSpecOptions(command.argument('[flavor]', 'The flavor, by id or name.'))
    .option('--host <host>', 'The only host to consider, by name or uuid.')
    .option('--ignore-host <host>', 'A host to exclude. Repeatable.', repeatable)
    .option('--server-group <group>', 'The server group that it joins, by id or name.')
    .option('--project <project>', 'The project, by id or name. (default: that of the token)')
    .option('--user <user>', 'The user, by id or name. (default: that of the token)')

type Fields = Readonly<Record<string, unknown>>

/** Leaves out values that were not given. */
export const definedFields = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export async function askOf(
  session: Session,
  flavor: string | undefined,
  options: AskOptions,
): Promise<Record<string, unknown>> {
  const spec = await specOf(session, { ...options, ...(flavor === undefined ? {} : { flavor }) })
  if (spec.flavor === undefined && spec.groups === undefined)
    throw makeUsageError(
      'the request is empty: name a flavor, or give --vcpus and --ram and --disk, or --resources',
    )
  const { host, ignoreHost, serverGroup, project, user } = options
  return {
    ...spec,
    ...definedFields({
      host,
      ignore_hosts: ignoreHost,
      server_group: serverGroup === undefined ? undefined : await serverGroupId(session, serverGroup),
      project_id: project === undefined ? undefined : await projectId(session, project),
      user_id: user === undefined ? undefined : await userId(session, user),
    }),
  }
}

export async function specOf(session: Session, options: SpecOptions): Promise<Record<string, unknown>> {
  const { flavor, groupPolicy, volumeBacked, zone, anyZone, hint } = options
  const [inline, groups] = [inlineFlavor(options), await groupsOf(candidateNames(session), options)]
  if ([flavor, inline, groups].filter(one => one !== undefined).length > 1)
    throw makeUsageError('give one of: a flavor, --vcpus with --ram and --disk, --resources')
  if (zone !== undefined && anyZone) throw makeUsageError('--zone and --any-zone exclude each other')
  return definedFields({
    flavor: flavor ?? inline,
    groups,
    group_policy: groupPolicy,
    image: imageOf(options),
    volume_backed: volumeBacked,
    zone: anyZone ? null : zone,
    hints: hint === undefined ? undefined : hintsOf(hint),
  })
}

function inlineFlavor(options: SpecOptions): Fields | undefined {
  const { vcpus, ram, disk, ephemeral, swap, spec } = options
  if ([vcpus, ram, disk, ephemeral, swap, spec].every(one => one === undefined)) return undefined
  if (vcpus === undefined || ram === undefined || disk === undefined)
    throw makeUsageError('without a flavor, give --vcpus, --ram and --disk')
  const extra_specs = spec === undefined ? undefined : parseKeyValues(spec)
  return { vcpus, ram, disk, ...definedFields({ ephemeral, swap, extra_specs }) }
}

export function imageOf({ imageId, diskFormat, imageProperty }: SpecOptions): Fields | undefined {
  if (imageId === undefined && diskFormat === undefined && imageProperty === undefined) return undefined
  const properties = imageProperty === undefined ? undefined : parseKeyJson(imageProperty)
  return definedFields({ id: imageId, disk_format: diskFormat, properties })
}

function hintsOf(words: readonly string[]): Fields {
  const values = new Map<string, unknown[]>()
  for (const word of words)
    for (const [key, value] of Object.entries(parseKeyJson([word])))
      values.set(key, [...(values.get(key) ?? []), value])
  return Object.fromEntries([...values].map(([key, all]) => [key, all.length === 1 ? all[0] : all]))
}

async function groupsOf(names: CandidateNames, options: SpecOptions): Promise<Fields | undefined> {
  const { resources, required, forbidden, memberOf, requestGroup } = options
  const groups: Record<string, Fields> = emptyRecord()
  if (resources !== undefined)
    groups[''] = await groupOf(names, '--resources', { resources, required, forbidden, memberOf })
  else if (required !== undefined || forbidden !== undefined || memberOf !== undefined)
    throw makeUsageError('--required, --forbidden and --member-of need --resources')
  for (const { name, parts } of parseGroups(requestGroup ?? [])) {
    const listValues = (key: string) => parts.filter(([one]) => one === key).map(([, value]) => value)
    const [inTree] = listValues('in_tree')
    const listValuesIfAny = (key: string) => (listValues(key).length === 0 ? undefined : listValues(key))
    groups[name] = {
      ...(await groupOf(names, `group ${name}`, {
        resources: listValues('resources'),
        required: listValuesIfAny('required'),
        forbidden: listValuesIfAny('forbidden'),
        memberOf: listValuesIfAny('member_of'),
      })),
      ...(inTree === undefined ? {} : { in_tree: await names.provider(inTree) }),
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

async function groupOf(
  names: CandidateNames,
  where: string,
  { resources, required = [], forbidden = [], memberOf = [] }: GroupWords,
): Promise<Fields> {
  const words = required.flatMap(text => (text.startsWith('in:') ? [text] : text.split(',')))
  const not = words.filter(word => word.startsWith('!')).map(word => word.slice(1))
  const wanted = words
    .filter(word => !word.startsWith('!'))
    .map(word => (word.startsWith('in:') ? word.slice('in:'.length).split(',') : word))
  const barred = [...not, ...forbidden.flatMap(text => text.split(','))]
  if (memberOf.some(text => text.startsWith('!')))
    throw makeUsageError(`${where}: a request can ask for members of an aggregate, not for non-members`)
  const values = await Promise.all(memberOf.map(names.memberOf))
  const members = values.map(value => value.replace(/^in:/, '').split(','))
  return {
    resources: parseAmounts(where, resources),
    ...(wanted.length === 0 ? {} : { required: wanted }),
    ...(barred.length === 0 ? {} : { forbidden: barred }),
    ...(members.length === 0 ? {} : { member_of: members }),
  }
}
