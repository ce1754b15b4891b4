import { defineMicroversions, type FeatureRow } from '../kernel/microversions.ts'

/**
 * The microversions of the Placement API. Each version is a row that names the features it adds. Routes and
 * schemas ask only for these names.
 */
const rows = [
  [0, 'base', 'the first version'],
  [1, 'aggregates', 'aggregates of a provider'],
  [2, 'resourceClasses', 'custom resource classes'],
  [3, 'memberOf', 'member_of on providers'],
  [4, 'providerResources', 'resources on providers'],
  [5, 'deleteInventories', 'delete all inventories of a provider'],
  [6, 'traits', 'traits'],
  [7, 'bodilessClassPut', 'PUT of a resource class creates it and takes no body'],
  [8, 'allocationOwner', 'project and user of an allocation are required'],
  [9, 'totalUsages', 'usages of a project'],
  [10, 'allocationCandidates', 'allocation candidates'],
  [11, 'allocationsLink', 'link to the allocations of a provider'],
  [12, 'allocationsByProvider', 'allocations as an object keyed by provider, project and user shown'],
  [13, 'manyAllocations', 'POST of the allocations of several consumers'],
  [14, 'providerTrees', 'parent and root of a provider, in_tree on providers'],
  [15, 'cacheHeaders', 'last-modified and cache-control'],
  [16, 'candidateLimit', 'limit on candidates'],
  [17, 'candidateTraits', 'required on candidates, traits in summaries'],
  [18, 'providerTraitsFilter', 'required on providers'],
  [19, 'aggregateGeneration', 'generation in the aggregates of a provider'],
  [20, 'providerCreateBody', 'POST of a provider answers with it'],
  [21, 'candidateMemberOf', 'member_of on candidates'],
  [22, 'forbiddenTraits', 'required=!TRAIT'],
  [23, 'errorCodes', 'codes in errors'],
  [24, 'repeatedMemberOf', 'member_of may be repeated'],
  [25, 'granularGroups', 'numbered request groups and group_policy'],
  [26, 'fullyReserved', 'reserved may equal total'],
  [27, 'allClassesInSummaries', 'summaries show all resource classes'],
  [28, 'consumerGeneration', 'generations of consumers'],
  [29, 'nestedCandidates', 'candidates from provider trees'],
  [30, 'reshaper', 'the reshaper'],
  [31, 'candidateInTree', 'in_tree on candidates'],
  [32, 'forbiddenAggregates', 'member_of=!AGG and !in:'],
  [33, 'namedGroups', 'request groups with names'],
  [34, 'mappings', 'mappings of groups to providers'],
  [35, 'rootRequired', 'root_required on candidates'],
  [36, 'sameSubtree', 'same_subtree and groups without resources'],
  [37, 'reparenting', 'a provider may change its parent'],
  [38, 'consumerTypes', 'types of consumers'],
  [39, 'anyTraits', 'required=in:A,B, and required may be repeated'],
  [40, 'inTreeTouches', 'in_tree keeps a candidate if one of its providers is in the tree'],
  [40, 'rootAnyTraits', 'root_required=in:A,B, and root_required may be repeated'],
] as const satisfies readonly FeatureRow[]

type Feature = (typeof rows)[number][1]
export type Features = { readonly [F in Feature]: boolean }

export const MINOR_MAX = 40
export const versions = defineMicroversions<Features>(1, 0, MINOR_MAX, rows)

/** The meaning of the unsuffixed in_tree of candidates: as in the requested version, or always as in the newest. */
const IN_TREE_MEANINGS = ['by-version', 'any-member'] as const
export type InTreeMeaning = (typeof IN_TREE_MEANINGS)[number]

/** Features by minor version, with in_tree as in the newest version. */
const anyMember: readonly Features[] = Array.from({ length: MINOR_MAX + 1 }, (_, minor) => {
  const features = versions.featuresOf(minor)
  return features.candidateInTree ? { ...features, inTreeTouches: true } : features
})

/** The features of version 1.`minor`, which must exist. Always returns the same object. */
export function featuresOf(minor: number, inTree: InTreeMeaning = 'by-version'): Features {
  return inTree === 'any-member' ? (anyMember[minor] as Features) : versions.featuresOf(minor)
}
