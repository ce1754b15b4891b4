import type { CandidateRequest } from '../../../placement/candidates/request.ts'

/**
 * What is asked of Placement for a request. As a candidate request, except that amounts are exact: a flavor may name
 * one that no host has and that no ordinary number holds.
 */
export interface PlacementQuery {
  /** The unsuffixed group, if there is one, has suffix ''. */
  readonly groups: readonly PlacementGroup[]
  readonly groupPolicy: 'none' | 'isolate' | null
  /** Of each list, one. */
  readonly rootRequired: readonly (readonly string[])[]
  readonly rootForbidden: readonly string[]
  readonly limit: number | null
}

export interface PlacementGroup {
  readonly suffix: string
  readonly resources: ReadonlyMap<string, bigint>
  readonly required: readonly string[]
  /** Of each list, one. */
  readonly anyOf: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
  /** Of each list of aggregates, one. */
  readonly memberOf: readonly (readonly string[])[]
  readonly forbiddenAggregates: readonly string[]
  readonly inTree: string | null
}

const emptyGroup = (suffix: string): PlacementGroup => ({
  suffix,
  resources: new Map(),
  required: [],
  anyOf: [],
  forbidden: [],
  memberOf: [],
  forbiddenAggregates: [],
  inTree: null,
})

/** The query with its unsuffixed group changed, made if there was none. */
export function withRootGroup(
  query: PlacementQuery,
  change: (group: PlacementGroup) => Partial<PlacementGroup>,
): PlacementQuery {
  const before = query.groups.find(({ suffix }) => suffix === '') ?? emptyGroup('')
  const others = query.groups.filter(({ suffix }) => suffix !== '')
  return { ...query, groups: [{ ...before, ...change(before) }, ...others] }
}

/** One host and no other: never lost to a limit. */
export const withinTree = (query: PlacementQuery, provider: string): PlacementQuery => ({
  ...withRootGroup(query, () => ({ inTree: provider })),
  limit: null,
})

/** The traits that the request cannot do without, in whatever group. */
export const allRequiredTraits = ({ groups }: PlacementQuery): Set<string> =>
  new Set(groups.flatMap(({ required }) => required))

/** Asks the engine, which counts in ordinary numbers: those that are too large for them are too large for any host. */
export const candidateRequestOf = (query: PlacementQuery): CandidateRequest => ({
  ...query,
  sameSubtrees: [],
  groups: query.groups.map(({ anyOf, ...group }) => ({
    ...group,
    resources: new Map([...group.resources].map(([name, amount]) => [name, Number(amount)])),
    required: [...group.required.map(trait => [trait]), ...anyOf],
  })),
})

/** The parameters of GET /allocation_candidates that say the same, sorted. */
export function queryParameters(query: PlacementQuery): [key: string, value: string][] {
  const parameters: [string, string][] = query.groups.flatMap(groupParameters)
  if (query.limit !== null) parameters.push(['limit', String(query.limit)])
  if (query.groupPolicy !== null) parameters.push(['group_policy', query.groupPolicy])
  const isAlone = (anyOf: readonly string[]) => anyOf.length === 1
  const root = traitList(query.rootRequired.filter(isAlone).flat(), query.rootForbidden)
  if (root !== '') parameters.push(['root_required', root])
  for (const anyOf of query.rootRequired)
    if (!isAlone(anyOf)) parameters.push(['root_required', anyList(anyOf)])
  return parameters.sort(([a, x], [b, y]) => inOrder(a, b) || inOrder(x, y))
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

function groupParameters(group: PlacementGroup): [string, string][] {
  const { suffix } = group
  const resources = [...group.resources].map(([name, amount]) => `${name}:${amount}`)
  const required = traitList(group.required, group.forbidden)
  const all: [string, string | null][] = [
    ['resources', resources.sort().join(',')],
    ['required', required === '' ? null : required],
    ...group.anyOf.map(traits => ['required', anyList(traits)] as [string, string]),
    ...group.memberOf.map(uuids => ['member_of', anyList(uuids)] as [string, string]),
    ['in_tree', group.inTree],
    ['member_of', group.forbiddenAggregates.length === 0 ? null : `!${anyList(group.forbiddenAggregates)}`],
  ]
  return all.flatMap(([key, value]) => (value === null ? [] : [[`${key}${suffix}`, value]]))
}

const traitList = (required: readonly string[], forbidden: readonly string[]): string =>
  [...required.toSorted(), ...forbidden.toSorted().map(trait => `!${trait}`)].join(',')

const anyList = (names: readonly string[]): string => `in:${names.toSorted().join(',')}`

/** Why Placement would refuse a query. */
export type QueryFault =
  | {
      readonly code: 'no-resources'
      readonly suffix: string
      readonly has: readonly ('traits' | 'aggregates' | 'tree')[]
    }
  | { readonly code: 'traits-conflict'; readonly suffix: string; readonly traits: readonly string[] }
  | { readonly code: 'nothing-to-choose'; readonly suffix: string; readonly of: 'traits' | 'aggregates' }
  | { readonly code: 'no-group-policy'; readonly suffixes: readonly string[] }
  | { readonly code: 'too-many-groups'; readonly groups: number; readonly max: number }

export function queryFaults({ groups, groupPolicy }: PlacementQuery, groupsMax: number): QueryFault[] {
  if (groups.length > groupsMax) return [{ code: 'too-many-groups', groups: groups.length, max: groupsMax }]
  const suffixes = groups.map(({ suffix }) => suffix).filter(suffix => suffix !== '')
  return [
    ...groups.flatMap(groupFaults),
    ...(suffixes.length > 1 && groupPolicy === null ? [{ code: 'no-group-policy', suffixes } as const] : []),
  ]
}

function groupFaults(group: PlacementGroup): QueryFault[] {
  const { suffix, required, anyOf, forbidden, memberOf } = group
  const has = [
    ...(required.length + anyOf.length + forbidden.length > 0 ? ['traits' as const] : []),
    ...(memberOf.length + group.forbiddenAggregates.length > 0 ? ['aggregates' as const] : []),
    ...(group.inTree === null ? [] : ['tree' as const]),
  ]
  const banned = new Set(forbidden)
  const traits = [
    ...required.filter(trait => banned.has(trait)),
    ...anyOf.filter(any => any.length > 0 && any.every(trait => banned.has(trait))).flat(),
  ]
  return [
    ...(group.resources.size === 0 && has.length > 0 ? [{ code: 'no-resources', suffix, has } as const] : []),
    ...(traits.length > 0 ? [{ code: 'traits-conflict', suffix, traits } as const] : []),
    ...(anyOf.some(any => any.length === 0)
      ? [{ code: 'nothing-to-choose', suffix, of: 'traits' } as const]
      : []),
    ...(memberOf.some(any => any.length === 0)
      ? [{ code: 'nothing-to-choose', suffix, of: 'aggregates' } as const]
      : []),
  ]
}
