import type { CandidateRequest } from '../../../placement/candidates/request.ts'

/**
 * The Placement query of a request. Unlike in a candidate request, amounts are exact: a flavor may name an
 * amount beyond every host and beyond safe integers.
 */
export interface PlacementQuery {
  /** The unsuffixed group, if there is one, has suffix ''. */
  readonly groups: readonly PlacementGroup[]
  readonly groupPolicy: 'none' | 'isolate' | null
  /** One of each list. */
  readonly rootRequired: readonly (readonly string[])[]
  readonly rootForbidden: readonly string[]
  readonly limit: number | null
}

export interface PlacementGroup {
  readonly suffix: string
  readonly resources: ReadonlyMap<string, bigint>
  readonly required: readonly string[]
  /** One of each list. */
  readonly anyOf: readonly (readonly string[])[]
  readonly forbidden: readonly string[]
  /** One of each list of aggregates. */
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

/** Changes the unsuffixed group, or creates it. */
export function changeRootGroup(
  query: PlacementQuery,
  change: (group: PlacementGroup) => Partial<PlacementGroup>,
): PlacementQuery {
  const before = query.groups.find(({ suffix }) => suffix === '') ?? emptyGroup('')
  const others = query.groups.filter(({ suffix }) => suffix !== '')
  return { ...query, groups: [{ ...before, ...change(before) }, ...others] }
}

/** Restricts the query to this host, so that no limit can hide it. */
export const limitToTree = (query: PlacementQuery, provider: string): PlacementQuery => ({
  ...changeRootGroup(query, () => ({ inTree: provider })),
  limit: null,
})

/** Required traits of all groups. */
export const listRequiredTraits = ({ groups }: PlacementQuery): Set<string> =>
  new Set(groups.flatMap(({ required }) => required))

/** Converts amounts for the search, which uses ordinary numbers. Larger amounts exceed any host anyway. */
export const toCandidateRequest = (query: PlacementQuery): CandidateRequest => ({
  ...query,
  sameSubtrees: [],
  groups: query.groups.map(({ anyOf, ...group }) => ({
    ...group,
    resources: new Map([...group.resources].map(([name, amount]) => [name, Number(amount)])),
    required: [...group.required.map(trait => [trait]), ...anyOf],
  })),
})

/** The same query as sorted parameters of GET /allocation_candidates. */
export function renderParameters(query: PlacementQuery): [key: string, value: string][] {
  const parameters: [string, string][] = query.groups.flatMap(groupParameters)
  if (query.limit !== null) parameters.push(['limit', String(query.limit)])
  if (query.groupPolicy !== null) parameters.push(['group_policy', query.groupPolicy])
  const isAlone = (anyOf: readonly string[]) => anyOf.length === 1
  const root = renderTraits(query.rootRequired.filter(isAlone).flat(), query.rootForbidden)
  if (root !== '') parameters.push(['root_required', root])
  for (const anyOf of query.rootRequired)
    if (!isAlone(anyOf)) parameters.push(['root_required', renderAny(anyOf)])
  return parameters.sort(([a, x], [b, y]) => compareText(a, b) || compareText(x, y))
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

function groupParameters(group: PlacementGroup): [string, string][] {
  const { suffix } = group
  const resources = [...group.resources].map(([name, amount]) => `${name}:${amount}`)
  const required = renderTraits(group.required, group.forbidden)
  const all: [string, string | null][] = [
    ['resources', resources.sort().join(',')],
    ['required', required === '' ? null : required],
    ...group.anyOf.map(traits => ['required', renderAny(traits)] as [string, string]),
    ...group.memberOf.map(uuids => ['member_of', renderAny(uuids)] as [string, string]),
    ['in_tree', group.inTree],
    ['member_of', group.forbiddenAggregates.length === 0 ? null : `!${renderAny(group.forbiddenAggregates)}`],
  ]
  return all.flatMap(([key, value]) => (value === null ? [] : [[`${key}${suffix}`, value]]))
}

const renderTraits = (required: readonly string[], forbidden: readonly string[]): string =>
  [...required.toSorted(), ...forbidden.toSorted().map(trait => `!${trait}`)].join(',')

const renderAny = (names: readonly string[]): string => `in:${names.toSorted().join(',')}`

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

export function findQueryFaults({ groups, groupPolicy }: PlacementQuery, groupsMax: number): QueryFault[] {
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
