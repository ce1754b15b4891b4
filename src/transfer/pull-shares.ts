import type { ProviderSlot } from '../kernel/ids.ts'
import { ensureClass } from '../placement/classes/classes.ts'
import { findBackendByName } from '../scheduling/pools/pools.ts'
import { SHARE_GB } from '../scheduling/pools/share-class.ts'
import { createOwnProvider, dropBackend, dropPool, setPoolSpace } from '../shares/backends/backends.ts'
import type { ShareDecision } from '../shares/refusals.ts'
import { makeForgetOps } from '../shares/share/hints.ts'
import { mirrorShare } from '../shares/share/holding.ts'
import { type Change, makeRowOp, type RowOp } from '../world/change.ts'
import { CLOUD_DRIVER, cloudOf } from '../world/cloud-owned.ts'
import { accept, NO_CHANGE } from '../world/decision.ts'
import { type Rehearsal, rehearse } from '../world/rehearsal.ts'
import { HINT_KINDS, type ShareRow } from '../world/shares.ts'
import type { AnyRow } from '../world/table.ts'
import type { TableName } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import type { PulledBackend, PulledPool, PulledShare, PulledShareLine } from './pulled-shares.ts'

/** What became of one line; a line that stays out says why. */
export type ShareDid =
  | { readonly did: 'created' | 'updated' | 'removed' | 'unchanged' | 'ignored' }
  | {
      readonly did: 'left'
      readonly reason: 'exists' | 'reference-missing' | 'name-taken' | 'misfit'
      readonly why: string
    }

const leave = (reason: Extract<ShareDid, { did: 'left' }>['reason'], why: string): ShareDid => ({
  did: 'left',
  reason,
  why,
})

interface SharePullParts {
  readonly mark: string
  /** For new providers. */
  readonly newUuid: () => string
  readonly nowMs: number
}

/** Back ends, pools and shares of a cloud: rows here, and providers, inventories and allocations in the ledger. */
export class SharePull {
  readonly #world: World
  readonly #rehearsal: Rehearsal
  readonly #parts: SharePullParts

  constructor(world: World, rehearsal: Rehearsal, parts: SharePullParts) {
    this.#world = world
    this.#rehearsal = rehearsal
    this.#parts = parts
  }

  take(line: PulledShareLine): ShareDid {
    if (line.table === 'share_backends') return this.#takeBackend(line.row)
    return line.table === 'share_pools' ? this.#takePool(line.row) : this.#takeShare(line.row)
  }

  remove(line: PulledShareLine): ShareDid {
    if (line.table === 'shares') return this.#removeShare(line.row.uuid)
    return line.table === 'share_pools'
      ? this.#removePool(line.row.pool)
      : this.#removeBackend(line.row.backend)
  }

