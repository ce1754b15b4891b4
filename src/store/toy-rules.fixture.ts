import { type ConsumerSlot, classId, type ProviderSlot } from '../kernel/ids.ts'
import { type Change, insert, type RowOp, remove, update } from '../world/change.ts'
import { accept, refuse } from '../world/decision.ts'
import type { Row } from '../world/tables.ts'
import type { World } from '../world/world.ts'

/**
 * A small cloud over the real tables, for tests of the store: hosts with two resource classes, and consumers
 * that hold the same amount of both on each of their hosts. Small, but it never overbooks.
 */
const TOY_CLASSES = ['VCPU', 'MEMORY_MB'] as const
const CLASSES = [classId(0), classId(1)] as const

type Refusal = 'exists' | 'unknown' | 'no-room'

function classRows(world: World): RowOp[] {
  return TOY_CLASSES.flatMap((name, id) =>
    world.classes.id(name) === undefined ? [insert('resource_classes', { id, name, updated_at: 0 })] : [],
  )
}

function addHost(world: World, { host, total }: { host: string; total: number }, nowMs: number) {
  if (world.providers.findName(host) !== undefined) return refuse<Refusal>('exists')
  const id = world.providers.free.lowest
  const row = { id, uuid: `uuid-${host}`, name: host, generation: 0, parent_id: null, updated_at: nowMs }
  const inventories = CLASSES.map(class_id =>
    insert('inventories', {
      provider_id: id,
      class_id,
      total,
      reserved: 0,
      min_unit: 1,
      max_unit: total,
      step_size: 1,
      allocation_ratio: 1,
      updated_at: nowMs,
    }),
  )
  return accept({ ops: [...classRows(world), insert('resource_providers', row), ...inventories] }, id)
}

/** Every write that touches a host's usage raises its generation. */
function touchHosts(world: World, slots: readonly ProviderSlot[], nowMs: number): RowOp[] {
  return slots.map(slot => {
    const before = world.providers.row(slot)
    return update('resource_providers', before, {
      ...before,
      generation: before.generation + 1,
      updated_at: nowMs,
    })
  })
}

interface Claim {
  consumer: string
  hosts: readonly string[]
  amount: number
}

function claim(world: World, { consumer, hosts, amount }: Claim, nowMs: number) {
  if (world.consumers.find(consumer) !== undefined) return refuse<Refusal>('exists')
  const slots = hosts.map(host => world.providers.findName(host))
  if (slots.includes(undefined)) return refuse<Refusal>('unknown')
  const known = slots as ProviderSlot[]
  if (!known.every(slot => CLASSES.every(id => world.inventories.columns(id)?.fits(slot, amount))))
    return refuse<Refusal>('no-room')
  const id = world.consumers.free.lowest
  const row: Row<'consumers'> = {
    id,
    uuid: consumer,
    generation: 1,
    project_id: 'p',
    user_id: 'u',
    consumer_type: null,
    updated_at: nowMs,
  }
  const held = known.flatMap(provider_id =>
    CLASSES.map(class_id => insert('allocations', { consumer_id: id, provider_id, class_id, used: amount })),
  )
  const change: Change = { ops: [insert('consumers', row), ...held, ...touchHosts(world, known, nowMs)] }
  return accept(change, { generation: 1 })
}

function allocationRows(world: World, slot: ConsumerSlot): Row<'allocations'>[] {
  return world.consumers
    .holdings(slot)
    .map(held => ({ consumer_id: slot, provider_id: held.provider, class_id: held.class, used: held.used }))
}

const hostsOf = (rows: readonly Row<'allocations'>[]) =>
  [...new Set(rows.map(row => row.provider_id))] as ProviderSlot[]

function resize(world: World, { consumer, amount }: { consumer: string; amount: number }, nowMs: number) {
  const slot = world.consumers.find(consumer)
  if (slot === undefined) return refuse<Refusal>('unknown')
  const rows = allocationRows(world, slot)
  const grown = (row: Row<'allocations'>) =>
    world.inventories.columns(classId(row.class_id))?.fits(row.provider_id as ProviderSlot, amount - row.used)
  if (!rows.every(row => row.used >= amount || grown(row))) return refuse<Refusal>('no-room')
  const before = world.consumers.row(slot)
  const after = { ...before, generation: before.generation + 1, updated_at: nowMs }
  const ops = [
    update('consumers', before, after),
    ...rows.map(row => update('allocations', row, { ...row, used: amount })),
    ...touchHosts(world, hostsOf(rows), nowMs),
  ]
  return accept({ ops }, { generation: after.generation })
}

function release(world: World, { consumer }: { consumer: string }, nowMs: number) {
  const slot = world.consumers.find(consumer)
  if (slot === undefined) return refuse<Refusal>('unknown')
  const rows = allocationRows(world, slot)
  const ops = [
    ...rows.map(row => remove('allocations', row)),
    remove('consumers', world.consumers.row(slot)),
    ...touchHosts(world, hostsOf(rows), nowMs),
  ]
  return accept({ ops }, null)
}

export const toyRules = { 'add-host': addHost, claim, resize, release }
