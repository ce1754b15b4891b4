import { Bitset } from '../../kernel/bitset.ts'
import type { ClassId, ProviderSlot, TraitId } from '../../kernel/ids.ts'
import type { InventoryColumns } from '../../world/inventories.ts'
import type { World } from '../../world/world.ts'
import { intersection, ProviderFilter, union } from './filter.ts'
import type { CandidateBehaviour, CandidateRefusal, CandidateRequest, RequestGroup } from './request.ts'

export const SHARING_TRAIT = 'MISC_SHARES_VIA_AGGREGATE'

/**
 * What one provider must serve: a whole suffixed group, or one resource class of the unsuffixed group. A
 * candidate has one provider for each ask.
 */
export interface Ask {
  readonly suffix: string
  readonly suffixed: boolean
  readonly classes: readonly ClassId[]
  readonly amounts: readonly number[]
  readonly columns: readonly InventoryColumns[]
  readonly filter: ProviderFilter
  /** For the unsuffixed group: the provider, or the root of the tree that uses it, must be in this set ... */
  readonly selfOrRootIn: Bitset | null
  /** ... and neither of them may be in this one. */
  readonly selfOrRootNotIn: Bitset | null
  /** The provider's tree must have this root. */
  readonly treeRoot: ProviderSlot | null
}

/** What to search for, in slots and sets of the world. */
export interface Plan {
  readonly asks: readonly Ask[]
  /** What the root of a candidate's tree must satisfy; null if anything will do. */
  readonly rootFilter: ProviderFilter | null
  /** The providers of the unsuffixed group must together be in each of these sets. */
  readonly sharedTraits: readonly Bitset[]
  readonly isolate: boolean
  /** For each same_subtree parameter, the asks that it binds. */
  readonly subtrees: readonly (readonly number[])[]
  /** At least one provider must be in the tree with this root. */
  readonly touchesRoot: ProviderSlot | null
  /** At most one provider of each tree. */
  readonly oneProviderPerTree: boolean
  readonly sharing: readonly ProviderSlot[]
  /** By ask, the sharing providers that could serve it. */
  readonly sharingProviders: readonly (readonly ProviderSlot[])[]
}

type PlanResult = { readonly kind: 'plan'; readonly plan: Plan } | { readonly kind: 'nothing' } | RefusedPlan

/** The request is refused, unless an earlier group alone has no candidate: then the answer is empty. */
interface RefusedPlan {
  readonly kind: 'refused'
  readonly refusal: CandidateRefusal
  /** A plan for each of the earlier groups alone. */
  readonly earlier: readonly Plan[]
}

const NOTHING = { kind: 'nothing' } as const

/**
 * Looks up names in the order of the query. Stops at the first part that no provider can meet; later parts
 * are not checked.
 */
export function makePlan(world: World, request: CandidateRequest, behaviour: CandidateBehaviour): PlanResult {
  const roots = rootFilterOf(world, request)
  if (roots.kind === 'refused') return { ...roots, earlier: [] }
  if (roots.kind === 'nothing') return roots
  const sharing = sharingProviders(world)
  const shared = { rootFilter: roots.filter, sharing, oneProviderPerTree: false }
  const groups: GroupAsks[] = []
  for (const group of request.groups) {
    const made = planGroup(world, group, behaviour)
    if (made.kind === 'nothing') return made
    if (made.kind === 'refused')
      return { ...made, earlier: groups.map(earlier => singleGroupPlan(earlier, shared)) }
    groups.push(made)
  }
  const asks = groups.flatMap(group => group.asks)
  return {
    kind: 'plan',
    plan: {
      ...shared,
      asks,
      sharingProviders: sharingByAsk(asks, sharing),
      sharedTraits: groups.flatMap(group => group.sharedTraits),
      isolate: request.groupPolicy === 'isolate',
      subtrees: request.sameSubtrees.map(suffixes =>
        asks.flatMap((ask, at) => (suffixes.includes(ask.suffix) ? [at] : [])),
      ),
      touchesRoot: groups.find(group => group.touchesRoot !== null)?.touchesRoot ?? null,
      oneProviderPerTree: !behaviour.nested && world.providers.hasTrees,
    },
  }
}

/** Why a part of the request has no plan. */
type Unplanned = typeof NOTHING | { readonly kind: 'refused'; readonly refusal: CandidateRefusal }

