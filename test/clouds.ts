/** Small random clouds as plain data, and random questions to ask of them. */
import fc from 'fast-check'
import type {
  CandidateBehaviour,
  CandidateRequest,
  RequestGroup,
} from '../src/placement/candidates/request.ts'
import { World } from '../src/world/world.ts'

export interface Cloud {
  /** Parents before children. */
  readonly providers: readonly CloudProvider[]
}

export interface CloudProvider {
  readonly uuid: string
  readonly parent: string | null
  /** Where it lies in memory: neither dense nor in the order of the tree. */
  readonly slot: number
  readonly inventories: Readonly<Record<string, CloudInventory>>
  readonly traits: readonly string[]
  readonly aggregates: readonly string[]
}

interface CloudInventory {
  readonly total: number
  readonly reserved: number
  readonly minUnit: number
  readonly maxUnit: number
  readonly stepSize: number
  readonly ratio: number
  readonly used: number
}

/** A request that version 1.`minor` of the API can express. */
export interface Query {
  readonly minor: number
  readonly request: CandidateRequest
}

export const SHARING_TRAIT = 'MISC_SHARES_VIA_AGGREGATE'

/** The last of each exists but is never used. */
export const KNOWN_CLASSES = ['VCPU', 'DISK_GB', 'SRIOV_NET_VF', 'CUSTOM_MAGIC', 'MEMORY_MB'] as const
export const KNOWN_TRAITS = [
  'HW_CPU_X86_AVX',
  'HW_NIC_SRIOV',
  'CUSTOM_FAST',
  SHARING_TRAIT,
  'CUSTOM_IDLE',
] as const
const UNKNOWN_CLASS = 'CUSTOM_NO_SUCH_CLASS'
const UNKNOWN_TRAIT = 'CUSTOM_NO_SUCH_TRAIT'

const numberedUuid = (prefix: string, number: number): string =>
  `${prefix.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`

export const providerUuid = (number: number): string => numberedUuid('0', number)
export const consumerUuid = (number: number): string => numberedUuid('c', number)
const AGGREGATES = [1, 2, 3].map(number => numberedUuid('a', number))
const UNKNOWN_AGGREGATE = numberedUuid('a', 999)
const UNKNOWN_PROVIDER = providerUuid(999)

const PROVIDERS_MAX = 9
const DEPTH_MAX = 3

/** A root has depth 1. */
function depthOf(providers: readonly CloudProvider[], uuid: string | null): number {
  const found = providers.find(provider => provider.uuid === uuid)
  return found === undefined ? 0 : 1 + depthOf(providers, found.parent)
}

const inventories: fc.Arbitrary<CloudInventory> = fc
  .record({
    total: fc.constantFrom(8, 8, 4, 1, 2, 6, 10, 16),
    reserved: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, 99),
    minUnit: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 2, 3),
    maxUnit: fc.constantFrom(2147483647, 2147483647, 2147483647, 8, 4, 2, 1),
    stepSize: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 2, 3),
    ratio: fc.constantFrom(1, 1, 1, 1, 1.5, 16, 0.5, 1.1, 0.3, 0),
    used: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 12),
  })
  .map(inventory => ({ ...inventory, reserved: Math.min(inventory.reserved, inventory.total) }))

const providerRecipes = fc.record({
  parent: fc.nat({ max: 11 }),
  classes: fc.oneof<fc.Arbitrary<number[]>[]>(
    fc.constant([0, 1, 2]),
    fc.subarray([0, 1, 2, 3], { minLength: 1 }),
    fc.subarray([0, 1, 2, 3]),
  ),
  inventories: fc.array(inventories, { minLength: 4, maxLength: 4 }),
  traits: fc.subarray(['HW_CPU_X86_AVX', 'HW_NIC_SRIOV', 'CUSTOM_FAST']),
  sharing: fc.constantFrom('never', 'never', 'never', 'never', 'never', 'as root', 'as root', 'always'),
  aggregates: fc.constantFrom([], [], [], [0], [0], [0], [1], [1], [2], [0, 1], [1, 2]),
})

