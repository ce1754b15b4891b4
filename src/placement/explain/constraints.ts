import type { CandidateRequest, RequestGroup } from '../candidates/request.ts'

/** One condition of a request that could be dropped. */
export type Constraint =
  | { readonly kind: 'resource'; readonly group: string; readonly class: string; readonly amount: number }
  | { readonly kind: 'trait'; readonly group: string; readonly anyOf: readonly string[] }
  | { readonly kind: 'forbidden-trait'; readonly group: string; readonly trait: string }
  | { readonly kind: 'aggregate'; readonly group: string; readonly anyOf: readonly string[] }
  | { readonly kind: 'forbidden-aggregate'; readonly group: string; readonly aggregate: string }
  | { readonly kind: 'tree'; readonly group: string; readonly provider: string }
  | { readonly kind: 'root-trait'; readonly anyOf: readonly string[] }
  | { readonly kind: 'root-forbidden-trait'; readonly trait: string }
  | { readonly kind: 'subtree'; readonly groups: readonly string[] }
  | { readonly kind: 'isolate' }

/** All conditions, in the order of the funnel: what is requested, then where, then in which combination. */
export function constraintsOf(request: CandidateRequest): Constraint[] {
  return [
    ...request.groups.flatMap(group => [
      ...groupConstraints(group),
      ...(group.suffix === '' ? [] : treeOf(group)),
    ]),
    // Any group may use the tree, so this condition comes after all groups.
    ...request.groups.flatMap(group => (group.suffix === '' ? treeOf(group) : [])),
    ...request.rootRequired.map(anyOf => ({ kind: 'root-trait', anyOf }) as const),
    ...request.rootForbidden.map(trait => ({ kind: 'root-forbidden-trait', trait }) as const),
    ...request.sameSubtrees.map(groups => ({ kind: 'subtree', groups }) as const),
    ...(request.groupPolicy === 'isolate' ? [{ kind: 'isolate' } as const] : []),
  ]
}

/** Conditions that choose providers come before those that forbid: a group that only forbids chooses no provider. */
function groupConstraints(group: RequestGroup): Constraint[] {
  const { suffix } = group
  return [
    ...[...group.resources].map(
      ([name, amount]) => ({ kind: 'resource', group: suffix, class: name, amount }) as const,
    ),
    ...group.required.map(anyOf => ({ kind: 'trait', group: suffix, anyOf }) as const),
    ...group.memberOf.map(anyOf => ({ kind: 'aggregate', group: suffix, anyOf }) as const),
    ...group.forbidden.map(trait => ({ kind: 'forbidden-trait', group: suffix, trait }) as const),
    ...group.forbiddenAggregates.map(
      aggregate => ({ kind: 'forbidden-aggregate', group: suffix, aggregate }) as const,
    ),
  ]
}

function treeOf({ suffix, inTree }: RequestGroup): Constraint[] {
  return inTree === null ? [] : [{ kind: 'tree', group: suffix, provider: inTree }]
}

/** The request reduced to these constraints. Groups without any of them are dropped. */
export function requestOf(whole: CandidateRequest, kept: ReadonlySet<Constraint>): CandidateRequest {
  const has = <K extends Constraint['kind']>(kind: K) =>
    [...kept].filter((one): one is Extract<Constraint, { kind: K }> => one.kind === kind)
  const resources = has('resource')
  const groups = whole.groups
    .map(({ suffix }): RequestGroup => {
      const listOfGroup = <C extends { readonly group: string }>(all: readonly C[]) =>
        all.filter(one => one.group === suffix)
      return {
        suffix,
        resources: new Map(listOfGroup(resources).map(one => [one.class, one.amount])),
        required: listOfGroup(has('trait')).map(one => one.anyOf),
        forbidden: listOfGroup(has('forbidden-trait')).map(one => one.trait),
        memberOf: listOfGroup(has('aggregate')).map(one => one.anyOf),
        forbiddenAggregates: listOfGroup(has('forbidden-aggregate')).map(one => one.aggregate),
        inTree: listOfGroup(has('tree'))[0]?.provider ?? null,
      }
    })
    .filter(group => isAsking(group, whole))
  const suffixes = new Set(groups.map(group => group.suffix))
  return {
    groups,
    groupPolicy: has('isolate').length > 0 ? 'isolate' : 'none',
    rootRequired: has('root-trait').map(one => one.anyOf),
    rootForbidden: has('root-forbidden-trait').map(one => one.trait),
    sameSubtrees: has('subtree')
      .map(one => one.groups.filter(suffix => suffixes.has(suffix)))
      .filter(list => list.length > 0),
    limit: null,
  }
}

/** A group is dropped with its last resource. A group without resources is dropped with its last constraint. */
function isAsking(group: RequestGroup, whole: CandidateRequest): boolean {
  if (group.resources.size > 0) return true
  const original = whole.groups.find(one => one.suffix === group.suffix)
  return original?.resources.size === 0 && groupConstraints(group).length + treeOf(group).length > 0
}
