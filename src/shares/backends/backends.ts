import type { ProviderSlot } from '../../kernel/ids.ts'
import { AMOUNT_MAX } from '../../kernel/number-bounds.ts'
import { ensureClass } from '../../placement/classes/classes.ts'
import { replaceInventories } from '../../placement/inventories/inventories.ts'
import { createProvider, deleteProvider } from '../../placement/providers/providers.ts'
import { findBackendByName, nameOrEmpty } from '../../scheduling/pools/pools.ts'
import { findShareClass, SHARE_GB } from '../../scheduling/pools/share-class.ts'
import { insert, remove, update } from '../../world/change.ts'
import { accept, NO_CHANGE, refuse } from '../../world/decision.ts'
import { decideInSequence, type Step } from '../../world/rehearsal.ts'
import type { BackendRow, PoolRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'
import { isStuck } from '../worker/steps.ts'
import type { DeclaredBackend, DeclaredBackends, DeclaredPool } from './declared-backends.ts'
import { findRootsFault, type RealRoots } from './roots.ts'

type BackendStep = Step<BackendChange | null, ShareRefusal>

export interface BackendChange {
  readonly what: string
  /** `kept`: has shares, and the command says to keep those. */
  readonly did: 'added' | 'changed' | 'removed' | 'kept'
}

export interface DeclareBackends {
  readonly declared: DeclaredBackends
  /** The name of this set. What an earlier declaration of the set created and this one lacks is deleted. */
  readonly owner: string
  readonly dryRun?: boolean
  /** Keeps undeclared back ends that have shares, instead of refusing everything. */
  readonly keepUsed?: boolean
  /** Resolved paths of declared and existing back ends; a missing entry is its own path. */
  readonly realRoots?: RealRoots
  /** One per back end and pool. */
  readonly newUuids: readonly string[]
}

/** Makes back ends and pools as declared, in one commit, or says why not. One with shares is not deleted. */
export function declareBackends(
  world: World,
  command: DeclareBackends,
  nowMs: number,
): ShareDecision<readonly BackendChange[]> {
  const decision = decideInSequence(world, planSteps(world, command, nowMs))
  if (!decision.ok) return decision
  const plan = decision.answer.filter(one => one !== null)
  return accept(command.dryRun === true ? NO_CHANGE : decision.change, plan)
}

function* planSteps(world: World, command: DeclareBackends, nowMs: number): Generator<BackendStep> {
  const { declared, owner } = command
  const uuids = command.newUuids.values()
  const newUuid = () => uuids.next().value as string
  yield at => {
    const made = ensureClass(at, { name: SHARE_GB }, nowMs)
    return accept(made.ok ? made.change : NO_CHANGE, null)
  }
  const kept = new Map(declared.backends.map(one => [`${declared.host}@${one.name}`, one]))
  for (const [name, backend] of kept) {
    yield* planBackend({ name, host: declared.host, backend, owner, newUuid, nowMs })
    for (const pool of backend.pools) yield* planPool(name, pool, newUuid, nowMs)
  }
  // Deletes last, so that no number is used twice in one change.
  const drop = (step: BackendStep): BackendStep =>
    command.keepUsed === true ? at => keepIfUsed(step(at)) : step
  for (const [name, backend] of kept)
    for (const id of findUndeclaredPools(world, name, backend)) yield drop(at => dropPool(at, id))
  for (const row of [...world.shares.backends.rows()]) {
    const name = nameOrEmpty(world, row.provider_id)
    if (row.applied_by !== owner || kept.has(name)) continue
    for (const id of world.shares.listPools(row.provider_id)) yield drop(at => dropPool(at, id))
    yield drop(at => dropBackend(at, row, name))
  }
  yield at => {
    const fault = findRootsFault(at, command.realRoots ?? {})
    return fault === null ? accept(NO_CHANGE, null) : refuse(fault)
  }
}

function keepIfUsed(decision: ShareDecision<BackendChange | null>): ShareDecision<BackendChange | null> {
  if (decision.ok || decision.refusal.kind !== 'backend-in-use') return decision
  return accept(NO_CHANGE, { what: decision.refusal.what, did: 'kept' })
}

interface Declaring {
  readonly name: string
  readonly host: string
  readonly backend: DeclaredBackend
  readonly owner: string
  readonly newUuid: () => string
  readonly nowMs: number
}

function* planBackend(how: Declaring): Generator<BackendStep> {
  const { name, nowMs } = how
  yield at => {
    if (findBackendByName(at, name) !== undefined) return accept(NO_CHANGE, null)
    return createOwnProvider(at, { uuid: how.newUuid(), name, parent: null }, nowMs)
  }
  yield at => {
    const provider_id = at.providers.findName(name) as ProviderSlot
    const before = at.shares.backends.get(provider_id)
    const after = makeBackendRow(provider_id, how, before)
    if (before === undefined)
      return accept({ ops: [insert('share_backends', after)] }, { what: name, did: 'added' })
    if (isSame(before, after)) return accept(NO_CHANGE, null)
    const row = { ...after, updated_at: nowMs }
    return accept({ ops: [update('share_backends', before, row)] }, { what: name, did: 'changed' })
  }
}

function makeBackendRow(provider_id: number, how: Declaring, before: BackendRow | undefined): BackendRow {
  const { host, backend, owner, nowMs } = how
  return {
    provider_id,
    host,
    name: backend.name,
    driver: backend.driver,
    settings: JSON.stringify(backend.settings),
    capabilities: JSON.stringify(backend.capabilities),
    availability_zone: backend.availabilityZone,
    is_disabled: before?.is_disabled ?? 0,
    disabled_reason: before?.disabled_reason ?? null,
    applied_by: owner,
    created_at: before?.created_at ?? nowMs,
    updated_at: before?.updated_at ?? null,
  }
}

function* planPool(
  backend: string,
  pool: DeclaredPool,
  newUuid: () => string,
  nowMs: number,
): Generator<BackendStep> {
  const name = `${backend}#${pool.name}`
  yield at => {
    const found = at.providers.findName(name)
    if (found !== undefined && at.shares.pools.get(found) !== undefined) return accept(NO_CHANGE, null)
    const parent = at.providers.uuid(at.providers.findName(backend) as ProviderSlot)
    return createOwnProvider(at, { uuid: newUuid(), name, parent }, nowMs)
  }
  yield at => {
    const provider_id = at.providers.findName(name) as ProviderSlot
    const backend_id = at.providers.findName(backend) as ProviderSlot
    const before = at.shares.pools.get(provider_id)
    const after: PoolRow = {
      provider_id,
      backend_id,
      name: pool.name,
      reserved_percentage: pool.reservedPercentage,
      capabilities: JSON.stringify(pool.capabilities),
      created_at: before?.created_at ?? nowMs,
      updated_at: before?.updated_at ?? null,
    }
    if (before === undefined)
      return accept({ ops: [insert('share_pools', after)] }, { what: name, did: 'added' })
    if (isSame(before, after)) return accept(NO_CHANGE, null)
    return accept(
      { ops: [update('share_pools', before, { ...after, updated_at: nowMs })] },
      { what: name, did: 'changed' },
    )
  }
  yield at => setPoolInventory(at, name, pool, nowMs)
}

/** Over-subscription is the allocation ratio; reserved space is `reserved`. */
function setPoolInventory(
  world: World,
  name: string,
  { totalGb, reservedPercentage, overSubscription }: DeclaredPool,
  nowMs: number,
): ShareDecision<BackendChange | null> {
  const reservedGb = Math.ceil((totalGb * reservedPercentage) / 100)
  return setPoolSpace(world, name, { totalGb, reservedGb, overSubscription }, nowMs)
}

interface PoolSpace {
  readonly totalGb: number
  readonly reservedGb: number
  readonly overSubscription: number
}

export function setPoolSpace(
  world: World,
  name: string,
  { totalGb: total, reservedGb: reserved, overSubscription }: PoolSpace,
  nowMs: number,
): ShareDecision<BackendChange | null> {
  const provider = world.providers.findName(name) as ProviderSlot
  const id = findShareClass(world)
  const before = id === undefined ? null : world.inventories.row(provider, id)
  if (
    before !== null &&
    before.total === total &&
    before.reserved === reserved &&
    before.allocation_ratio === overSubscription &&
    before.max_unit === AMOUNT_MAX
  )
    return accept(NO_CHANGE, null)
  // Capacity is the only limit: shrinking a pool must not make the allocations in it impossible to write again.
  const record = {
    total,
    reserved,
    minUnit: 1,
    maxUnit: AMOUNT_MAX,
    stepSize: 1,
    allocationRatio: overSubscription,
  }
  const set = replaceInventories(
    world,
    {
      provider: world.providers.uuid(provider),
      generation: null,
      inventories: [[SHARE_GB, record]],
      mayBeFullyReserved: true,
    },
    nowMs,
  )
  if (!set.ok) return refuse({ kind: 'backend-inventory', name, reason: set.refusal.kind })
  return accept(set.change, before === null ? null : { what: name, did: 'changed' })
}

/** Leaves providers of the same name alone that Berth does not own. */
export function createOwnProvider(
  world: World,
  fields: { readonly uuid: string; readonly name: string; readonly parent: string | null },
  nowMs: number,
): ShareDecision<null> {
  const made = createProvider(world, fields, nowMs)
  if (!made.ok) return refuse({ kind: 'backend-name-taken', name: fields.name })
  return accept(made.change, null)
}

function findUndeclaredPools(world: World, name: string, backend: DeclaredBackend): number[] {
  const { shares } = world
  const row = findBackendByName(world, name)
  const declared = new Set(backend.pools.map(pool => pool.name))
  const pools = row === undefined ? [] : shares.listPools(row.provider_id)
  return pools.filter(id => !declared.has((shares.pools.get(id) as PoolRow).name))
}

export function dropBackend(world: World, row: BackendRow, name: string): ShareDecision<BackendChange> {
  const { shares } = world
  const used = shares.listSteps(row.provider_id).length + shares.listPools(row.provider_id).length
  if (used > 0) return refuse({ kind: 'backend-in-use', what: name, shares: used })
  const lease = shares.leases.get(row.provider_id)
  const ops = [
    ...(lease === undefined ? [] : [remove('share_leases', lease)]),
    remove('share_backends', shares.backends.get(row.provider_id) as BackendRow),
  ]
  return dropProvider(world, row.provider_id, ops, name)
}

export function dropPool(world: World, id: number): ShareDecision<BackendChange> {
  const name = nameOrEmpty(world, id)
  const held = world.shares.listInPool(id).length
  if (held > 0) return refuse({ kind: 'backend-in-use', what: name, shares: held })
  const row = world.shares.pools.get(id) as PoolRow
  const steps = world.shares.listSteps(row.backend_id).filter(step => step.pool_id === id)
  const waiting = steps.filter(step => !isStuck(world, step)).length
  if (waiting > 0) return refuse({ kind: 'backend-in-use', what: name, shares: waiting })
  // Without the pool, leftovers there cannot be reached.
  const ops = [...steps.map(step => remove('share_steps', step)), remove('share_pools', row)]
  return dropProvider(world, id, ops, name)
}

function dropProvider(
  world: World,
  id: number,
  ops: readonly ReturnType<typeof remove>[],
  name: string,
): ShareDecision<BackendChange> {
  const gone = deleteProvider(world, { provider: world.providers.uuid(id as ProviderSlot) })
  if (!gone.ok) return refuse({ kind: 'backend-in-use', what: name, shares: 0 })
  return accept({ ops: [...ops, ...gone.change.ops] }, { what: name, did: 'removed' })
}

function isSame<R extends object>(before: R, after: R): boolean {
  return (Object.keys(after) as (keyof R)[]).every(column => after[column] === before[column])
}

interface SetBackend {
  readonly backend: string
  readonly isDisabled: boolean
  readonly reason: string | null
}

/** A disabled back end gets no new shares; existing ones stay. */
export function setBackend(world: World, command: SetBackend, nowMs: number): ShareDecision<null> {
  const before = findBackendByName(world, command.backend)
  if (before === undefined) return refuse({ kind: 'backend-missing', backend: command.backend })
  const after = {
    ...before,
    is_disabled: Number(command.isDisabled),
    disabled_reason: command.isDisabled ? command.reason : null,
    updated_at: nowMs,
  }
  return accept({ ops: [update('share_backends', before, after)] }, null)
}
