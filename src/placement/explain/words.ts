import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import type { Constraint } from './constraints.ts'
import type { Miss } from './misses.ts'
import type { Remedy } from './remedies.ts'

/** Explanations as sentences, made from kinds and numbers only when they are shown. */

const inGroup = (group: string): string => (group === '' ? '' : ` (group ${group})`)
const oneOf = (names: readonly string[]): string =>
  names.length === 1 ? (names[0] as string) : `one of ${names.join(', ')}`

export function constraintText(constraint: Constraint): string {
  switch (constraint.kind) {
    case 'resource':
      return `${constraint.amount} of ${constraint.class}${inGroup(constraint.group)}`
    case 'trait':
      return `trait ${oneOf(constraint.anyOf)}${inGroup(constraint.group)}`
    case 'forbidden-trait':
      return `without trait ${constraint.trait}${inGroup(constraint.group)}`
    case 'aggregate':
      return `member of ${oneOf(constraint.anyOf)}${inGroup(constraint.group)}`
    case 'forbidden-aggregate':
      return `not in aggregate ${constraint.aggregate}${inGroup(constraint.group)}`
    case 'tree':
      return `in the tree of ${constraint.provider}${inGroup(constraint.group)}`
    case 'root-trait':
      return `root has trait ${oneOf(constraint.anyOf)}`
    case 'root-forbidden-trait':
      return `root without trait ${constraint.trait}`
    case 'subtree':
      return `groups ${constraint.groups.join(', ')} in one subtree`
    case 'isolate':
      return 'every group on a provider of its own'
    default:
      return constraint satisfies never
  }
}

/** What one provider lacks, with both numbers: `host-17: MEMORY_MB needs 4096, has 3584 free of 65536`. */
export function missText(world: World, miss: Miss): string {
  return `${world.providers.name(miss.provider)}: ${missWords(miss)}${keptWords(world, miss)}`
}

/** How much of it reservations keep there, so that a full host is no riddle. */
function keptWords(world: World, miss: Miss): string {
  const { reservations, consumers } = world
  const id = miss.kind === 'short' ? world.classes.id(miss.class) : undefined
  if (id === undefined || reservations.size === 0) return ''
  const kept = new Map<string, number>()
  for (const consumer of consumers.onProvider(miss.provider)) {
    const name = reservations.findOf(consumer)?.name
    const held = consumers.holdings(consumer).find(one => one.provider === miss.provider && one.class === id)
    if (name !== undefined && held !== undefined) kept.set(name, (kept.get(name) ?? 0) + held.used)
  }
  if (kept.size === 0) return ''
  const most = [...kept].sort((a, b) => b[1] - a[1]).slice(0, RESERVATIONS_NAMED_MAX)
  return `; ${most.map(([name, amount]) => `reservation ${name} keeps ${amount}`).join(', ')}`
}

const RESERVATIONS_NAMED_MAX = 3

function missWords(miss: Miss): string {
  switch (miss.kind) {
    case 'no-inventory':
      return `${miss.class} needs ${miss.need}, has no inventory of it${inGroup(miss.group)}`
    case 'short':
      return `${miss.class} needs ${miss.need}, has ${miss.free} free of ${miss.capacity}${inGroup(miss.group)}`
    case 'units':
      return `${miss.class} ${unitsWords(miss)}${inGroup(miss.group)}`
    case 'trait-missing':
      return `lacks trait ${oneOf(miss.anyOf)}${inGroup(miss.group)}`
    case 'trait-forbidden':
      return `has the forbidden trait ${miss.trait}${inGroup(miss.group)}`
    case 'not-in-aggregate':
      return `is not in aggregate ${oneOf(miss.anyOf)}${inGroup(miss.group)}`
    case 'in-forbidden-aggregate':
      return `is in the forbidden aggregate ${miss.aggregate}${inGroup(miss.group)}`
    case 'other-tree':
      return `is not in the tree of ${miss.tree}${inGroup(miss.group)}`
    case 'root-trait-missing':
      return `the root lacks trait ${oneOf(miss.anyOf)}`
    case 'root-trait-forbidden':
      return `the root has the forbidden trait ${miss.trait}`
    case 'not-together':
      return 'each group fits on its own, but not all of them together'
    default:
      return miss satisfies never
  }
}

function unitsWords(miss: Extract<Miss, { kind: 'units' }>): string {
  if (miss.need > miss.maxUnit) return `needs ${miss.need}, and max_unit is ${miss.maxUnit}`
  if (miss.need < miss.minUnit) return `needs ${miss.need}, and min_unit is ${miss.minUnit}`
  return `needs ${miss.need}, and step_size is ${miss.stepSize}`
}

export function remedyText(world: World, remedy: Remedy): string {
  const name = (provider: ProviderSlot) => world.providers.name(provider)
  switch (remedy.kind) {
    case 'drop':
      return `Drop: ${constraintText(remedy.constraint)}.`
    case 'drop-group':
      return `Drop the whole ${remedy.group === '' ? 'unsuffixed group' : `group ${remedy.group}`}.`
    case 'ask-less':
    case 'ask-more':
      return `Ask for ${remedy.to} of ${remedy.class} instead of ${remedy.from}${inGroup(remedy.group)}.`
    case 'add-trait':
      return `Give ${name(remedy.provider)} the trait ${remedy.trait}.`
    case 'remove-trait':
      return `Remove the trait ${remedy.trait} from ${name(remedy.provider)}.`
    case 'raise-total':
      return `Raise the total of ${remedy.class} on ${name(remedy.provider)} from ${remedy.from} to ${remedy.to}.`
    case 'raise-max-unit':
      return `Raise max_unit of ${remedy.class} on ${name(remedy.provider)} from ${remedy.from} to ${remedy.to}.`
    case 'join-aggregate':
      return `Add ${name(remedy.provider)} to aggregate ${remedy.aggregate}.`
    case 'leave-aggregate':
      return `Remove ${name(remedy.provider)} from aggregate ${remedy.aggregate}.`
    default:
      return remedy satisfies never
  }
}
