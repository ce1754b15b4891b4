import { ownValue } from '../../kernel/records.ts'
import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Expected, ExpectedGroup } from './expected.ts'
import { type Held, hasClass, type LedgerTrees } from './trees.ts'

type Allocations = ConsumerFields['allocations']

/** The allocations of a flavor on a host, or why they are unknown. */
type Placing = { readonly allocations: Allocations } | { readonly reason: string }

/** Resources that every host has once: on its root, where several providers have them. */
const HOST_CLASSES: ReadonlySet<string> = new Set(['VCPU', 'PCPU', 'MEMORY_MB', 'DISK_GB'])

/** Places the resources of a flavor on a host. Only without a choice: the driver makes it, and Nova does not show it. */
export function placeOn(
  trees: LedgerTrees,
  root: string,
  expected: Expected,
  /** The allocations that the consumer releases for it. */
  released: readonly Held[] = [],
): Placing {
  if (expected.unseen !== null) return { reason: expected.unseen }
  const placed = new Map<string, Map<string, number>>()
  const taken = new Set<string>()
  for (const group of expected.groups) {
    for (const [names, resources] of partsOf(group)) {
      const found = chooseProvider(trees, root, group, resources)
      if (!('uuid' in found)) return found
      if (group.suffix !== '' && expected.isIsolated && taken.has(found.uuid))
        return { reason: `group_policy isolate needs another provider for ${names}` }
      if (group.suffix !== '') taken.add(found.uuid)
      addResources(placed, found.uuid, resources)
    }
  }
  const full = findFull(trees, placed, released)
  return full === null ? { allocations: toAllocations(placed) } : { reason: full }
}

type Placed = ReadonlyMap<string, ReadonlyMap<string, number>>

function findFull(trees: LedgerTrees, placed: Placed, released: readonly Held[]): string | null {
  for (const [uuid, resources] of placed) {
    const given = released.filter(({ provider }) => provider.uuid === uuid)
    for (const [name, amount] of resources) {
      const provider = trees.ledger.providers.get(uuid)
      if (provider === undefined) return `there is no provider ${uuid}`
      const back = given.reduce((sum, one) => sum + (ownValue(one.resources, name) ?? 0), 0)
      if (trees.freeOf(provider, name) + back < amount)
        return `${provider.name} has no room for ${name}=${amount}`
    }
  }
  return null
}

/** A suffixed group comes from one provider; each class of the other one may come from its own. */
const partsOf = ({ suffix, resources }: ExpectedGroup): (readonly [string, ReadonlyMap<string, number>])[] =>
  suffix !== ''
    ? [[[...resources.keys()].join(','), resources]]
    : [...resources].map(([name, amount]) => [name, new Map([[name, amount]])] as const)

function chooseProvider(
  trees: LedgerTrees,
  root: string,
  group: ExpectedGroup,
  resources: ReadonlyMap<string, number>,
): ProviderFields | { readonly reason: string } {
  const names = [...resources.keys()]
  const offering = trees.reachableFrom(root).filter(one => names.every(name => hasClass(one, name)))
  const fitting = group.suffix === '' ? offering : offering.filter(one => meetsTraits(one, group))
  const [first, ...others] = fitting
  if (first === undefined) return { reason: `no provider of the host has ${names.join(' and ')}` }
  const isPlain = first.uuid === root && names.every(name => HOST_CLASSES.has(name))
  if (others.length > 0 && !isPlain)
    return {
      reason: `${fitting.length} providers of the host have ${names.join(' and ')}, and Nova does not tell which it uses`,
    }
  return first
}

function meetsTraits({ traits }: ProviderFields, { required, anyOf, forbidden }: ExpectedGroup): boolean {
  const has = new Set(traits)
  return (
    required.every(trait => has.has(trait)) &&
    anyOf.every(some => some.some(trait => has.has(trait))) &&
    !forbidden.some(trait => has.has(trait))
  )
}

function addResources(
  placed: Map<string, Map<string, number>>,
  uuid: string,
  resources: ReadonlyMap<string, number>,
): void {
  const here = placed.get(uuid) ?? new Map<string, number>()
  for (const [name, amount] of resources) here.set(name, (here.get(name) ?? 0) + amount)
  placed.set(uuid, here)
}

const toAllocations = (placed: Placed): Allocations =>
  Object.fromEntries([...placed].map(([uuid, one]) => [uuid, { resources: Object.fromEntries(one) }]))

/** Groups beyond this many are not searched: no real flavor has as many. */
const GROUPS_MAX = 8

/** Whether what is held can be the answer to the groups of the flavor, whose totals it meets. */
export function isPlacedRightly(held: readonly Held[], expected: Expected): boolean {
  const suffixed = expected.groups.filter(({ suffix }) => suffix !== '')
  if (suffixed.length > GROUPS_MAX) return true
  const left = new Map(
    held.map(({ provider, resources }) => [
      provider.uuid,
      {
        provider,
        amounts: new Map(Object.entries(resources).filter(([name]) => expected.judged.has(name))),
      },
    ]),
  )
  return search(suffixed, left, expected.isIsolated, new Set())
}

type Left = Map<string, { readonly provider: ProviderFields; readonly amounts: Map<string, number> }>

/** Takes one group after the other from a provider that can have given it. */
function search(
  groups: readonly ExpectedGroup[],
  left: Left,
  isIsolated: boolean,
  taken: ReadonlySet<string>,
): boolean {
  const [group, ...others] = groups
  if (group === undefined) return isEachOnOne(left)
  for (const [uuid, { provider, amounts }] of left) {
    if ((isIsolated && taken.has(uuid)) || !meetsTraits(provider, group)) continue
    if (![...group.resources].every(([name, amount]) => (amounts.get(name) ?? 0) >= amount)) continue
    const rest = new Map(amounts)
    for (const [name, amount] of group.resources) rest.set(name, (rest.get(name) ?? 0) - amount)
    const after = new Map(left).set(uuid, { provider, amounts: rest })
    if (search(others, after, isIsolated, new Set([...taken, uuid]))) return true
  }
  return false
}

/** A class of the unsuffixed group comes from one provider. */
function isEachOnOne(left: Left): boolean {
  const seen = new Set<string>()
  for (const { amounts } of left.values())
    for (const [name, amount] of amounts) {
      if (amount === 0) continue
      if (seen.has(name)) return false
      seen.add(name)
    }
  return true
}

/** Whether each group has a provider on the host that could give it: otherwise the traits of the host have changed since. */
export const canBePlaced = (trees: LedgerTrees, root: string, { groups }: Expected): boolean =>
  groups.every(group =>
    partsOf(group).every(([, resources]) =>
      trees
        .reachableFrom(root)
        .some(
          one =>
            [...resources.keys()].every(name => hasClass(one, name)) &&
            (group.suffix === '' || meetsTraits(one, group)),
        ),
    ),
  )
