/**
 * What `GET /allocation_candidates` must answer, by brute force over plain data: try everything, keep what is
 * allowed. It knows nothing of the engine and is only ever compared with it.
 */
import type {
  CandidateBehaviour,
  CandidateRefusal,
  CandidateRequest,
  RequestGroup,
} from '../src/placement/candidates/request.ts'
import { type Cloud, type CloudProvider, KNOWN_CLASSES, KNOWN_TRAITS, SHARING_TRAIT } from './clouds.ts'

/** Resources by uuid and class, and providers by suffix, as one text: equal candidates have equal texts. */
type CanonicalCandidate = string

type ModelAnswer =
  | { readonly kind: 'refused'; readonly refusal: CandidateRefusal }
  | ({ readonly kind: 'found' } & ModelFound)

export interface ModelFound {
  /** Without any limit, each once, and the roots that can anchor it. */
  readonly candidates: ReadonlyMap<CanonicalCandidate, ModelCandidate>
  readonly summaries: ReadonlySet<string>
}

interface ModelCandidate {
  readonly uses: readonly Use[]
  readonly anchors: Set<string>
}

/** One provider that serves a whole suffixed group, or one class of the unsuffixed group. */
interface Use {
  readonly suffix: string
  readonly provider: CloudProvider
  readonly resources: readonly (readonly [className: string, amount: number])[]
}

/** One way to serve one group. */
type Serving = readonly Use[]

const NOTHING: ModelAnswer = { kind: 'found', candidates: new Map(), summaries: new Set() }

export function modelCandidates(
  cloud: Cloud,
  request: CandidateRequest,
  behaviour: CandidateBehaviour,
): ModelAnswer {
  const checked = checkRequest(cloud, request, behaviour)
  if (checked !== 'fine') return checked
  const candidates = new Map<CanonicalCandidate, ModelCandidate>()
  for (const anchor of anchorsOf(cloud, request)) {
    const servings = request.groups.map(group => servingsOf(cloud, group, anchor, behaviour))
    for (const combination of product(servings)) {
      const uses = combination.flat()
      if (!isAllowed(cloud, request, behaviour, uses)) continue
      const text = canonicalOf(uses)
      const known = candidates.get(text)
      if (known === undefined) candidates.set(text, { uses, anchors: new Set([anchor.uuid]) })
      else known.anchors.add(anchor.uuid)
    }
  }
  const kept = [...candidates.values()].map(candidate => candidate.uses)
  return { kind: 'found', candidates, summaries: summariesOf(cloud, behaviour, kept) }
}

/**
 * The request is read in order: root traits first, then group by group. An unknown name is refused, unless what
 * was read before already allows nothing. Each group is judged by itself here, not together with the others.
 */
function checkRequest(
  cloud: Cloud,
  request: CandidateRequest,
  behaviour: CandidateBehaviour,
): ModelAnswer | 'fine' {
  const rootTraits = [...request.rootRequired.flat(), ...request.rootForbidden]
  const strange = rootTraits.find(isUnknownTrait)
  if (strange !== undefined) return refused('unknown-trait', strange)
  const anchors = anchorsOf(cloud, request)
  if (rootTraits.length > 0 && anchors.length === 0) return NOTHING

  for (const group of request.groups) {
    const strangeClass = [...group.resources.keys()].find(isUnknownClass)
    if (strangeClass !== undefined) return refused('unknown-class', strangeClass)
    if (!cloud.providers.some(provider => isMember(provider, group.memberOf))) return NOTHING
    const strangeTrait = [...group.required.flat(), ...group.forbidden].find(isUnknownTrait)
    if (strangeTrait !== undefined) return refused('unknown-trait', strangeTrait)
    if (group.inTree !== null && findRoot(cloud, group.inTree) === undefined) return NOTHING
    if (anchors.every(anchor => servingsOf(cloud, group, anchor, behaviour).length === 0)) return NOTHING
  }
  return 'fine'
}

const isUnknownTrait = (name: string): boolean => !(KNOWN_TRAITS as readonly string[]).includes(name)
const isUnknownClass = (name: string): boolean => !(KNOWN_CLASSES as readonly string[]).includes(name)
const refused = (kind: CandidateRefusal['kind'], name: string): ModelAnswer => ({
  kind: 'refused',
  refusal: { kind, name },
})

/** The roots that candidates may be built around. */
export function anchorsOf(cloud: Cloud, request: CandidateRequest): CloudProvider[] {
  return cloud.providers.filter(
    provider =>
      provider.parent === null &&
      request.rootRequired.every(anyOf => anyOf.some(trait => provider.traits.includes(trait))) &&
      !request.rootForbidden.some(trait => provider.traits.includes(trait)),
  )
}