interface GroupAsks {
  readonly kind: 'group'
  readonly asks: readonly Ask[]
  readonly sharedTraits: readonly Bitset[]
  readonly touchesRoot: ProviderSlot | null
}

function singleGroupPlan(
  group: GroupAsks,
  shared: Pick<Plan, 'rootFilter' | 'sharing' | 'oneProviderPerTree'>,
): Plan {
  return {
    ...shared,
    asks: group.asks,
    sharingProviders: sharingByAsk(group.asks, shared.sharing),
    sharedTraits: group.sharedTraits,
    // Any group may use the tree, so the condition does not limit a single group.
    touchesRoot: null,
    isolate: false,
    subtrees: [],
  }
}

function sharingByAsk(asks: readonly Ask[], sharing: readonly ProviderSlot[]): ProviderSlot[][] {
  return asks.map(ask => sharing.filter(provider => ask.filter.has(provider)))
}

function planGroup(world: World, group: RequestGroup, behaviour: CandidateBehaviour): GroupAsks | Unplanned {
  const classes: ClassId[] = []
  for (const name of group.resources.keys()) {
    const id = world.classes.id(name)
    if (id === undefined) return { kind: 'refused', refusal: { kind: 'unknown-class', name } }
    classes.push(id)
  }
  const members = group.memberOf.length === 0 ? null : inAggregates(world, group.memberOf)
  if (members?.size === 0) return NOTHING
  const traits = traitSets(world, group)
  if (traits.kind !== 'traits') return traits
  const tree = group.inTree === null ? null : world.providers.find(group.inTree)
  if (tree === undefined) return NOTHING
  const treeRoot = tree === null ? null : world.providers.rootOf(tree)
  const parts: GroupParts = {
    world,
    group,
    classes,
    members,
    barred: group.forbiddenAggregates.length === 0 ? null : inAnyAggregate(world, group.forbiddenAggregates),
    treeRoot,
    ...traits,
  }
  return group.suffix === '' ? unsuffixedAsks(parts, behaviour) : suffixedAsk(parts, behaviour)
}

interface GroupParts {
  readonly world: World
  readonly group: RequestGroup
  readonly classes: readonly ClassId[]
  readonly required: readonly (Bitset | undefined)[]
  readonly forbidden: readonly (Bitset | undefined)[]
  readonly members: Bitset | null
  readonly barred: Bitset | null
  readonly treeRoot: ProviderSlot | null
}

function suffixedAsk(parts: GroupParts, behaviour: CandidateBehaviour): GroupAsks {
  const { world, group, classes } = parts
  const filter = new ProviderFilter()
  const amounts = [...group.resources.values()]
  classes.forEach((id, at) => {
    filter.require(withRoom(world, id, amounts[at] as number))
  })
  for (const set of parts.required) filter.require(set)
  for (const set of parts.forbidden) filter.forbid(set)
  if (parts.members !== null) filter.require(parts.members)
  if (parts.barred !== null) filter.forbid(parts.barred)
  const resourceless = classes.length === 0
  // As upstream, a group that only forbids, or only names a tree, chooses no provider and never matches.
  if (resourceless && filter.all.length === 0) filter.require(undefined)
  const treeBinds = !resourceless || behaviour.inTreeTouches
  const ask: Ask = {
    suffix: group.suffix,
    suffixed: true,
    classes,
    amounts,
    columns: columnsOf(world, classes),
    filter,
    selfOrRootIn: null,
    selfOrRootNotIn: null,
    treeRoot: treeBinds ? parts.treeRoot : null,
  }
  return { kind: 'group', asks: [ask], sharedTraits: [], touchesRoot: null }
}

function unsuffixedAsks(parts: GroupParts, behaviour: CandidateBehaviour): GroupAsks {
  const { world, group, classes } = parts
  const amounts = [...group.resources.values()]
  const touches = behaviour.inTreeTouches
  const asks = classes.map((id, at): Ask => {
    const filter = new ProviderFilter()
    filter.require(withRoom(world, id, amounts[at] as number))
    for (const set of parts.forbidden) filter.forbid(set)
    // With a single class, one provider must have all the traits.
    if (classes.length === 1) for (const set of parts.required) filter.require(set)
    return {
      suffix: '',
      suffixed: false,
      classes: [id],
      amounts: [amounts[at] as number],
      columns: columnsOf(world, [id]),
      filter,
      selfOrRootIn: parts.members,
      selfOrRootNotIn: parts.barred,
      treeRoot: touches ? null : parts.treeRoot,
    }
  })
  return {
    kind: 'group',
    asks,
    sharedTraits: classes.length === 1 ? [] : parts.required.map(set => set ?? new Bitset()),
    touchesRoot: touches ? parts.treeRoot : null,
  }
}

