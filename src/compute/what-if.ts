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
import { getHostRow } from '../scheduling/hosts/hosts.ts'
import { accept, type Decision, refuse } from '../world/decision.ts'
import { decideInSequence, type Step } from '../world/rehearsal.ts'
import type { World } from '../world/world.ts'
import { addAggregateHost } from './aggregates/aggregates.ts'
import { changeHosts, type HostsChange } from './hosts/change-hosts.ts'
import { addHost, type HostFields } from './hosts/hosts.ts'
import type { ComputeRefusal } from './refusals.ts'

/** A host that does not exist yet. */
export interface NewHost {
  readonly name: string
  readonly uuid: string
  /** Like the host with this root provider: its tree, traits, aggregates and settings. */
  readonly like: ProviderSlot | null
  /** Differences from that. */
  readonly fields: HostFields
  /** The host aggregates that it joins; null: those of the host that it is like. */
  readonly aggregates: readonly number[] | null
}

/** Changes to one inventory; other fields stay, or get the defaults of a new one. */
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

/** Decided by the rules that decide real changes. */
export function addNewHost(
  world: World,
  host: NewHost,
  newUuid: () => string,
  nowMs: number,
): Decision<unknown, WhatIfRefusal> {
  const { name, uuid, like, fields, aggregates } = host
  const copied = like === null ? {} : copyFields(world, like)
  const joined =
    aggregates ?? (like === null ? [] : world.compute.getAggregates(like).map(aggregate => aggregate.id))
  const steps: WhatIfStep[] = [at => addHost(at, { ...copied, ...fields, uuid, host: name }, nowMs)]
  if (like !== null) steps.push(...planTree(world, like, host, newUuid, nowMs))
  for (const aggregate of joined) steps.push(at => addAggregateHost(at, { aggregate, host: name }, nowMs))
  return decideInSequence(world, steps)
}

/** Inventory, traits and settings of a host, except whether it is disabled or down. */
const copyFields = (world: World, slot: ProviderSlot): HostFields => ({
  inventories: listInventories(world, slot),
  traits: listTraits(world, slot),
  capabilities: getHostRow(world, slot).capabilities,
})

const listTraits = ({ traits, providerTraits }: World, slot: ProviderSlot): string[] =>
  providerTraits.list(slot).map(id => traits.row(id).name)

const listInventories = ({ inventories, classes }: World, slot: ProviderSlot): [string, InventoryRecord][] =>
  inventories.listClasses(slot).map(id => [classes.name(id), recordOf(inventories.row(slot, id))])

type InventoryRow = ReturnType<World['inventories']['row']>

const recordOf = (row: InventoryRow): InventoryRecord => ({
  total: row?.total ?? 0,
  reserved: row?.reserved ?? 0,
  allocationRatio: row?.allocation_ratio ?? 1,
  minUnit: row?.min_unit ?? 1,
  maxUnit: row?.max_unit ?? AMOUNT_MAX,
  stepSize: row?.step_size ?? 1,
})

/** Everything below the root, and the Placement aggregates of the whole tree. */
function planTree(
  world: World,
  like: ProviderSlot,
  { name, uuid, aggregates: given }: NewHost,
  newUuid: () => string,
  nowMs: number,
): WhatIfStep[] {
  const { providers } = world
  const copies = new Map<ProviderSlot, string>([[like, uuid]])
  const steps: WhatIfStep[] = []
  for (const slot of providers.listSubtree(like)) {
    if (slot !== like) {
      const provider = newUuid()
      copies.set(slot, provider)
      const parent = copies.get(providers.parentOf(slot)) as string
      const made = { uuid: provider, name: `${name}/${providers.name(slot)}`, parent }
      const inventories = listInventories(world, slot)
      const traits = listTraits(world, slot)
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
    const joined = listAggregates(world, slot, slot === like && given !== null)
    const provider = copies.get(slot) as string
    if (joined.length > 0)
      steps.push(at => setAggregates(at, { provider, generation: null, aggregates: joined }, nowMs))
  }
  return steps
}

/** Of Placement; with given host aggregates, without those that only host aggregates added. */
function listAggregates(world: World, slot: ProviderSlot, withoutHostAggregates: boolean): string[] {
  const uuids = world.providerAggregates.list(slot).map(id => world.aggregates.uuid(id))
  if (!withoutHostAggregates) return uuids
  const ofHost = new Set(world.compute.getAggregates(slot).map(aggregate => aggregate.uuid))
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

/** A change to many hosts, of any generation. */
export const changeExistingHosts = (
  world: World,
  hosts: readonly string[],
  change: HostsChange,
  nowMs: number,
) => changeHosts(world, { ...change, hosts, generations: {} }, nowMs)