/** Every way in which the tree of the anchor, and what is shared with it, can serve one group by itself. */
export function servingsOf(
  cloud: Cloud,
  group: RequestGroup,
  anchor: CloudProvider,
  behaviour: CandidateBehaviour,
): Serving[] {
  const servings = product(choicesOf(cloud, group, anchor, behaviour))
  if (group.suffix !== '') return servings
  return servings.filter(uses => {
    const traits = uses.flatMap(use => use.provider.traits)
    return group.required.every(names => names.some(name => traits.includes(name)))
  })
}

/** Who could serve a suffixed group, or each class of the unsuffixed group. */
export function choicesOf(
  cloud: Cloud,
  group: RequestGroup,
  anchor: CloudProvider,
  behaviour: CandidateBehaviour,
): Use[][] {
  const reachable = cloud.providers.filter(provider => isReachable(cloud, provider, anchor))
  if (group.suffix !== '')
    return [
      reachable
        .filter(provider => servesAlone(cloud, group, provider, behaviour))
        .map(provider => ({ suffix: group.suffix, provider, resources: [...group.resources] })),
    ]
  return [...group.resources].map(([className, amount]) =>
    reachable
      .filter(provider => servesPartly(cloud, group, provider, anchor, behaviour))
      .filter(provider => fits(provider, className, amount))
      .map(provider => ({ suffix: '', provider, resources: [[className, amount]] })),
  )
}

function isReachable(cloud: Cloud, provider: CloudProvider, anchor: CloudProvider): boolean {
  if (rootOf(cloud, provider) === anchor) return true
  const isSharing = provider.traits.includes(SHARING_TRAIT)
  return isSharing && treeOf(cloud, anchor).some(member => haveCommonAggregate(member, provider))
}

function servesAlone(
  cloud: Cloud,
  group: RequestGroup,
  provider: CloudProvider,
  behaviour: CandidateBehaviour,
): boolean {
  const inTreeBinds = group.resources.size > 0 || behaviour.inTreeTouches
  // Without resources a group must want traits or aggregates: neither what it forbids nor in_tree is a wish.
  if ([...group.resources, ...group.required, ...group.memberOf].length === 0) return false
  return (
    [...group.resources].every(([className, amount]) => fits(provider, className, amount)) &&
    group.required.every(names => names.some(name => provider.traits.includes(name))) &&
    !group.forbidden.some(name => provider.traits.includes(name)) &&
    isMember(provider, group.memberOf) &&
    !group.forbiddenAggregates.some(uuid => provider.aggregates.includes(uuid)) &&
    (!inTreeBinds || group.inTree === null || rootOf(cloud, provider) === findRoot(cloud, group.inTree))
  )
}

/** Whether the unsuffixed group may take something from this provider when built around this anchor. */
function servesPartly(
  cloud: Cloud,
  group: RequestGroup,
  provider: CloudProvider,
  anchor: CloudProvider,
  behaviour: CandidateBehaviour,
): boolean {
  const isOfTree = rootOf(cloud, provider) === anchor
  const inTreeBinds = group.inTree !== null && !behaviour.inTreeTouches
  if (inTreeBinds && !(isOfTree && anchor === findRoot(cloud, group.inTree as string))) return false
  // An aggregate of the root counts for its whole tree, but not for what is shared with it.
  const isIn = isMember(provider, group.memberOf) || (isOfTree && isMember(anchor, group.memberOf))
  const shunned = [...provider.aggregates, ...anchor.aggregates]
  return (
    isIn &&
    !group.forbiddenAggregates.some(uuid => shunned.includes(uuid)) &&
    !group.forbidden.some(name => provider.traits.includes(name))
  )
}

/** One request of this size fits: room left and the rules for units. */
function fits(provider: CloudProvider, className: string, amount: number): boolean {
  const inventory = provider.inventories[className]
  return (
    inventory !== undefined &&
    inventory.used + amount <= (inventory.total - inventory.reserved) * inventory.ratio &&
    amount >= inventory.minUnit &&
    amount <= inventory.maxUnit &&
    amount % inventory.stepSize === 0
  )
}

/** In some aggregate of every list, by itself. */
function isMember(provider: CloudProvider, memberOf: RequestGroup['memberOf']): boolean {
  return memberOf.every(list => list.some(uuid => provider.aggregates.includes(uuid)))
}

/** What holds of all groups together. */
function isAllowed(
  cloud: Cloud,
  request: CandidateRequest,
  behaviour: CandidateBehaviour,
  uses: readonly Use[],
): boolean {
  return (
    (request.groupPolicy !== 'isolate' || isIsolated(uses)) &&
    request.sameSubtrees.every(suffixes => isSubtree(cloud, providersOf(uses, suffixes))) &&
    hasRoom(uses) &&
    (behaviour.nested || usesEachTreeOnce(cloud, uses)) &&
    (!behaviour.inTreeTouches || touchesTree(cloud, request, uses))
  )
}

function isIsolated(uses: readonly Use[]): boolean {
  const providers = uses.filter(use => use.suffix !== '').map(use => use.provider)
  return new Set(providers).size === providers.length
}

