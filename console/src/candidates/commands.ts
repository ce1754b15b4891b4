/** A request for candidates as commands. Values may come from a link, so all of them are quoted. */
import { PLACEMENT_VERSION } from '../api/placement.ts'
import { quoteForShell } from '../berth-commands.ts'
import type { CandidateQuery, Group } from './query.ts'

/** Words without special characters stay unquoted, for readability. */
const word = (text: string): string => (/^[\w.,:=/-]+$/.test(text) ? text : quoteForShell(text))

export const asCurl = (origin: string, query: string): string =>
  [
    `curl -H "X-Auth-Token: $TOKEN" -H "OpenStack-API-Version: ${PLACEMENT_VERSION}" \\`,
    `  ${quoteForShell(`${origin}/placement/allocation_candidates?${query}`)}`,
  ].join('\n')

/** The command, or why the OpenStack client cannot express it. */
type Openstack =
  | { readonly command: string; readonly why: null }
  | { readonly command: null; readonly why: string }

export function asOpenstack(query: CandidateQuery): Openstack {
  const why = whyNot(query)
  if (why !== null) return { command: null, why }
  const parts = ['openstack --os-placement-api-version 1.39 allocation candidate list']
  const names = shortNames(query.groups)
  for (const group of query.groups) {
    if (isEmpty(group)) continue
    if (group.suffix !== '') parts.push(`--group ${names.get(group.suffix)}`)
    parts.push(...optionsOf(group))
  }
  if (query.policy !== '') parts.push(`--group-policy ${query.policy}`)
  if (query.limit !== '') parts.push(option('limit', query.limit))
  return { command: parts.join(' \\\n  '), why: null }
}

/** Joined by `=`, so that no value is read as another option. */
const option = (name: string, value: string): string => `--${name}=${word(value)}`

/** The client adds `in:` to lists itself; for traits only if there is a comma. */
function optionsOf(group: Group): string[] {
  return [
    ...group.resources.map(({ name, amount }) => option('resource', `${name}=${amount}`)),
    ...group.required.map(trait => option('required', trait)),
    ...group.anyOf.map(list => option('required', list.join(','))),
    ...group.forbidden.map(trait => option('forbidden', trait)),
    ...group.memberOf.map(list => option('member-of', list.join(','))),
  ]
}

const isEmpty = (group: Group): boolean => group.resources.length === 0 && optionsOf(group).length === 0

/** Parts that the client has no option for. */
function whyNot(query: CandidateQuery): string | null {
  const has = (test: (group: Group) => boolean) => query.groups.some(test)
  const [other] = query.others
  const reasons: readonly (readonly [isSo: boolean, text: string])[] = [
    [query.sameSubtrees.length > 0, 'groups in the same subtree'],
    [
      query.rootRequired.length + query.rootAnyOf.length + query.rootForbidden.length > 0,
      'traits of the root',
    ],
    [has(group => group.inTree !== ''), 'a certain tree'],
    [has(group => group.notMemberOf.length > 0), 'aggregates to stay out of'],
    [has(group => group.resources.length === 0 && !isEmpty(group)), 'a group without resources'],
    [query.groups.length - 1 > SHORT.length, `more than ${SHORT.length} groups`],
    [query.limit !== '' && !/^\d+$/.test(query.limit), 'a limit that is no number'],
    [other !== undefined, `“${other?.[0]}”`],
  ]
  const [first] = reasons.filter(([isSo]) => isSo)
  return first === undefined ? null : `The openstack client has no option for ${first[1]}.`
}

const SHORT = '123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The client accepts suffixes of one character only, and shows none of them. */
function shortNames(groups: readonly Group[]): ReadonlyMap<string, string> {
  const suffixes = groups.map(({ suffix }) => suffix).filter(suffix => suffix !== '')
  const taken = new Set(suffixes.filter(isShort))
  const free = [...SHORT].filter(sign => !taken.has(sign))
  return new Map(suffixes.map(suffix => [suffix, isShort(suffix) ? suffix : (free.shift() as string)]))
}

const isShort = (suffix: string): boolean => suffix.length === 1 && SHORT.includes(suffix)
