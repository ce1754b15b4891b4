import type { ProviderSlot } from '../kernel/ids.ts'
import { AMOUNT_MAX } from '../kernel/number-bounds.ts'
import { setAggregates } from '../placement/aggregates/aggregates.ts'
import {
  addInventory,
  type InventoryRecord,
  type InventoryRefusal,
  replaceInventories,
  updateInventory,
} from '../placement/inventories/inventories.ts'
import { type CreateProviderRefusal, createProvider } from '../placement/providers/providers.ts'
import { type SetTraitsRefusal, setProviderTraits } from '../placement/traits/traits.ts'
import { hostRowOf } from '../scheduling/hosts/hosts.ts'
import { accept, type Decision, refuse } from '../world/decision.ts'
import { inSequence, type Step } from '../world/rehearsal.ts'
import type { World } from '../world/world.ts'
import { addAggregateHost } from './aggregates/aggregates.ts'
import { addHost, type HostFields } from './hosts/host-changes.ts'
import type { ComputeRefusal } from './refusals.ts'

/** A host that is not there yet. */
export interface NewHost {
  readonly name: string
  readonly uuid: string
  /** It is like the host with this root provider: its whole tree, traits, aggregates and what it says of itself. */
  readonly like: ProviderSlot | null
  /** What is otherwise than that. */
  readonly fields: HostFields
  /** The host aggregates that it joins; null: those of the host that it is like. */
  readonly aggregates: readonly number[] | null
}

/** How one inventory is to be; what is not said stays, or is as of a new one. */
interface InventoryChange {
  readonly provider: string
  readonly class: string
  readonly record: Partial<InventoryRecord>
}

export type WhatIfRefusal =
  | ComputeRefusal
  | InventoryRefusal
  | CreateProviderRefusal
  | SetTraitsRefusal
  | { readonly kind: 'total-missing'; readonly provider: string; readonly class: string }

type WhatIfStep = Step<unknown, WhatIfRefusal>

/** Decided by the rules that decide the real thing. */
export function addNewHost(
  world: World,
  host: NewHost,
  newUuid: () => string,
  nowMs: number,
): Decision<unknown, WhatIfRefusal> {
  const { name, uuid, like, fields, aggregates } = host
  const copied = like === null ? {} : fieldsOf(world, like)
  const joined =
    aggregates ?? (like === null ? [] : world.compute.aggregatesOf(like).map(aggregate => aggregate.id))
  const steps: WhatIfStep[] = [at => addHost(at, { ...copied, ...fields, uuid, host: name }, nowMs)]
  if (like !== null) steps.push(...treeSteps(world, like, host, newUuid, nowMs))
  for (const aggregate of joined) steps.push(at => addAggregateHost(at, { aggregate, host: name }, nowMs))
  return inSequence(world, steps)
}

/** What a host has and says of itself. Whether it is disabled or down is its own affair. */
const fieldsOf = (world: World, slot: ProviderSlot): HostFields => ({
  inventories: inventoriesOf(world, slot),
  traits: traitsOf(world, slot),
  capabilities: hostRowOf(world, slot).capabilities,
})

const traitsOf = ({ traits, providerTraits }: World, slot: ProviderSlot): string[] =>
  providerTraits.of(slot).map(id => traits.row(id).name)

const inventoriesOf = ({ inventories, classes }: World, slot: ProviderSlot): [string, InventoryRecord][] =>
  inventories.classesOf(slot).map(id => [classes.name(id), recordOf(inventories.row(slot, id))])

type InventoryRow = ReturnType<World['inventories']['row']>

const recordOf = (row: InventoryRow): InventoryRecord => ({
  total: row?.total ?? 0,
  reserved: row?.reserved ?? 0,
  allocationRatio: row?.allocation_ratio ?? 1,
  minUnit: row?.min_unit ?? 1,
  maxUnit: row?.max_unit ?? AMOUNT_MAX,
  stepSize: row?.step_size ?? 1,
})

/** Everything below the root, and the aggregates of Placement of the whole tree. */
function treeSteps(
  world: World,
  like: ProviderSlot,
  { name, uuid, aggregates: given }: NewHost,
  newUuid: () => string,
  nowMs: number,
): WhatIfStep[] {
  const { providers } = world
  const copies = new Map<ProviderSlot, string>([[like, uuid]])
  const steps: WhatIfStep[] = []
  for (const slot of providers.subtree(like)) {
    if (slot !== like) {
      const provider = newUuid()
      copies.set(slot, provider)
      const parent = copies.get(providers.parentOf(slot)) as string
      const made = { uuid: provider, name: `${name}/${providers.name(slot)}`, parent }
      const inventories = inventoriesOf(world, slot)
      const traits = traitsOf(world, slot)
      steps.push(
        at => createProvider(at, made, nowMs),
        at =>
          replaceInventories(
            at,
            { provider, generation: null, inventories, mayBeFullyReserved: true },
            nowMs,
          ),
        at => setProviderTraits(at, { provider, generation: null, traits }, nowMs),
      )
    }
    const joined = aggregatesOf(world, slot, slot === like && given !== null)
    const provider = copies.get(slot) as string
    if (joined.length > 0)
      steps.push(at => setAggregates(at, { provider, generation: null, aggregates: joined }, nowMs))
  }
  return steps
}

/** Of Placement; where the host aggregates are given, without those that only these put it into. */
function aggregatesOf(world: World, slot: ProviderSlot, withoutHostAggregates: boolean): string[] {
  const uuids = world.providerAggregates.of(slot).map(id => world.aggregates.uuid(id))
  if (!withoutHostAggregates) return uuids
  const ofHost = new Set(world.compute.aggregatesOf(slot).map(aggregate => aggregate.uuid))
  return uuids.filter(one => !ofHost.has(one))
}

export function changeInventory(
  world: World,
  { provider, class: name, record }: InventoryChange,
  nowMs: number,
): Decision<unknown, WhatIfRefusal> {
  const slot = world.providers.find(provider)
  if (slot === undefined) return refuse({ kind: 'provider-missing', uuid: provider })
  const id = world.classes.id(name)
  if (id === undefined) return refuse({ kind: 'class-missing', name })
  const row = world.inventories.row(slot, id)
  if (row === null && record.total === undefined)
    return refuse({ kind: 'total-missing', provider, class: name })
  const command = {
    provider,
    class: name,
    mayBeFullyReserved: true,
    record: { ...recordOf(row), ...record },
    generation: world.providers.generation[slot] as number,
  }
  const decided = row === null ? addInventory(world, command, nowMs) : updateInventory(world, command, nowMs)
  return decided.ok ? accept(decided.change, null) : decided
}