const providersOf = (uses: readonly Use[], suffixes: readonly string[]): CloudProvider[] =>
  uses.filter(use => suffixes.includes(use.suffix)).map(use => use.provider)

/** One of the providers is above all others, or is them. */
function isSubtree(cloud: Cloud, providers: readonly CloudProvider[]): boolean {
  return providers.some(top => providers.every(provider => lineOf(cloud, provider).includes(top)))
}

/** Units of a single request were checked before; the sum must respect only capacity and max_unit. */
function hasRoom(uses: readonly Use[]): boolean {
  return [...totalsOf(uses)].every(([provider, amounts]) =>
    [...amounts].every(([className, amount]) => {
      const inventory = provider.inventories[className]
      if (inventory === undefined) return false
      const capacity = (inventory.total - inventory.reserved) * inventory.ratio
      return inventory.used + amount <= capacity && amount <= inventory.maxUnit
    }),
  )
}

function usesEachTreeOnce(cloud: Cloud, uses: readonly Use[]): boolean {
  const providers = [...totalsOf(uses).keys()]
  return new Set(providers.map(provider => rootOf(cloud, provider))).size === providers.length
}

function touchesTree(cloud: Cloud, request: CandidateRequest, uses: readonly Use[]): boolean {
  const uuid = request.groups.find(group => group.suffix === '')?.inTree ?? null
  return uuid === null || uses.some(use => rootOf(cloud, use.provider) === findRoot(cloud, uuid))
}

/** Whole trees of the providers that give something; for those who do not know trees, only these providers. */
export function summariesOf(
  cloud: Cloud,
  behaviour: CandidateBehaviour,
  kept: readonly (readonly Use[])[],
): Set<string> {
  const givers = kept.flatMap(uses => [...totalsOf(uses).keys()])
  const listed = behaviour.nested ? givers.flatMap(giver => treeOf(cloud, rootOf(cloud, giver))) : givers
  return new Set(listed.map(provider => provider.uuid))
}

/** Amounts by provider and class, over all groups. Providers that give nothing are left out. */
function totalsOf(uses: readonly Use[]): Map<CloudProvider, Map<string, number>> {
  const totals = new Map<CloudProvider, Map<string, number>>()
  for (const { provider, resources } of uses)
    for (const [className, amount] of resources) {
      const amounts = totals.get(provider) ?? new Map<string, number>()
      totals.set(provider, amounts.set(className, (amounts.get(className) ?? 0) + amount))
    }
  return totals
}

function canonicalOf(uses: readonly Use[]): CanonicalCandidate {
  const resources = [...totalsOf(uses)].map(([provider, amounts]): [string, Map<string, number>] => [
    provider.uuid,
    amounts,
  ])
  const suffixes = new Set(uses.map(use => use.suffix))
  const mappings = [...suffixes].map((suffix): [string, string[]] => [
    suffix,
    providersOf(uses, [suffix]).map(provider => provider.uuid),
  ])
  return canonicalText(new Map(resources), new Map(mappings))
}

/** For instance `…01 DISK_GB:1 VCPU:2 + …04 VCPU:1 | '': …01 | '1': …04`. */
export function canonicalText(
  resources: ReadonlyMap<string, ReadonlyMap<string, number>>,
  mappings: ReadonlyMap<string, readonly string[]> | null,
): CanonicalCandidate {
  const given = [...resources].map(([uuid, amounts]) => {
    const texts = [...amounts].map(([className, amount]) => `${className}:${amount}`)
    return `${uuid} ${texts.sort().join(' ')}`
  })
  const mapped = [...(mappings ?? [])].map(
    ([suffix, uuids]) => ` | '${suffix}': ${[...new Set(uuids)].sort().join(' ')}`,
  )
  return given.sort().join(' + ') + mapped.sort().join('')
}

function lineOf(cloud: Cloud, provider: CloudProvider): CloudProvider[] {
  const parent = cloud.providers.find(other => other.uuid === provider.parent)
  return parent === undefined ? [provider] : [provider, ...lineOf(cloud, parent)]
}

function rootOf(cloud: Cloud, provider: CloudProvider): CloudProvider {
  return lineOf(cloud, provider).at(-1) as CloudProvider
}

function treeOf(cloud: Cloud, root: CloudProvider): CloudProvider[] {
  return cloud.providers.filter(provider => rootOf(cloud, provider) === root)
}

function findRoot(cloud: Cloud, uuid: string): CloudProvider | undefined {
  const provider = cloud.providers.find(other => other.uuid === uuid)
  return provider && rootOf(cloud, provider)
}

const haveCommonAggregate = (one: CloudProvider, other: CloudProvider): boolean =>
  one.aggregates.some(uuid => other.aggregates.includes(uuid))

/** Every way to take one of each list. */
function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>(
    (shorter, list) => shorter.flatMap(taken => list.map(next => [...taken, next])),
    [[]],
  )
}
