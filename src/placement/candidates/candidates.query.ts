import { ApiError } from '../../http/api.ts'
import { pythonRepr } from '../../http/formats/python-repr.ts'
import type { Query } from '../../http/request/query.ts'
import {
  parseInTree,
  parseMemberOf,
  parseResources,
  parseRootTraits,
  parseTraits,
  type TraitsAsked,
} from '../query-parts.ts'
import type { Features } from '../versions.ts'
import type { CandidateRequest, RequestGroup } from './request.ts'

const BAD_VALUE = 'placement.query.bad_value'
const MISSING_VALUE = 'placement.query.missing_value'
const DUPLICATE_KEY = 'placement.query.duplicate_key'

const NUMBERED_KEY = /^(resources|required|member_of|in_tree)([1-9][0-9]*)?$/
const NAMED_KEY = /^(resources|required|member_of|in_tree)([a-zA-Z0-9_-]{1,64})?$/

/** A query that passed its schema, parsed and converted to the newest form. */
export function parseCandidateRequest(query: Query, features: Features, groupsMax: number): CandidateRequest {
  const limit = parseLimit(query)
  const root = parseRootRequired(query, features)
  const sameSubtrees = parseSameSubtrees(query)
  const groups = parseGroups(query, features, groupsMax)
  const asking = groups.filter(group => !isTreeAlone(group, features))
  if (features.sameSubtree) checkSuffixes(asking, sameSubtrees)
  else checkOrphans(asking)
  if (features.forbiddenTraits) checkConflicts(groups)
  const policy = query.first('group_policy')
  if (policy === undefined || policy === '') {
    if (groups.filter(group => group.suffix !== '').length > 1)
      throw new ApiError(
        400,
        'The "group_policy" parameter is required when specifying more than one "resources{N}" parameter.',
      )
  }
  return {
    groups,
    groupPolicy: policy === 'isolate' || policy === 'none' ? policy : null,
    rootRequired: root.required,
    rootForbidden: root.forbidden,
    sameSubtrees,
    limit,
  }
}

/** The schema checks only the last of repeated limits, but the first one counts. */
function parseLimit(query: Query): number | null {
  const text = query.first('limit')
  if (text === undefined) return null
  if (!/^[1-9][0-9]*$/.test(text))
    throw new ApiError(
      400,
      `Invalid query string parameters: limit must be a whole number from 1. Got: ${text}`,
    )
  return Number(text)
}

function parseRootRequired(query: Query, features: Features): TraitsAsked {
  const values = query.all('root_required')
  if (values.length > 1 && !features.rootAnyTraits)
    throw new ApiError(400, "Query parameter 'root_required' may be specified only once.", DUPLICATE_KEY)
  const { required, forbidden } = parseRootTraits(values, features)
  const unwanted = new Set(forbidden)
  const conflicts = required.filter(anyOf => anyOf.every(name => unwanted.has(name)))
  if (conflicts.length > 0)
    throw new ApiError(
      400,
      `Conflicting required and forbidden traits found in root_required: ${[...new Set(conflicts.flat())].join(', ')}`,
      BAD_VALUE,
    )
  return { required, forbidden }
}

function parseSameSubtrees(query: Query): string[][] {
  return query.all('same_subtree').map(value => {
    const suffixes = [...new Set(value.split(',').map(item => item.trim()))]
    if (suffixes.includes(''))
      throw new ApiError(
        400,
        'Empty string (unsuffixed group) can not be specified in `same_subtree` ',
        BAD_VALUE,
      )
    return suffixes
  })
}