export const clouds: fc.Arbitrary<Cloud> = fc
  .record({
    nesting: fc.constantFrom('none', 'some', 'much', 'much'),
    shared: fc.constantFrom(false, true, true),
    providers: fc.oneof(
      { withCrossShrink: true },
      { weight: 1, arbitrary: fc.array(providerRecipes, { minLength: 1, maxLength: PROVIDERS_MAX }) },
      { weight: 3, arbitrary: fc.array(providerRecipes, { minLength: 6, maxLength: PROVIDERS_MAX }) },
    ),
    slots: fc.uniqueArray(fc.nat({ max: 70 }), { minLength: PROVIDERS_MAX, maxLength: PROVIDERS_MAX }),
  })
  .map(({ nesting, shared, providers: recipes, slots }) => {
    const providers: CloudProvider[] = []
    recipes.forEach((recipe, at) => {
      const parents = providers.filter(earlier => depthOf(providers, earlier.uuid) < DEPTH_MAX)
      const odds = { none: 0, some: 4, much: 9 }[nesting] as number
      const parent = recipe.parent < odds ? pick(parents, recipe.parent)?.uuid : undefined
      const sharing = recipe.sharing === 'always' || (recipe.sharing === 'as root' && parent === undefined)
      providers.push({
        uuid: providerUuid(at + 1),
        parent: parent ?? null,
        slot: slots[at] as number,
        inventories: Object.fromEntries(
          recipe.classes.map(id => [KNOWN_CLASSES[id] as string, recipe.inventories[id] as CloudInventory]),
        ),
        traits: sharing && shared ? [...recipe.traits, SHARING_TRAIT] : recipe.traits,
        aggregates: recipe.aggregates.map(id => AGGREGATES[id] as string),
      })
    })
    return { providers }
  })

function pick<T>(list: readonly T[], number: number): T | undefined {
  return list.length === 0 ? undefined : list[number % list.length]
}

/** The world that a store with this cloud in it would load. */
export function buildWorld(cloud: Cloud): World {
  const world = new World()
  const times = { updated_at: 0 }
  const aggregates = [...AGGREGATES].reverse()
  KNOWN_CLASSES.forEach((name, id) => {
    world.load('resource_classes', { id: id * 7, name, ...times })
  })
  KNOWN_TRAITS.forEach((name, id) => {
    world.load('traits', { id: id * 5 + 1, name, ...times })
  })
  aggregates.forEach((uuid, id) => {
    world.load('aggregates', { id: id + 1, uuid })
  })
  const slotOf = new Map(cloud.providers.map(provider => [provider.uuid, provider.slot]))
  for (const { uuid, slot, parent } of cloud.providers.toSorted((a, b) => a.slot - b.slot)) {
    const parent_id = parent === null ? null : (slotOf.get(parent) as number)
    world.load('resource_providers', { id: slot, uuid, name: uuid, generation: 0, parent_id, ...times })
  }
  for (const provider of cloud.providers) {
    const provider_id = provider.slot
    for (const name of provider.traits)
      world.load('provider_traits', { provider_id, trait_id: world.traits.id(name) as number })
    for (const uuid of provider.aggregates)
      world.load('provider_aggregates', { provider_id, aggregate_id: world.aggregates.find(uuid) as number })
    for (const [name, inventory] of Object.entries(provider.inventories)) {
      const class_id = world.classes.id(name) as number
      world.load('inventories', {
        provider_id,
        class_id,
        total: inventory.total,
        reserved: inventory.reserved,
        min_unit: inventory.minUnit,
        max_unit: inventory.maxUnit,
        step_size: inventory.stepSize,
        allocation_ratio: inventory.ratio,
        ...times,
      })
    }
  }
  loadUsages(world, cloud)
  return world
}

function loadUsages(world: World, cloud: Cloud): void {
  usagesOf(cloud).forEach(({ provider, className, used }, id) => {
    const owner = { project_id: 'p', user_id: 'u', consumer_type: null }
    world.load('consumers', { id, uuid: consumerUuid(id), generation: 1, ...owner, updated_at: 0 })
    const class_id = world.classes.id(className) as number
    world.load('allocations', { consumer_id: id, provider_id: provider.slot, class_id, used })
  })
}

/** Every usage is the allocation of its own consumer. */
export function usagesOf(cloud: Cloud): { provider: CloudProvider; className: string; used: number }[] {
  return cloud.providers.flatMap(provider =>
    Object.entries(provider.inventories)
      .filter(([, { used }]) => used > 0)
      .map(([className, { used }]) => ({ provider, className, used })),
  )
}

