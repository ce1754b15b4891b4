/**
 * The microversions of the Placement API. A version is a row; what it brings has a name, and that name is all
 * that routes and rules ever ask for.
 */
const history = [
  ['base', 'the first version'],
  ['aggregates', 'aggregates of a provider'],
  ['resourceClasses', 'custom resource classes'],
  ['memberOf', 'member_of on providers'],
  ['providerResources', 'resources on providers'],
  ['deleteInventories', 'delete all inventories of a provider'],
  ['traits', 'traits'],
  ['bodilessClassPut', 'PUT of a resource class creates it and takes no body'],
  ['allocationOwner', 'project and user of an allocation are required'],
  ['totalUsages', 'usages of a project'],
  ['allocationCandidates', 'allocation candidates'],
  ['allocationsLink', 'link to the allocations of a provider'],
  ['allocationsByProvider', 'allocations as an object keyed by provider, project and user shown'],
  ['manyAllocations', 'POST of the allocations of several consumers'],
  ['providerTrees', 'parent and root of a provider, in_tree on providers'],
  ['cacheHeaders', 'last-modified and cache-control'],
  ['candidateLimit', 'limit on candidates'],
  ['candidateTraits', 'required on candidates, traits in summaries'],
  ['providerTraitsFilter', 'required on providers'],
  ['aggregateGeneration', 'generation in the aggregates of a provider'],
  ['providerCreateBody', 'POST of a provider answers with it'],
  ['candidateMemberOf', 'member_of on candidates'],
  ['forbiddenTraits', 'required=!TRAIT'],
  ['errorCodes', 'codes in errors'],
  ['repeatedMemberOf', 'member_of may be repeated'],
  ['granularGroups', 'numbered request groups and group_policy'],
  ['fullyReserved', 'reserved may equal total'],
  ['allClassesInSummaries', 'summaries show all resource classes'],
  ['consumerGeneration', 'generations of consumers'],
  ['nestedCandidates', 'candidates from provider trees'],
  ['reshaper', 'the reshaper'],
  ['candidateInTree', 'in_tree on candidates'],
  ['forbiddenAggregates', 'member_of=!AGG and !in:'],
  ['namedGroups', 'request groups with names'],
  ['mappings', 'mappings of groups to providers'],
  ['rootRequired', 'root_required on candidates'],
  ['sameSubtree', 'same_subtree and groups without resources'],
  ['reparenting', 'a provider may change its parent'],
  ['consumerTypes', 'types of consumers'],
  ['anyTraits', 'required=in:A,B, and required may be repeated'],
  [
    'inTreeTouches',
    'in_tree keeps a candidate if one of its providers is in the tree; root_required=in:A,B, and root_required may be repeated',
  ],
] as const

/** What else comes with the version of a feature. */
const companions = { rootAnyTraits: 'inTreeTouches' } as const

export type Feature = (typeof history)[number][0] | keyof typeof companions
export type Features = { readonly [F in Feature]: boolean }

export const MINOR_MAX = history.length - 1
export const VERSION_MIN = '1.0'
export const VERSION_MAX = `1.${MINOR_MAX}`

const byMinor: readonly Features[] = history.map((_, minor) => {
  const own = Object.fromEntries(history.map(([name], at) => [name, at <= minor]))
  const others = Object.entries(companions).map(([name, beside]) => [name, own[beside]])
  return { ...own, ...Object.fromEntries(others) } as Features
})

/** What the unsuffixed in_tree of candidates means: as each version has it, or from its first version on as in the newest. */
export const IN_TREE_MEANINGS = ['by-version', 'any-member'] as const
export type InTreeMeaning = (typeof IN_TREE_MEANINGS)[number]

const byMinorAnyMember: readonly Features[] = byMinor.map(features =>
  features.candidateInTree ? { ...features, inTreeTouches: true } : features,
)

/** The features of version 1.`minor`, which must exist: the same object each time. */
export function featuresOf(minor: number, inTree: InTreeMeaning = 'by-version'): Features {
  return (inTree === 'any-member' ? byMinorAnyMember : byMinor)[minor] as Features
}

export const versionHistory: readonly { readonly version: string; readonly brings: string }[] = history.map(
  ([, brings], minor) => ({ version: `1.${minor}`, brings }),
)
