/** A request for candidates, as a form and as a query string; both are equivalent. */

export interface ResourceRow {
  readonly name: string
  readonly amount: string
}

/** One request group; the first has no suffix. */
export interface Group {
  readonly suffix: string
  readonly resources: readonly ResourceRow[]
  /** All of these traits. */
  readonly required: readonly string[]
  /** Of each list, one. */
  readonly anyOf: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
  /** Of each list, a member of one. */
  readonly memberOf: readonly (readonly string[])[]
  readonly notMemberOf: readonly string[]
  readonly inTree: string
}

export interface CandidateQuery {
  readonly groups: readonly Group[]
  readonly policy: '' | 'none' | 'isolate'
  readonly sameSubtrees: readonly (readonly string[])[]
  readonly rootRequired: readonly string[]
  /** Of each list, one. */
  readonly rootAnyOf: readonly (readonly string[])[]
  readonly rootForbidden: readonly string[]
  readonly limit: string
  /** Parts that the form cannot show; they stay in the query. */
  readonly others: readonly (readonly [name: string, value: string])[]
}

export const emptyGroup = (suffix: string): Group => ({
  suffix,
  resources: [],
  required: [],
  anyOf: [],
  forbidden: [],
  memberOf: [],
  notMemberOf: [],
  inTree: '',
})

const emptyQuery: CandidateQuery = {
  groups: [emptyGroup('')],
  policy: '',
  sameSubtrees: [],
  rootRequired: [],
  rootAnyOf: [],
  rootForbidden: [],
  limit: '',
  others: [],
}

const GROUPED = /^(resources|required|member_of|in_tree)([A-Za-z0-9_-]{0,64})$/
const split = (text: string): string[] => text.split(',').filter(part => part !== '')

