import type { ClassId, ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import type { Row } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import { forgetServer } from '../providers/host-rows.ts'

/** The new allocations of a consumer; none removes the consumer. */
export interface ConsumerClaim {
  readonly consumer: string
  readonly projectId: string
  readonly userId: string
  /** The generation that the client saw; null: none yet; undefined: not checked. */
  readonly generation: number | null | undefined
  /** Undefined: as it is. */
  readonly type: string | undefined
  readonly allocations: readonly ProviderClaim[]
}

export interface ProviderClaim {
  readonly provider: string
  readonly resources: readonly (readonly [name: string, amount: number])[]
}

export type ClaimRefusal =
  | {
      readonly kind: 'consumer-generation'
      readonly consumer: string
      readonly actual: number | null
      readonly given: number | null
    }
  | { readonly kind: 'claimed-provider-missing'; readonly uuid: string }
  | { readonly kind: 'class-missing'; readonly name: string }
  | {
      readonly kind: 'no-inventory'
      readonly classes: readonly string[]
      readonly providers: readonly string[]
    }
  | {
      readonly kind: 'units-violated'
      readonly class: string
      readonly provider: string
      readonly amount: number
      readonly minUnit: number
      readonly maxUnit: number
      readonly stepSize: number
    }
  | {
      readonly kind: 'over-capacity'
      readonly class: string
      readonly provider: string
      readonly amount: number
      readonly used: number
      readonly capacity: number
    }

/** The limits of one inventory for a claim. A reshape supplies its new inventories. */
interface Limits {
  readonly capacity: number
  readonly minUnit: number
  readonly maxUnit: number
  readonly stepSize: number
}

export type LimitsOf = (provider: ProviderSlot, id: ClassId) => Limits | null

export function currentLimits(world: World): LimitsOf {
  return (provider, id) => {
    const columns = world.inventories.columns(id)
    if (!columns?.present.has(provider)) return null
    return {
      capacity: columns.capacity[provider] as number,
      minUnit: columns.minUnit[provider] as number,
      maxUnit: columns.maxUnit[provider] as number,
      stepSize: columns.stepSize[provider] as number,
    }
  }
}

interface ProviderClass {
  readonly provider: ProviderSlot
  readonly class: ClassId
}

interface Holding extends ProviderClass {
  readonly claim: ConsumerClaim
  readonly amount: number
}

/** A set of valid claims: the rows to write, the providers whose generations rise, and the usage afterwards. */
interface Booking {
  readonly kind: 'booking'
  readonly ops: readonly RowOp[]
  readonly raised: ReadonlySet<ProviderSlot>
  usedAfter(provider: ProviderSlot, id: ClassId): number
}

const NONE: ReadonlySet<number> = new Set()

/**
 * Judges all claims together: writes all of them, or none. `avoid`: numbers of consumers that an earlier part of the same change removed; one
 * change uses a number for one consumer only.
 */
export function book(
  world: World,
  claims: readonly ConsumerClaim[],
  limitsOf: LimitsOf,
  nowMs: number,
  avoid: ReadonlySet<number> = NONE,
): Booking | ClaimRefusal {
  const conflict = consumerConflict(world, claims)
  if (conflict !== null) return conflict
  const wanted = wantedHoldings(world, claims)
  if (!Array.isArray(wanted)) return wanted
  const named = [...wanted, ...listReleased(world, claims)]
  const usage = new UsageAfter(world)
  for (const claim of claims) usage.release(claim.consumer)
  const refusal = withoutAnyInventory(world, named, limitsOf) ?? overLimits(world, wanted, limitsOf, usage)
  if (refusal !== null) return refusal
  return {
    kind: 'booking',
    ops: claimOps(world, claims, wanted, nowMs, avoid),
    raised: new Set(named.map(place => place.provider)),
    usedAfter: (provider, id) => usage.used(provider, id),
  }
}

function consumerConflict(world: World, claims: readonly ConsumerClaim[]): ClaimRefusal | null {
  for (const { consumer, generation } of claims) {
    if (generation === undefined) continue
    const slot = world.consumers.find(consumer)
    const actual = slot === undefined ? null : world.consumers.row(slot).generation
    if (actual !== generation) return { kind: 'consumer-generation', consumer, actual, given: generation }
  }
  return null
}

function wantedHoldings(world: World, claims: readonly ConsumerClaim[]): Holding[] | ClaimRefusal {
  for (const claim of claims)
    for (const { provider: uuid } of claim.allocations)
      if (world.providers.find(uuid) === undefined) return { kind: 'claimed-provider-missing', uuid }
  const wanted: Holding[] = []
  for (const claim of claims)
    for (const { provider, resources } of claim.allocations)
      for (const [name, amount] of resources) {
        const id = world.classes.id(name)
        if (id === undefined) return { kind: 'class-missing', name }
        wanted.push({ claim, provider: world.providers.find(provider) as ProviderSlot, class: id, amount })
      }
  return wanted
}

/** A claim for nothing names everything that the consumer holds. */
function listReleased(world: World, claims: readonly ConsumerClaim[]): ProviderClass[] {
  return claims.flatMap(({ consumer, allocations }) => {
    const slot = allocations.length === 0 ? world.consumers.find(consumer) : undefined
    return slot === undefined ? [] : world.consumers.holdings(slot)
  })
}

/** Usage after the consumers' old allocations are removed and the new ones are added. */
class UsageAfter {
  readonly #world: World
  readonly #delta = new Map<ProviderSlot, Map<ClassId, number>>()

  constructor(world: World) {
    this.#world = world
  }

  release(consumer: string): void {
    const slot = this.#world.consumers.find(consumer)
    if (slot === undefined) return
    for (const held of this.#world.consumers.holdings(slot)) this.add(held.provider, held.class, -held.used)
  }

  add(provider: ProviderSlot, id: ClassId, amount: number): void {
    let deltas = this.#delta.get(provider)
    if (deltas === undefined) {
      deltas = new Map()
      this.#delta.set(provider, deltas)
    }
    deltas.set(id, (deltas.get(id) ?? 0) + amount)
  }

  used(provider: ProviderSlot, id: ClassId): number {
    return this.#world.inventories.used(provider, id) + (this.#delta.get(provider)?.get(id) ?? 0)
  }
}

function overLimits(
  world: World,
  wanted: readonly Holding[],
  limitsOf: LimitsOf,
  usage: UsageAfter,
): ClaimRefusal | null {
  for (const { provider, class: id, amount } of wanted) {
    const namePlace = () => ({ class: world.classes.name(id), provider: world.providers.uuid(provider) })
    const limits = limitsOf(provider, id)
    if (limits === null)
      return { kind: 'no-inventory', classes: [namePlace().class], providers: [namePlace().provider] }
    const { capacity, minUnit, maxUnit, stepSize } = limits
    if (amount < minUnit || amount > maxUnit || amount % stepSize !== 0)
      return { kind: 'units-violated', ...namePlace(), amount, minUnit, maxUnit, stepSize }
    const used = usage.used(provider, id)
    usage.add(provider, id, amount)
    // If an inventory shrank below its usage, a write that does not increase the usage is accepted.
    const before = world.inventories.used(provider, id)
    if (used + amount > capacity && !(before > 0 && used + amount <= before))
      return { kind: 'over-capacity', ...namePlace(), amount, used, capacity }
  }
  return null
}

/** Providers without any of the requested classes are refused first, with all these classes named. */
function withoutAnyInventory(
  world: World,
  named: readonly ProviderClass[],
  limitsOf: LimitsOf,
): ClaimRefusal | null {
  const classes = new Set(named.map(place => place.class))
  const providers = new Set(named.map(place => place.provider))
  const bare = [...providers].filter(provider => ![...classes].some(id => limitsOf(provider, id) !== null))
  if (bare.length === 0) return null
  return {
    kind: 'no-inventory',
    classes: [...classes].sort((a, b) => a - b).map(id => world.classes.name(id)),
    providers: bare.map(provider => world.providers.uuid(provider)),
  }
}

function claimOps(
  world: World,
  claims: readonly ConsumerClaim[],
  wanted: readonly Holding[],
  nowMs: number,
  avoid: ReadonlySet<number>,
): RowOp[] {
  const isNew = (claim: ConsumerClaim) =>
    claim.allocations.length > 0 && world.consumers.find(claim.consumer) === undefined
  const freeSlots = world.consumers.free
    .first(claims.filter(isNew).length + avoid.size)
    .filter(slot => !avoid.has(slot))
    .values()
  const byClaim = Map.groupBy(wanted, holding => holding.claim)
  const ops: RowOp[] = []
  for (const claim of claims) {
    const known = world.consumers.find(claim.consumer)
    if (claim.allocations.length === 0) {
      if (known !== undefined) ops.push(...forgetConsumer(world, known))
      continue
    }
    const slot = known ?? (freeSlots.next().value as ConsumerSlot)
    ops.push(consumerOp(world, claim, known, slot, nowMs), ...leaveReservation(world, claim, known))
    ops.push(...holdingOps(world, known, slot, byClaim.get(claim) ?? []))
  }
  return ops
}

/** What is given another type by a client is no part of a reservation any more, and does not end with it. */
function leaveReservation(
  { consumers, reservations }: World,
  { type }: ConsumerClaim,
  known: ConsumerSlot | undefined,
): RowOp[] {
  const place = known === undefined ? undefined : reservations.slotOf(known)
  if (known === undefined || place === undefined || type === undefined) return []
  return type === consumers.row(known).consumer_type ? [] : [remove('reservation_slots', place)]
}

function consumerOp(
  world: World,
  claim: ConsumerClaim,
  known: ConsumerSlot | undefined,
  slot: ConsumerSlot,
  nowMs: number,
): RowOp {
  const before = known === undefined ? null : world.consumers.row(known)
  const after: Row<'consumers'> = {
    id: slot,
    uuid: claim.consumer,
    generation: (before?.generation ?? 0) + 1,
    project_id: claim.projectId,
    user_id: claim.userId,
    consumer_type: claim.type ?? before?.consumer_type ?? null,
    updated_at: nowMs,
  }
  return before === null ? insert('consumers', after) : update('consumers', before, after)
}

function holdingOps(
  world: World,
  known: ConsumerSlot | undefined,
  slot: ConsumerSlot,
  wanted: readonly Holding[],
): RowOp[] {
  const row = (provider_id: number, class_id: number, used: number): Row<'allocations'> => ({
    consumer_id: slot,
    provider_id,
    class_id,
    used,
  })
  const old = new Map<string, Row<'allocations'>>()
  if (known !== undefined)
    for (const held of world.consumers.holdings(known))
      old.set(`${held.provider} ${held.class}`, row(held.provider, held.class, held.used))
  const ops: RowOp[] = []
  for (const { provider, class: id, amount } of wanted) {
    const key = `${provider} ${id}`
    const before = old.get(key)
    old.delete(key)
    const after = row(provider, id, amount)
    if (before === undefined) ops.push(insert('allocations', after))
    else if (before.used !== amount) ops.push(update('allocations', before, after))
  }
  return [...[...old.values()].map(gone => remove('allocations', gone)), ...ops]
}

/** A consumer without allocations is deleted. */
export function forgetConsumer(world: World, slot: ConsumerSlot): RowOp[] {
  const ops: RowOp[] = world.consumers.holdings(slot).map(held =>
    remove('allocations', {
      consumer_id: slot,
      provider_id: held.provider,
      class_id: held.class,
      used: held.used,
    }),
  )
  return [...ops, ...forgetServer(world, slot), remove('consumers', world.consumers.row(slot))]
}