  #takeBackend(wanted: PulledBackend): ShareDid {
    const { mark, newUuid, nowMs } = this.#parts
    const before = findBackendByName(this.#world, wanted.backend)
    if (before !== undefined && before.applied_by !== mark)
      return leave('exists', describeOwner(before.applied_by))
    if (before === undefined) {
      const fields = { uuid: newUuid(), name: wanted.backend, parent: null }
      if (!this.#suppose(createOwnProvider(this.#world, fields, nowMs))) return TAKEN
    }
    const at = wanted.backend.indexOf('@')
    return this.#put('share_backends', before, {
      provider_id: this.#world.providers.findName(wanted.backend) as number,
      host: wanted.backend.slice(0, at),
      name: wanted.backend.slice(at + 1),
      driver: CLOUD_DRIVER,
      settings: '{}',
      capabilities: wanted.capabilities,
      availability_zone: wanted.availability_zone,
      is_disabled: wanted.is_disabled,
      disabled_reason: wanted.disabled_reason,
      applied_by: mark,
    })
  }

  #takePool(wanted: PulledPool): ShareDid {
    const { mark, newUuid, nowMs } = this.#parts
    const world = this.#world
    const backend = findBackendByName(world, wanted.backend)
    // Its back end was left out and reported.
    if (backend === undefined || backend.applied_by !== mark) return { did: 'ignored' }
    if (!wanted.pool.startsWith(`${wanted.backend}#`))
      return leave('misfit', `its name does not begin with ${wanted.backend}#, its back end`)
    const found = world.providers.findName(wanted.pool)
    const before = found === undefined ? undefined : world.shares.pools.get(found)
    if (before === undefined) {
      const parent = world.providers.uuid(backend.provider_id as ProviderSlot)
      const fields = { uuid: newUuid(), name: wanted.pool, parent }
      if (!this.#suppose(createOwnProvider(world, fields, nowMs))) return TAKEN
      this.#suppose(makeClassKnown(world, nowMs))
    }
    const { total_gb: totalGb, over_subscription: overSubscription } = wanted
    const reservedGb = Math.min(wanted.reserved_gb, totalGb)
    const space = setPoolSpace(world, wanted.pool, { totalGb, reservedGb, overSubscription }, nowMs)
    const isResized = this.#suppose(space) && space.ok && space.answer !== null
    const { did } = this.#put('share_pools', before, {
      provider_id: world.providers.findName(wanted.pool) as number,
      backend_id: backend.provider_id,
      name: wanted.pool.slice(wanted.backend.length + 1),
      reserved_percentage: wanted.reserved_percentage,
      capabilities: wanted.capabilities,
    })
    return { did: did === 'unchanged' && isResized ? 'updated' : did } as ShareDid
  }

  #takeShare(wanted: PulledShare): ShareDid {
    const { mark, nowMs } = this.#parts
    const world = this.#world
    const { shares } = world
    const before = shares.findShare(wanted.uuid)
    if (before !== undefined && before.applied_by !== mark)
      return leave('exists', describeOwner(before.applied_by))
    if (before === undefined && world.consumers.find(wanted.uuid) !== undefined)
      return leave('misfit', 'a consumer of the ledger has its id')
    const type = shares.types.find(wanted.share_type)
    if (type === undefined)
      return leave('reference-missing', `there is no share type ${wanted.share_type} here`)
    for (const name of [wanted.pool, wanted.target_pool])
      if (name !== null && this.#findPool(name) === null)
        return leave('reference-missing', `there is no pool ${name} of this cloud here`)
    const row = this.#makeShareRow(wanted, type.id)
    const did = this.#put('shares', before, row, before?.created_at ?? wanted.created_at)
    const share = shares.findShare(wanted.uuid) as ShareRow
    const isBooked = before === undefined || HELD.some(column => before[column] !== share[column])
    if (isBooked) this.#rehearsal.suppose({ ops: [...mirrorShare(world, share, nowMs)] })
    const parts = this.#listPartOps(share, wanted)
    if (parts.length > 0) this.#rehearsal.suppose({ ops: parts })
    return did.did === 'unchanged' && parts.length > 0 ? { did: 'updated' } : did
  }

  #makeShareRow(wanted: PulledShare, type_id: number) {
    return {
      uuid: wanted.uuid,
      project_id: wanted.project_id,
      user_id: wanted.user_id,
      name: wanted.name,
      description: wanted.description,
      size: wanted.size,
      protocol: wanted.protocol,
      type_id,
      pool_id: wanted.pool === null ? null : this.#findPool(wanted.pool),
      status: wanted.status,
      task_state: wanted.task_state,
      is_public: wanted.is_public,
      availability_zone: wanted.availability_zone,
      snapshot: wanted.snapshot,
      export_path: null,
      target_pool_id: wanted.target_pool === null ? null : this.#findPool(wanted.target_pool),
      target_type_id: null,
      target_path: null,
      target_size: null,
      is_move_forced: 0,
      is_forced: 0,
      applied_by: this.#parts.mark,
      deleted_at: null,
    }
  }

  /** Null if it is no pool of this cloud. */
  #findPool(name: string): number | null {
    const { providers, shares } = this.#world
    const id = providers.findName(name)
    const pool = id === undefined ? undefined : shares.pools.get(id)
    if (pool === undefined) return null
    return shares.backends.get(pool.backend_id)?.applied_by === this.#parts.mark ? pool.provider_id : null
  }

  /** Metadata and hints. */
  #listPartOps(share: ShareRow, wanted: PulledShare): RowOp[] {
    const { shares } = this.#world
    const share_id = share.id
    const metadata = Object.entries(JSON.parse(wanted.metadata) as Record<string, string>)
    const hints = HINT_KINDS.flatMap(kind =>
      listUuids(wanted[kind]).map((other, place) => ({ share_id, kind, other, place })),
    )
    return [
      ...listRowOps(
        'share_metadata',
        shares.metadata.list(share_id),
        metadata.map(([key, value]) => ({ share_id, key, value })),
        ({ key }) => String(key),
      ),
      ...listRowOps(
        'share_hints',
        shares.hints.list(share_id),
        hints,
        ({ kind, other }) => `${kind} ${other}`,
      ),
    ]
  }

  #removeShare(uuid: string): ShareDid {
    const { mark, nowMs } = this.#parts
    const world = this.#world
    const share = world.shares.findShare(uuid)
    if (share === undefined || share.applied_by !== mark) return { did: 'ignored' }
    const released = mirrorShare(world, { ...share, pool_id: null, target_pool_id: null }, nowMs)
    const metadata = world.shares.metadata.list(share.id).map(row => makeRowOp('share_metadata', row, null))
    const hints = makeForgetOps(world, share)
    this.#rehearsal.suppose({ ops: [...released, ...metadata, ...hints, makeRowOp('shares', share, null)] })
    return { did: 'removed' }
  }

  #removePool(name: string): ShareDid {
    const id = this.#findPool(name)
    if (id === null) return { did: 'ignored' }
    return this.#drop(dropPool(this.#world, id))
  }

  /** With its pools. */
  #removeBackend(name: string): ShareDid {
    const world = this.#world
    const row = findBackendByName(world, name)
    if (row === undefined || row.applied_by !== this.#parts.mark) return { did: 'ignored' }
    return this.#drop(
      rehearse(world, rehearsal => {
        for (const pool of world.shares.listPools(row.provider_id)) {
          const dropped = dropPool(world, pool)
          if (!dropped.ok) return dropped
          rehearsal.suppose(dropped.change)
        }
        const dropped = dropBackend(world, row, name)
        if (!dropped.ok) return dropped
        rehearsal.suppose(dropped.change)
        return accept(rehearsal.change, dropped.answer)
      }),
    )
  }

  #drop(decision: ShareDecision<unknown>): ShareDid {
    if (this.#suppose(decision)) return { did: 'removed' }
    const shares = !decision.ok && decision.refusal.kind === 'backend-in-use' ? decision.refusal.shares : 0
    return leave('misfit', `it has ${shares} shares here`)
  }

  #suppose(decision: ShareDecision<unknown>): boolean {
    if (!decision.ok) return false
    if (decision.change.ops.length > 0) this.#rehearsal.suppose(decision.change)
    return true
  }

  /** `created_at` is the time of this store, unless the cloud tells it. */
  #put(
    table: 'share_backends' | 'share_pools' | 'shares',
    before: AnyRow | undefined,
    wanted: AnyRow,
    createdAt: number | null = null,
  ): ShareDid {
    const { nowMs } = this.#parts
    if (before === undefined) {
      const id = table === 'shares' ? { id: this.#world.shares.shares.nextId() } : {}
      const row = { ...id, ...wanted, created_at: createdAt ?? nowMs, updated_at: null }
      this.#rehearsal.suppose({ ops: [makeRowOp(table, null, row)] })
      return { did: 'created' }
    }
    if (Object.keys(wanted).every(column => before[column] === wanted[column])) return { did: 'unchanged' }
    this.#rehearsal.suppose({ ops: [makeRowOp(table, before, { ...before, ...wanted, updated_at: nowMs })] })
    return { did: 'updated' }
  }
}