function parseGroups(query: Query, features: Features, groupsMax: number): RequestGroup[] {
  const pattern = features.namedGroups ? NAMED_KEY : NUMBERED_KEY
  const groups = new Map<string, { -readonly [K in keyof RequestGroup]: RequestGroup[K] }>()
  for (const [key, value] of query.entries()) {
    const match = pattern.exec(key)
    if (match === null) continue
    const [, kind, suffix = ''] = match
    let group = groups.get(suffix)
    if (group === undefined) {
      group = emptyGroup(suffix)
      groups.set(suffix, group)
      if (groups.size > groupsMax)
        throw new ApiError(
          400,
          `Too many request groups: this server takes up to ${groupsMax} in one query (max_request_groups).`,
          BAD_VALUE,
        )
    }
    if (kind === 'resources') group.resources = parseResources(value)
    else if (kind === 'in_tree') group.inTree = parseInTree(value)
    else if (kind === 'required') {
      if (group.required.length > 0 || group.forbidden.length > 0) continue
      const asked = parseTraits(query, suffix, features)
      group.required = asked.required
      group.forbidden = asked.forbidden
    } else {
      if (group.memberOf.length > 0 || group.forbiddenAggregates.length > 0) continue
      const asked = parseMemberOf(query, suffix, features)
      group.memberOf = asked.memberOf
      group.forbiddenAggregates = asked.forbidden
    }
  }
  return [...groups.values()]
}

function emptyGroup(suffix: string): RequestGroup {
  return {
    suffix,
    resources: new Map(),
    required: [],
    forbidden: [],
    memberOf: [],
    forbiddenAggregates: [],
    inTree: null,
  }
}

/** In versions where in_tree considers the providers of all groups, its own group needs no resources. */
function isTreeAlone(group: RequestGroup, features: Features): boolean {
  return (
    features.inTreeTouches &&
    group.suffix === '' &&
    group.inTree !== null &&
    group.resources.size + group.required.length + group.forbidden.length === 0 &&
    group.memberOf.length + group.forbiddenAggregates.length === 0
  )
}

/**
 * In versions that allow groups without resources: they must be named in same_subtree, and some group must
 * have resources.
 */
function checkSuffixes(groups: readonly RequestGroup[], sameSubtrees: readonly (readonly string[])[]): void {
  const resourceless = groups.filter(group => group.resources.size === 0).map(group => group.suffix)
  if (resourceless.length === groups.length)
    throw new ApiError(400, 'There must be at least one resources or resources[$S] parameter.', MISSING_VALUE)
  const inSubtrees = [...new Set(sameSubtrees.flat())]
  const unbound = resourceless.filter(suffix => !inSubtrees.includes(suffix))
  if (unbound.length > 0)
    throw new ApiError(
      400,
      'Resourceless suffixed group request should be specified in `same_subtree` query param: ' +
        `bad group(s) - ${pythonRepr(unbound)}.`,
      BAD_VALUE,
    )
  const known = groups.map(group => group.suffix)
  const unknown = inSubtrees.filter(suffix => !known.includes(suffix))
  if (unknown.length > 0)
    throw new ApiError(
      400,
      `Real suffixes should be specified in \`same_subtree\`: ${pythonRepr(unknown)} not found in ` +
        `${pythonRepr(known)}.`,
      BAD_VALUE,
    )
}

function checkOrphans(groups: readonly RequestGroup[]): void {
  const without = groups.filter(group => group.resources.size === 0)
  const traits = without.filter(group => group.required.length > 0).map(group => `required${group.suffix}`)
  if (traits.length > 0)
    throw new ApiError(
      400,
      'All traits parameters must be associated with resources.  Found the following orphaned traits keys: ' +
        traits.join(', '),
    )
  const members = without
    .filter(group => group.memberOf.length > 0 || group.forbiddenAggregates.length > 0)
    .map(group => `member_of${group.suffix}`)
  if (members.length > 0)
    throw new ApiError(
      400,
      'All member_of parameters must be associated with resources. Found the following orphaned member_of ' +
        `keys: ${members.join(', ')}`,
    )
  if (without.length > 0) throw new ApiError(400, 'All request groups must specify resources.')
  if (groups.length === 0)
    throw new ApiError(400, 'At least one request group (`resources` or `resources{$S}`) is required.')
}

/** A trait both required and forbidden; of several alternatives, all of them forbidden. */
function checkConflicts(groups: readonly RequestGroup[]): void {
  const conflicts = groups.flatMap(({ suffix, required, forbidden }) => {
    const unwanted = new Set(forbidden)
    return required
      .filter(anyOf => anyOf.every(name => unwanted.has(name)))
      .map(anyOf => `required${suffix}: (${[...anyOf].sort().join(', ')})`)
  })
  if (conflicts.length > 0)
    throw new ApiError(
      400,
      `Conflicting required and forbidden traits found in the following traits keys: ${conflicts.sort().join(', ')}`,
    )
}