function pairsOf(text: string): [name: string, value: string][] {
  return text
    .replace(/^\?/, '')
    .split('&')
    .filter(part => part !== '')
    .map(part => {
      const at = part.indexOf('=')
      const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
      return [decoded(name), decoded(value)]
    })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

export function parseQuery(text: string): CandidateQuery {
  const groups = new Map<string, Group>([['', emptyGroup('')]])
  let query: Omit<CandidateQuery, 'groups'> = emptyQuery
  for (const [name, value] of pairsOf(text)) {
    const [, kind, suffix] = GROUPED.exec(name) ?? []
    if (kind !== undefined && suffix !== undefined) {
      const group = groups.get(suffix) ?? emptyGroup(suffix)
      const next = withPart(group, kind, value)
      if (next !== null) groups.set(suffix, next)
      else query = { ...query, others: [...query.others, [name, value]] }
    } else query = withWhole(query, name, value)
  }
  return { ...query, groups: [...groups.values()] }
}

/** Null: the form cannot show it. */
function withPart(group: Group, kind: string, value: string): Group | null {
  if (kind === 'resources')
    return {
      ...group,
      resources: [
        ...group.resources,
        ...split(value).map(part => {
          const [name = '', amount = ''] = part.split(':')
          return { name, amount }
        }),
      ],
    }
  if (kind === 'required') return withTraits(group, value)
  if (kind === 'member_of') return withMembership(group, value)
  return { ...group, inTree: value }
}

function withTraits(group: Group, value: string): Group {
  if (value.startsWith('in:')) return { ...group, anyOf: [...group.anyOf, split(value.slice(3))] }
  const [forbidden, required] = apart(split(value))
  return {
    ...group,
    required: [...group.required, ...required],
    forbidden: [...group.forbidden, ...forbidden],
  }
}

function withMembership(group: Group, value: string): Group {
  const isNot = value.startsWith('!')
  const list = isNot ? value.slice(1) : value
  const members = list.startsWith('in:') ? split(list.slice(3)) : [list]
  return isNot
    ? { ...group, notMemberOf: [...group.notMemberOf, ...members] }
    : { ...group, memberOf: [...group.memberOf, members] }
}

/** The forbidden ones, without their `!`, and the others. */
function apart(traits: readonly string[]): [negated: string[], others: string[]] {
  const negated = traits.filter(trait => trait.startsWith('!')).map(trait => trait.slice(1))
  return [negated, traits.filter(trait => !trait.startsWith('!'))]
}

function withWhole(
  query: Omit<CandidateQuery, 'groups'>,
  name: string,
  value: string,
): Omit<CandidateQuery, 'groups'> {
  if (name === 'limit') return { ...query, limit: value }
  if (name === 'group_policy' && (value === 'none' || value === 'isolate')) return { ...query, policy: value }
  if (name === 'same_subtree') return { ...query, sameSubtrees: [...query.sameSubtrees, split(value)] }
  if (name === 'root_required') {
    if (value.startsWith('in:')) return { ...query, rootAnyOf: [...query.rootAnyOf, split(value.slice(3))] }
    const [forbidden, required] = apart(split(value))
    return {
      ...query,
      rootRequired: [...query.rootRequired, ...required],
      rootForbidden: [...query.rootForbidden, ...forbidden],
    }
  }
  return { ...query, others: [...query.others, [name, value]] }
}

/** Does not escape Placement's own punctuation, for readability. */
const encodeValue = (text: string): string =>
  encodeURIComponent(text).replaceAll(/%(3A|2C|21)/g, sign => decodeURIComponent(sign))

export function formatQuery(query: CandidateQuery): string {
  const pairs: (readonly [string, string])[] = query.groups.flatMap(pairsOfGroup)
  const whole = (name: string, value: string) => {
    if (value !== '') pairs.push([name, value])
  }
  whole('root_required', [...query.rootRequired, ...query.rootForbidden.map(trait => `!${trait}`)].join(','))
  for (const traits of query.rootAnyOf)
    if (traits.length > 0) whole('root_required', `in:${traits.join(',')}`)
  for (const groups of query.sameSubtrees) whole('same_subtree', groups.join(','))
  whole('group_policy', query.policy)
  pairs.push(...query.others)
  whole('limit', query.limit)
  return pairs.map(([name, value]) => `${encodeValue(name)}=${encodeValue(value)}`).join('&')
}

function pairsOfGroup(group: Group): (readonly [string, string])[] {
  const { suffix } = group
  const resources = group.resources
    .filter(({ name }) => name !== '')
    .map(({ name, amount }) => `${name}:${amount}`)
  const traits = [...group.required, ...group.forbidden.map(trait => `!${trait}`)]
  return [
    ...(resources.length === 0 ? [] : [[`resources${suffix}`, resources.join(',')] as const]),
    ...(traits.length === 0 ? [] : [[`required${suffix}`, traits.join(',')] as const]),
    ...group.anyOf
      .filter(list => list.length > 0)
      .map(list => [`required${suffix}`, `in:${list.join(',')}`] as const),
    ...group.memberOf
      .filter(list => list.length > 0)
      .map(
        list =>
          [`member_of${suffix}`, list.length === 1 ? (list[0] as string) : `in:${list.join(',')}`] as const,
      ),
    ...(group.notMemberOf.length === 0
      ? []
      : [
          [
            `member_of${suffix}`,
            group.notMemberOf.length === 1
              ? `!${group.notMemberOf[0]}`
              : `!in:${group.notMemberOf.join(',')}`,
          ] as const,
        ]),
    ...(group.inTree === '' ? [] : [[`in_tree${suffix}`, group.inTree] as const]),
  ]
}

export const asksForSomething = (query: CandidateQuery): boolean =>
  query.groups.some(group => group.resources.some(({ name, amount }) => name !== '' && amount !== ''))

/** The request with the group under another suffix, also where groups have to be in the same subtree. */
export function renamed(query: CandidateQuery, from: string, to: string): CandidateQuery {
  return {
    ...query,
    groups: query.groups.map(group => (group.suffix === from ? { ...group, suffix: to } : group)),
    sameSubtrees: query.sameSubtrees.map(list => list.map(suffix => (suffix === from ? to : suffix))),
  }
}

/** Without the group, which then cannot be in the same subtree as others either. */
export function without(query: CandidateQuery, suffix: string): CandidateQuery {
  return {
    ...query,
    groups: query.groups.filter(group => group.suffix !== suffix),
    sameSubtrees: query.sameSubtrees
      .map(list => list.filter(one => one !== suffix))
      .filter(list => list.length > 0),
  }
}

/** Why a group cannot have this suffix; null if it can. */
export function faultOfSuffix(query: CandidateQuery, own: string, wanted: string): string | null {
  if (wanted === own) return null
  if (wanted === '') return 'A group needs a suffix.'
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(wanted)) return 'Letters, digits, _ and -, 64 at most.'
  const isTaken = query.groups.some(({ suffix }) => suffix === wanted)
  return isTaken ? `There is a group ${wanted} already.` : null
}