export function behaviourOf(minor: number): CandidateBehaviour {
  return { nested: minor >= 29, inTreeTouches: minor >= 40 }
}

/**
 * Requests are made from numbers that mean nothing without a cloud, so that cloud and request shrink
 * independently. Most numbers pick what one tree of the cloud really has: random wishes would rarely be granted.
 */
const numbers = fc.nat({ max: 9999 })
const oneIn = <T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
const wishes = fc.record({
  numbers: fc.oneof<fc.Arbitrary<number[]>[]>(
    fc.tuple(numbers),
    fc.tuple(numbers),
    fc.array(numbers, { minLength: 1, maxLength: 3 }),
  ),
  isStray: fc.constantFrom(false, false, false, false, true),
})
type Wish = typeof wishes extends fc.Arbitrary<infer T> ? T : never
const wishLists = fc.oneof<fc.Arbitrary<Wish[]>[]>(
  fc.constant([]),
  fc.tuple(wishes),
  fc.tuple(wishes),
  fc.array(wishes, { maxLength: 3 }),
)

const groupRecipes = fc.record({
  target: numbers,
  classes: fc.oneof<fc.Arbitrary<number[]>[]>(
    fc.tuple(numbers),
    fc.array(numbers, { minLength: 1, maxLength: 3 }),
  ),
  amounts: fc.array(fc.constantFrom(0, 0, 0, 1, 2, 3), { minLength: 3, maxLength: 3 }),
  isTooMuch: fc.constantFrom(...Array(15).fill(false), true),
  required: wishLists,
  forbidden: oneIn(3, wishes),
  memberOf: wishLists,
  forbiddenAggregates: oneIn(4, wishes),
  inTree: oneIn(2, wishes),
  isResourceless: fc.constantFrom(false, false, true),
})
type GroupRecipe = typeof groupRecipes extends fc.Arbitrary<infer T> ? T : never

/** What a request is about: with wishes of every kind it would hardly ever be granted. */
const themes = fc.record({
  traits: fc.constantFrom(false, true),
  aggregates: fc.constantFrom(false, true),
  trees: fc.constantFrom(false, true),
  /** Stray wishes are for what does not exist. */
  unknown: fc.constantFrom(...Array(9).fill(false), true),
})
type Theme = typeof themes extends fc.Arbitrary<infer T> ? T : never

