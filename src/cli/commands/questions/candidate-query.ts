import type { Command } from 'commander'
import { encodeQuery } from '../../../client/placement.ts'
import { resourcesParameter } from '../../args/amounts.ts'
import { memberOfValue } from '../../args/names.ts'
import { repeatable } from '../../args/repeatable.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import type { Session } from '../../connection/session.ts'
import { findProvider } from '../ledger/providers-by-name.ts'

/** The request of candidates and explain, as commander parses it. */
export interface CandidateOptions {
  readonly resources?: readonly string[]
  readonly required?: readonly string[]
  readonly forbidden?: readonly string[]
  readonly memberOf?: readonly string[]
  readonly inTree?: string
  readonly group?: readonly string[]
  readonly groupPolicy?: string
  readonly sameSubtree?: readonly string[]
  readonly rootRequired?: readonly string[]
  readonly query?: string
  readonly microversion?: string
}

export const CANDIDATE_NOTES = `A group is a part of the request that one provider serves alone: its name, then what it asks for as
resources=, required=, forbidden=, member_of= and in_tree=, as words or joined by semicolons (quoted).`

export function addCandidateOptions(command: Command): Command {
  return command
    .option('--resources <class=amount,...>', 'The requested amounts. Repeatable.', repeatable)
    .option(
      '--required <traits>',
      'With traits A and without B: A,!B; with either: in:A,B. Repeatable.',
      repeatable,
    )
    .option('--forbidden <traits>', 'Without any of these traits: A,B. Repeatable.', repeatable)
    .option(
      '--member-of <aggregates>',
      'In an aggregate, by uuid or name: A, in:A,B, or not: !A, !in:A,B. Repeatable.',
      repeatable,
    )
    .option('--in-tree <provider>', 'In the tree of this provider, by uuid or name.')
    .option('--group <name-and-parts...>', 'A group: NAME resources=... required=... Repeatable.')
    .option('--group-policy <policy>', 'Whether groups may share a provider: none or isolate.')
    .option(
      '--same-subtree <names>',
      'Groups whose providers must be in one subtree: A,B. Repeatable.',
      repeatable,
    )
    .option(
      '--root-required <traits>',
      'Traits of the root of the tree: A,!B, or in:A,B for one of these. Repeatable.',
      repeatable,
    )
    .option('--query <text>', 'The query string of GET /allocation_candidates, instead of all of these.')
    .option('--microversion <version>', 'The microversion of Placement. (default: the newest)')
}

/** Converts names on the command line to what Placement knows. */
export interface CandidateNames {
  readonly provider: (name: string) => Promise<string>
  /** The value of a `member_of` parameter. */
  readonly memberOf: (value: string) => Promise<string>
}

export const candidateNames = (session: Session): CandidateNames => ({
  provider: async name => (await findProvider(await session.placement(), name)).uuid,
  memberOf: value => memberOfValue(session, value),
})

/** The query without a limit. */
export async function candidateQuery(options: CandidateOptions, names: CandidateNames): Promise<string> {
  const { query, microversion, ...rest } = options
  if (microversion !== undefined) checkVersion(microversion)
  const pairs = [...(await plainPairs(rest, names)), ...(await groupPairs(rest, names))]
  if (query !== undefined) {
    if (pairs.length > 0) throw makeUsageError('--query cannot be combined with other options')
    return query.replace(/^\?/, '')
  }
  if (!pairs.some(([name]) => name.startsWith('resources')))
    throw makeUsageError('the request is empty: give --resources, --group or --query')
  return encodeQuery(pairs)
}

/** Earlier versions had no limit, and other answers. */
const MINOR_OLDEST = 16

function checkVersion(text: string): void {
  const [, minor] = /^1\.(\d+)$/.exec(text) ?? []
  if (minor === undefined || Number(minor) < MINOR_OLDEST)
    throw makeUsageError(
      `'${text}' is not a version of Placement from 1.${MINOR_OLDEST} on: write, for example, 1.39`,
    )
}

type Pairs = (readonly [name: string, value: string])[]

async function plainPairs(options: CandidateOptions, names: CandidateNames): Promise<Pairs> {
  const pairs: Pairs = []
  if (options.resources !== undefined)
    pairs.push(['resources', resourcesParameter('--resources', options.resources)])
  for (const value of options.required ?? []) pairs.push(['required', value])
  for (const value of options.forbidden ?? []) pairs.push(['required', forbidTraits(value)])
  for (const value of options.memberOf ?? []) pairs.push(['member_of', await names.memberOf(value)])
  if (options.inTree !== undefined) pairs.push(['in_tree', await names.provider(options.inTree)])
  if (options.groupPolicy !== undefined) pairs.push(['group_policy', options.groupPolicy])
  for (const value of options.sameSubtree ?? []) pairs.push(['same_subtree', value])
  for (const value of options.rootRequired ?? []) pairs.push(['root_required', value])
  return pairs
}

async function groupPairs(options: CandidateOptions, names: CandidateNames): Promise<Pairs> {
  const pairs: Pairs = []
  for (const { name, parts } of parseGroups(options.group ?? []))
    for (const [key, value] of parts) {
      if (key === 'forbidden') pairs.push([`required${name}`, forbidTraits(value)])
      else if (key === 'resources')
        pairs.push([`resources${name}`, resourcesParameter(`group ${name}`, [value])])
      else if (key === 'in_tree') pairs.push([`in_tree${name}`, await names.provider(value)])
      else if (key === 'member_of') pairs.push([`member_of${name}`, await names.memberOf(value)])
      else pairs.push([`${key}${name}`, value])
    }
  return pairs
}

const forbidTraits = (traits: string): string =>
  traits
    .split(',')
    .map(trait => `!${trait.trim()}`)
    .join(',')

const PARTS = ['resources', 'required', 'forbidden', 'member_of', 'in_tree'] as const

interface Group {
  /** The suffix of its parameters. */
  readonly name: string
  readonly parts: readonly (readonly [key: (typeof PARTS)[number], value: string])[]
}

/** The words of all groups in sequence; a word without an equals sign starts a group. */
export function parseGroups(words: readonly string[]): Group[] {
  const groups: { name: string; parts: [(typeof PARTS)[number], string][] }[] = []
  for (const word of words.flatMap(one => one.split(/[;\s]+/)).filter(one => one !== '')) {
    const equals = word.indexOf('=')
    if (equals < 0) {
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(word))
        throw makeUsageError(`'${word}' is not a group name: use letters, digits, _ and -, at most 64`)
      if (groups.some(({ name }) => name === word)) throw makeUsageError(`group ${word} is given twice`)
      groups.push({ name: word, parts: [] })
      continue
    }
    const key = PARTS.find(one => one === word.slice(0, equals))
    if (key === undefined)
      throw makeUsageError(`a group has no ${word.slice(0, equals)}; it has ${PARTS.join(', ')}`)
    const group = groups.at(-1)
    if (group === undefined) throw makeUsageError(`--group starts with a name, not with ${word}`)
    group.parts.push([key, word.slice(equals + 1)])
  }
  const empty = groups.find(({ parts }) => parts.length === 0)
  if (empty !== undefined) throw makeUsageError(`group ${empty.name} is empty: write resources=CLASS:AMOUNT`)
  return groups
}