const listUuids = (joined: string): string[] => [...new Set(joined === '' ? [] : joined.split(','))]

const TAKEN = leave('name-taken', 'another provider has the same name')

/** What the ledger follows from. */
const HELD = ['pool_id', 'target_pool_id', 'size', 'project_id', 'user_id'] as const

function makeClassKnown(world: World, nowMs: number): ShareDecision<null> {
  const made = ensureClass(world, { name: SHARE_GB }, nowMs)
  const change: Change = made.ok ? made.change : NO_CHANGE
  return accept(change, null)
}

/** Berth serves its own back ends and shares, so they are never taken over. */
function describeOwner(appliedBy: string | null): string {
  const cloud = cloudOf(appliedBy)
  return cloud === null ? 'Berth serves one of its own with that name or id' : `it belongs to cloud ${cloud}`
}

function listRowOps<R extends AnyRow>(
  table: TableName,
  before: readonly R[],
  wanted: readonly R[],
  keyOf: (row: R) => string,
): RowOp[] {
  const known = new Map(before.map(row => [keyOf(row), row]))
  const kept = new Set(wanted.map(keyOf))
  const changed = wanted.flatMap(row => {
    const old = known.get(keyOf(row))
    const isSame = old !== undefined && Object.keys(row).every(column => old[column] === row[column])
    return isSame ? [] : [makeRowOp(table, old ?? null, row)]
  })
  return [...before.filter(row => !kept.has(keyOf(row))).map(row => makeRowOp(table, row, null)), ...changed]
}
