import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import type { RowOp } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import {
  book,
  type ClaimRefusal,
  type ConsumerClaim,
  currentLimits,
  type LimitsOf,
} from '../allocations/ledger.ts'
import { type InventoryRecord, replacementOps } from '../inventories/inventories.ts'
import { raiseGeneration } from '../providers/generation.ts'

interface Reshape {
  readonly inventories: readonly ProviderInventories[]
  readonly claims: readonly ConsumerClaim[]
}

interface ProviderInventories {
  readonly provider: string
  readonly generation: number
  readonly inventories: readonly (readonly [name: string, record: InventoryRecord])[]
}

export type ReshapeRefusal =
  | { readonly kind: 'reshaped-provider-missing'; readonly uuid: string }
  | {
      readonly kind: 'reshape-generation-conflict'
      readonly uuid: string
      readonly actual: number
      readonly given: number
    }
  | {
      readonly kind: 'reshape-inventory-in-use'
      readonly classes: readonly string[]
      readonly provider: string
    }
  | ClaimRefusal

type NewInventories = Map<ProviderSlot, Map<ClassId, InventoryRecord>>

/**
 * Moves inventories and allocations between providers in one step. Judges claims against old and new
 * inventories together (new ones win); then no allocation may remain on a removed inventory.
 */
export function reshape(world: World, command: Reshape, nowMs: number): Decision<null, ReshapeRefusal> {
  const stale = staleProvider(world, command)
  if (stale !== null) return refuse(stale)
  const wanted: NewInventories = new Map()
  const unknown = resolveInventories(world, command, wanted)
  const booking = book(world, command.claims, interimLimits(world, wanted), nowMs)
  if (booking.kind !== 'booking' && EARLIER.has(booking.kind)) return refuse(booking)
  if (unknown !== null) return refuse(unknown)
  if (booking.kind !== 'booking') return refuse(booking)
  const raises = new Map<ProviderSlot, number>()
  for (const provider of booking.raised) raises.set(provider, 1)
  const ops: RowOp[] = [...booking.ops]
  for (const [provider, inventories] of wanted) {
    const used = world.inventories
      .listClasses(provider)
      .filter(id => !inventories.has(id) && booking.usedAfter(provider, id) > 0)
    if (used.length > 0)
      return refuse({
        kind: 'reshape-inventory-in-use',
        classes: used.map(id => world.classes.name(id)),
        provider: world.providers.uuid(provider),
      })
    ops.push(...replacementOps(world, provider, inventories, nowMs))
    // Clients rely on these numbers: upstream raises once for the union of old and new inventories (unless
    // nothing is new), and once for the result.
    raises.set(provider, (raises.get(provider) ?? 0) + (inventories.size > 0 ? 2 : 1))
  }
  for (const [provider, by] of raises) ops.push(raiseGeneration(world, provider, by, nowMs))
  return accept({ ops }, null)
}

/** The refusals of a claim that are checked before inventories. */
const EARLIER: ReadonlySet<string> = new Set(['consumer-generation', 'claimed-provider-missing'])

function staleProvider(world: World, command: Reshape): ReshapeRefusal | null {
  for (const { provider: uuid, generation: given } of command.inventories) {
    const slot = world.providers.find(uuid)
    if (slot === undefined) return { kind: 'reshaped-provider-missing', uuid }
    const actual = world.providers.generation[slot] as number
    if (actual !== given) return { kind: 'reshape-generation-conflict', uuid, actual, given }
  }
  return null
}

function resolveInventories(world: World, command: Reshape, wanted: NewInventories): ReshapeRefusal | null {
  for (const { provider, inventories } of command.inventories) {
    const records = new Map<ClassId, InventoryRecord>()
    wanted.set(world.providers.find(provider) as ProviderSlot, records)
    for (const [name, record] of inventories) {
      const id = world.classes.id(name)
      if (id === undefined) return { kind: 'class-missing', name }
      records.set(id, record)
    }
  }
  return null
}

function interimLimits(world: World, wanted: NewInventories): LimitsOf {
  const current = currentLimits(world)
  return (provider, id) => {
    const record = wanted.get(provider)?.get(id)
    if (record === undefined) return current(provider, id)
    return {
      capacity: (record.total - record.reserved) * record.allocationRatio,
      minUnit: record.minUnit,
      maxUnit: record.maxUnit,
      stepSize: record.stepSize,
    }
  }
}