/** The providers to consider for an amount of a class; undefined if it exceeds what any of them allows. */
function withRoom(world: World, id: ClassId, amount: number): Bitset | undefined {
  const columns = world.inventories.columns(id)
  return columns === undefined || amount > columns.unitMax ? undefined : columns.roomy
}

function columnsOf(world: World, classes: readonly ClassId[]): InventoryColumns[] {
  const all: InventoryColumns[] = []
  for (const id of classes) {
    const columns = world.inventories.columns(id)
    if (columns !== undefined) all.push(columns)
  }
  return all
}

function rootFilterOf(
  world: World,
  request: CandidateRequest,
): { kind: 'filter'; filter: ProviderFilter | null } | Unplanned {
  if (request.rootRequired.length === 0 && request.rootForbidden.length === 0)
    return { kind: 'filter', filter: null }
  const filter = new ProviderFilter()
  for (const anyOf of request.rootRequired) {
    const sets: (Bitset | undefined)[] = []
    for (const name of anyOf) {
      const id = world.traits.id(name)
      if (id === undefined) return { kind: 'refused', refusal: { kind: 'unknown-trait', name } }
      sets.push(world.providerTraits.members(id))
    }
    filter.require(union(sets))
  }
  for (const name of request.rootForbidden) {
    const id = world.traits.id(name)
    if (id === undefined) return { kind: 'refused', refusal: { kind: 'unknown-trait', name } }
    filter.forbid(world.providerTraits.members(id))
  }
  return someRootPasses(world, filter) ? { kind: 'filter', filter } : NOTHING
}

function someRootPasses(world: World, filter: ProviderFilter): boolean {
  const { providers } = world
  if (filter.all.length === 0 && !filter.impossible) {
    for (const slot of providers.all()) if (providers.rootOf(slot) === slot && filter.has(slot)) return true
    return false
  }
  const cursor = filter.cursor()
  for (let slot = cursor.next(); slot >= 0; slot = cursor.next())
    if (providers.root[slot] === slot) return true
  return false
}

function traitSets(
  world: World,
  group: RequestGroup,
):
  | { kind: 'traits'; required: (Bitset | undefined)[]; forbidden: (Bitset | undefined)[] }
  | { kind: 'refused'; refusal: CandidateRefusal } {
  const members = (name: string): { id: TraitId; set: Bitset | undefined } | null => {
    const id = world.traits.id(name)
    return id === undefined ? null : { id, set: world.providerTraits.members(id) }
  }
  const required: (Bitset | undefined)[] = []
  for (const anyOf of group.required) {
    const sets: (Bitset | undefined)[] = []
    for (const name of anyOf) {
      const found = members(name)
      if (found === null) return { kind: 'refused', refusal: { kind: 'unknown-trait', name } }
      sets.push(found.set)
    }
    required.push(union(sets))
  }
  const forbidden: (Bitset | undefined)[] = []
  for (const name of group.forbidden) {
    const found = members(name)
    if (found === null) return { kind: 'refused', refusal: { kind: 'unknown-trait', name } }
    forbidden.push(found.set)
  }
  return { kind: 'traits', required, forbidden }
}

function inAnyAggregate(world: World, uuids: readonly string[]): Bitset {
  const sets = uuids.map(uuid => {
    const id = world.aggregates.find(uuid)
    return id === undefined ? undefined : world.providerAggregates.members(id)
  })
  return union(sets) ?? new Bitset()
}

/** The providers that are themselves in one aggregate of each list. */
function inAggregates(world: World, lists: readonly (readonly string[])[]): Bitset {
  return intersection(lists.map(list => inAnyAggregate(world, list)))
}

/** Providers whose inventory every tree with a member in one of their aggregates can use. */
function sharingProviders(world: World): ProviderSlot[] {
  const id = world.traits.id(SHARING_TRAIT)
  const members = id === undefined ? undefined : world.providerTraits.members(id)
  return members === undefined ? [] : ([...members] as ProviderSlot[])
}
