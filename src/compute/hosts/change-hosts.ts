import type { ProviderSlot } from '../../kernel/ids.ts'
import { type InventoryRecord, updateInventory } from '../../placement/inventories/inventories.ts'
import { findHostByName } from '../../scheduling/hosts/hosts.ts'
import { type CloudOwned, cloudOf } from '../../world/cloud-owned.ts'
import { accept, refuse } from '../../world/decision.ts'
import { rehearse } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import { joinAggregate, leaveAggregate } from '../aggregates/aggregates.ts'
import type { ComputeDecision, ComputeRefusal } from '../refusals.ts'
import { setHost } from './hosts.ts'

/** The wanted state of every chosen host. Undefined: unchanged. */
export interface HostsChange {
  readonly isDisabled?: boolean | undefined
  readonly disabledReason?: string | null | undefined
  readonly ratios?: readonly (readonly [className: string, ratio: number])[] | undefined
  /** Host aggregates, by number. */
  readonly join?: readonly number[] | undefined
  readonly leave?: readonly number[] | undefined
}

interface ChangeHosts extends HostsChange {
  readonly hosts: readonly string[]
  /** Generations of root providers that must not have changed, by host. */
  readonly generations: Readonly<Record<string, number>>
}

/** Which hosts changed. The others were in the wanted state already. */
interface ChangedHosts {
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
}

/** The command: as below, but hosts of a cloud are changed there. */
export function changeOwnHosts(
  world: World,
  command: ChangeHosts,
  nowMs: number,
): ComputeDecision<ChangedHosts> {
  const decided = changeHosts(world, command, nowMs)
  const owned = decided.ok ? findCloudHost(world, decided.answer.changed) : null
  return owned === null ? decided : refuse(owned)
}

/** The first of these hosts that was pulled from a cloud. */
export function findCloudHost(world: World, hosts: readonly string[]): CloudOwned | null {
  for (const host of hosts) {
    const slot = world.providers.findName(host)
    const cloud = slot === undefined ? null : cloudOf(world.compute.host(slot)?.applied_by)
    if (cloud !== null) return { kind: 'cloud-owned', cloud, what: `host ${host}` }
  }
  return null
}

/** Brings many hosts to one state, all of them or none, whoever owns them: also for previews. */
export function changeHosts(
  world: World,
  command: ChangeHosts,
  nowMs: number,
): ComputeDecision<ChangedHosts> {
  const missing = findMissingClass(world, command)
  if (missing !== null) return refuse({ kind: 'class-on-no-host', class: missing })
  return rehearse<ComputeDecision<ChangedHosts>>(world, rehearsal => {
    const changed: string[] = []
    const unchanged: string[] = []
    for (const host of new Set(command.hosts)) {
      const slot = findHostByName(world, host)
      if (slot === undefined) return refuse({ kind: 'host-missing', host })
      const conflict = checkGeneration(world, slot, host, command)
      if (conflict !== null) return refuse(conflict)
      let ops = 0
      for (const decide of planSteps(world, slot, host, command, nowMs)) {
        const decision = decide()
        if (!decision.ok) return refuse(decision.refusal)
        rehearsal.suppose(decision.change)
        ops += decision.change.ops.length
      }
      ;(ops > 0 ? changed : unchanged).push(host)
    }
    return accept(rehearsal.change, { changed, unchanged })
  })
}

/** A class of which no chosen host has an inventory is a mistake. */
function findMissingClass(world: World, { hosts, ratios = [] }: ChangeHosts): string | null {
  const slots = hosts.flatMap(host => findHostByName(world, host) ?? [])
  const has = (name: string) => slots.some(slot => listOwners(world, slot, name).length > 0)
  return slots.length === 0 ? null : (ratios.find(([name]) => !has(name))?.[0] ?? null)
}

/** Providers in the tree of a host that have an inventory of a class. */
function listOwners(world: World, host: ProviderSlot, className: string): ProviderSlot[] {
  const id = world.classes.id(className)
  if (id === undefined) return []
  return world.providers.listSubtree(host).filter(slot => world.inventories.has(slot, id))
}

function checkGeneration(
  { providers }: World,
  slot: ProviderSlot,
  host: string,
  { generations }: ChangeHosts,
): ComputeRefusal | null {
  const actual = providers.generation[slot] as number
  const given = Object.hasOwn(generations, host) ? (generations[host] as number) : actual
  return given === actual ? null : { kind: 'host-generation', host, given, actual }
}

type HostStep = () => ComputeDecision<unknown>

/** Each step is decided with the earlier ones in place. Steps that would change nothing are left out. */
function* planSteps(
  world: World,
  slot: ProviderSlot,
  host: string,
  { isDisabled, disabledReason, ratios = [], join = [], leave = [] }: ChangeHosts,
  nowMs: number,
): Generator<HostStep> {
  const isIn = (aggregate: number) => world.compute.aggregateHosts.find(aggregate, slot) !== undefined
  for (const aggregate of leave)
    if (isIn(aggregate)) yield () => leaveAggregate(world, { aggregate, host }, nowMs)
  for (const aggregate of join)
    if (!isIn(aggregate)) yield () => joinAggregate(world, { aggregate, host }, nowMs)
  for (const [name, ratio] of ratios)
    for (const owner of listOwners(world, slot, name))
      if (ratioOf(world, owner, name) !== ratio) yield () => setRatio(world, owner, host, name, ratio, nowMs)
  if (isDisabled !== undefined) yield () => setHost(world, { host, isDisabled, disabledReason }, nowMs)
}

function readInventory(world: World, slot: ProviderSlot, className: string): InventoryRecord {
  const row = world.inventories.row(slot, world.classes.id(className) as never)
  return {
    total: row?.total as number,
    reserved: row?.reserved as number,
    minUnit: row?.min_unit as number,
    maxUnit: row?.max_unit as number,
    stepSize: row?.step_size as number,
    allocationRatio: row?.allocation_ratio as number,
  }
}

const ratioOf = (world: World, slot: ProviderSlot, className: string): number =>
  readInventory(world, slot, className).allocationRatio

function setRatio(
  world: World,
  slot: ProviderSlot,
  host: string,
  className: string,
  allocationRatio: number,
  nowMs: number,
): ComputeDecision<unknown> {
  const decided = updateInventory(
    world,
    {
      provider: world.providers.uuid(slot),
      class: className,
      record: { ...readInventory(world, slot, className), allocationRatio },
      mayBeFullyReserved: true,
      generation: world.providers.generation[slot] as number,
    },
    nowMs,
  )
  return decided.ok ? decided : refuse({ kind: 'host-inventory', host, reason: decided.refusal.kind })
}