const queryRecipes = (minors: readonly number[]) =>
  fc.record({
    minor: fc.constantFrom(...minors),
    theme: themes,
    focus: numbers,
    unsuffixed: fc.option(groupRecipes, { freq: 3 }),
    position: numbers,
    suffixed: fc.array(groupRecipes, { maxLength: 3 }),
    policy: fc.constantFrom<'none' | 'isolate' | null>(null, 'none', 'isolate'),
    rootRequired: oneIn(4, wishes),
    rootForbidden: oneIn(5, wishes),
    sameSubtrees: fc.array(fc.array(numbers, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
    limit: oneIn(3, fc.constantFrom(1, 2, 3, 5)),
  })
type QueryRecipe = ReturnType<typeof queryRecipes> extends fc.Arbitrary<infer T> ? T : never

const BERTH_MINORS = [10, 17, 24, 25, 28, 28, 29, 31, 32, 35, 36, 39, 39, 39, 39, 40, 40, 40, 40, 40, 40]
/** What a real Placement speaks too. */
export const PLACEMENT_MINORS = [10, 12, 16, 17, 21, 22, 24, 25, 26, 27, 28, 28, 29, 30, 31].concat([
  32, 33, 34, 34, 35, 35, 36, 36, 36, 37, 38, 38, 39, 39, 39, 39, 39,
])

export interface Questionnaire {
  readonly cloud: Cloud
  readonly queries: readonly Query[]
}

export function questionnaires(queriesMax: number, minors = BERTH_MINORS): fc.Arbitrary<Questionnaire> {
  return fc
    .tuple(clouds, fc.array(queryRecipes(minors), { minLength: 1, maxLength: queriesMax, size: 'max' }))
    .map(([cloud, recipes]) => ({ cloud, queries: recipes.map(recipe => makeQuery(cloud, recipe)) }))
}

function rootOf(cloud: Cloud, provider: CloudProvider): CloudProvider {
  const parent = cloud.providers.find(other => other.uuid === provider.parent)
  return parent === undefined ? provider : rootOf(cloud, parent)
}

/** The tree and what is shared with it. */
function reachOf(cloud: Cloud, root: CloudProvider): CloudProvider[] {
  const tree = cloud.providers.filter(provider => rootOf(cloud, provider) === root)
  const aggregates = tree.flatMap(provider => provider.aggregates)
  const isShared = ({ traits, aggregates: own }: CloudProvider) =>
    traits.includes(SHARING_TRAIT) && own.some(uuid => aggregates.includes(uuid))
  return cloud.providers.filter(provider => tree.includes(provider) || isShared(provider))
}

function makeQuery(cloud: Cloud, recipe: QueryRecipe): Query {
  const { minor, theme } = recipe
  const roots = cloud.providers.filter(provider => provider.parent === null)
  const focus = pick(roots, recipe.focus) as CloudProvider
  const groups = makeGroups(cloud, focus, recipe)
  const isAboutRoots = minor >= 35 && theme.traits
  const rootTraits = (wish: Wish | null, likely: readonly string[]) =>
    isAboutRoots ? pickAll(wish, likely, KNOWN_TRAITS, theme.unknown ? UNKNOWN_TRAIT : null) : []
  const rootRequired = rootTraits(recipe.rootRequired, focus.traits)
  const isPolicyNeeded = groups.filter(group => group.suffix !== '').length > 1
  return {
    minor,
    request: {
      groups,
      groupPolicy: minor < 25 ? null : (recipe.policy ?? (isPolicyNeeded ? 'none' : null)),
      // At 1.40 one list of alternatives is as good as a list of musts.
      rootRequired:
        minor >= 40 && rootRequired.length > 1 ? [rootRequired] : rootRequired.map(name => [name]),
      rootForbidden: rootTraits(recipe.rootForbidden, KNOWN_TRAITS).filter(
        name => !rootRequired.includes(name),
      ),
      sameSubtrees: minor >= 36 && theme.trees ? makeSameSubtrees(groups, recipe.sameSubtrees) : [],
      limit: minor >= 16 ? recipe.limit : null,
    },
  }
}

function makeGroups(cloud: Cloud, focus: CloudProvider, recipe: QueryRecipe): RequestGroup[] {
  const { minor, theme } = recipe
  const reach = reachOf(cloud, focus)
  const givers = reach.filter(provider => Object.keys(provider.inventories).length > 0)
  const suffixes = minor >= 33 ? ['_A', 'net-1', '7'] : ['2', '1', '33']
  const groups = (minor >= 25 ? recipe.suffixed : []).map((each, at) => {
    const target = pick(givers, each.target) ?? focus
    return makeGroup({ cloud, minor, theme }, suffixes[at] as string, each, [target])
  })
  if (recipe.unsuffixed !== null)
    groups.splice(
      recipe.position % (groups.length + 1),
      0,
      makeGroup({ cloud, minor, theme }, '', recipe.unsuffixed, reach),
    )
  if (groups.length === 0) groups.push({ ...SILENT, suffix: '' })
  if (groups.every(group => group.resources.size === 0))
    groups[0] = { ...(groups[0] as RequestGroup), resources: new Map([[KNOWN_CLASSES[0], 1]]) }
  return groups
}

const SILENT: Omit<RequestGroup, 'suffix'> = {
  resources: new Map(),
  required: [],
  forbidden: [],
  memberOf: [],
  forbiddenAggregates: [],
  inTree: null,
}

/** A group without resources must be in one of the lists. */
function makeSameSubtrees(groups: readonly RequestGroup[], picks: readonly number[][]): string[][] {
  const suffixes = groups.map(group => group.suffix).filter(suffix => suffix !== '')
  if (suffixes.length === 0) return []
  const lists = picks.map(list => [...new Set(list.map(number => pick(suffixes, number) as string))])
  const lonely = groups
    .filter(({ suffix, resources }) => resources.size === 0 && !lists.some(list => list.includes(suffix)))
    .map(group => group.suffix)
  return lonely.length === 0 ? lists : [...lists, [...new Set([...lonely, suffixes[0] as string])]]
}

function makeGroup(
  { cloud, minor, theme }: { cloud: Cloud; minor: number; theme: Theme },
  suffix: string,
  recipe: GroupRecipe,
  targets: readonly CloudProvider[],
): RequestGroup {
  const ownTraits = targets.flatMap(target => target.traits)
  const ownAggregates = targets.flatMap(({ aggregates }) => aggregates)
  const rootAggregates = targets.flatMap(target => rootOf(cloud, target).aggregates)
  const traits = (wish: Wish | null, likely: readonly string[]) =>
    pickAll(wish, likely, KNOWN_TRAITS, theme.unknown ? UNKNOWN_TRAIT : null)
  const aggregates = (wish: Wish | null, likely: readonly string[]) =>
    pickAll(wish, likely, AGGREGATES, theme.unknown ? UNKNOWN_AGGREGATE : null)
  const [tree] = pickAll(
    recipe.inTree,
    targets.map(({ uuid }) => uuid),
    cloud.providers.map(({ uuid }) => uuid),
    theme.unknown ? UNKNOWN_PROVIDER : null,
  )
  const required = recipe.required
    .map(wish => traits(wish, ownTraits))
    .map(names => (minor < 39 ? names.slice(0, 1) : names))
  const forbidden = traits(recipe.forbidden, KNOWN_TRAITS)
  const isContradiction = required.some(names => names.every(name => forbidden.includes(name)))
  const memberOf = recipe.memberOf.map(wish => aggregates(wish, [...ownAggregates, ...rootAggregates]))
  const isResourceless = suffix !== '' && minor >= 36 && theme.trees && recipe.isResourceless
  const group: RequestGroup = {
    suffix,
    resources: isResourceless ? new Map() : makeResources(recipe, targets, theme),
    required: theme.traits && minor >= 17 ? required : [],
    forbidden: theme.traits && minor >= 22 && !isContradiction ? forbidden : [],
    memberOf: theme.aggregates && minor >= 21 ? (minor < 24 ? memberOf.slice(0, 1) : memberOf) : [],
    forbiddenAggregates:
      theme.aggregates && minor >= 32 ? aggregates(recipe.forbiddenAggregates, AGGREGATES) : [],
    inTree: theme.trees && minor >= 31 ? (tree ?? null) : null,
  }
  // Without resources it has to say something, or the query would not name it; and it should want something.
  const isWishless = group.required.length + group.memberOf.length === 0
  const isSilent = group.forbidden.length + group.forbiddenAggregates.length === 0 && group.inTree === null
  if (isResourceless && isWishless && (isSilent || recipe.target % 4 > 0))
    return { ...group, required: [[ownTraits[0] ?? KNOWN_TRAITS[0]]], forbidden: [] }
  return group
}

function makeResources(
  recipe: GroupRecipe,
  targets: readonly CloudProvider[],
  theme: Theme,
): Map<string, number> {
  const offers = targets
    .flatMap(target => Object.entries(target.inventories))
    .map(([name, inventory]) => ({ name, amounts: amountsThatFit(inventory) }))
  const good = offers.filter(offer => offer.amounts.length > 0)
  const resources = new Map<string, number>()
  recipe.classes.forEach((number, at) => {
    const offer = pick(good, number) ?? pick(offers, number) ?? { name: KNOWN_CLASSES[0], amounts: [] }
    const most = offer.amounts.at(-1) ?? 0
    const amount = recipe.isTooMuch ? most + 1 : (pick(offer.amounts, recipe.amounts[at] ?? 0) ?? 1)
    resources.set(offer.name, amount)
  })
  if (theme.unknown && recipe.isTooMuch) resources.set(UNKNOWN_CLASS, 1)
  return resources
}

/** Small amounts and the largest. */
function amountsThatFit({
  total,
  reserved,
  ratio,
  used,
  minUnit,
  maxUnit,
  stepSize,
}: CloudInventory): number[] {
  const free = (total - reserved) * ratio - used
  const most = Math.min(Math.floor(free / stepSize) * stepSize, maxUnit)
  return [1, 2, 3, 4, most].filter(
    amount => amount <= free && amount >= minUnit && amount <= maxUnit && amount % stepSize === 0,
  )
}

function pickAll(
  wish: Wish | null,
  likely: readonly string[],
  any: readonly string[],
  unknown: string | null,
): string[] {
  if (wish === null) return []
  const from = !wish.isStray && likely.length > 0 ? likely : any
  const names = wish.numbers.map(number => pick(from, number) as string)
  if (wish.isStray && unknown !== null) names.unshift(unknown)
  return [...new Set(names)]
}
