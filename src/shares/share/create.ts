import { providerSlot } from '../../kernel/ids.ts'
import type { ChoiceSummary } from '../../scheduling/framework/choice-summary.ts'
import { reason } from '../../scheduling/framework/refusal.ts'
import { makeShareRequest, type NoPool, pickPool, rankPools } from '../../scheduling/pools/choose.ts'
import { capacityFilter, capacityShort } from '../../scheduling/pools/filters/capacity.ts'
import type { HintedUuids } from '../../scheduling/pools/hints.ts'
import type { PoolView, ShareRequest } from '../../scheduling/pools/pool-view.ts'
import { insert, type RowOp } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { HintKind, ShareRow, ShareTypeRow, SnapshotRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { type Message, noPoolMessage } from '../messages/messages.ts'
import { checkQuota } from '../quotas/quotas.ts'
import type { ShareRefusal } from '../refusals.ts'
import { describeOrigin, makeStepOps, type StepFacts } from '../worker/steps.ts'
import { checkMetadataCount } from './change.ts'
import { checkAddedHints, checkHints, makeNewHintOps } from './hints.ts'
import { bookShare } from './holding.ts'
import { checkTypeSize } from './sizes.ts'

export interface CreateShareAsk {
  readonly uuid: string
  readonly stepUuid: string
  readonly project: string
  readonly user: string
  readonly isAdmin: boolean
  readonly name: string | null
  readonly description: string | null
  readonly size: number
  readonly protocol: string
  readonly type: string
  readonly isPublic: boolean
  readonly zone: string | null
  readonly snapshot: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly hints: HintedUuids
  /** Hints that an admin wrote as metadata. */
  readonly ownHints: HintedUuids
  /** Whether to check hints in metadata. If not, they may name shares that do not exist. */
  readonly checkOwnHints: boolean
  readonly onlyHost: string | null
}

export interface CreateShare extends CreateShareAsk {
  /** The pools that passed a moment ago, best first. */
  readonly rankedPools: readonly number[]
}

export interface Created {
  readonly share: ShareRow
  /** `host@backend#pool`; empty if there is none. */
  readonly pool: string
  readonly poolUuid: string
  readonly because: NoPool | null
  readonly messages: readonly Message[]
}

/**
 * A share and its pool are decided in one command: a later hint that names it finds it placed, or failed. If no pool passes,
 * the share is created in error, with nothing booked.
 */
export function createShare(
  world: World,
  command: CreateShare,
  nowMs: number,
): Decision<Created, ShareRefusal> {
  const sources = findSources(world, command)
  if ('kind' in sources) return refuse(sources)
  const { type, snapshot } = sources
  const hints = mergeHints(command)
  const fault =
    checkHints(world, command.hints, command) ??
    (command.checkOwnHints ? checkAddedHints(world, command.uuid, command.ownHints, hints) : null) ??
    checkMetadataCount(Object.keys(command.metadata).length) ??
    checkTypeSize(world, type, command.size) ??
    checkQuota(world, {
      project: command.project,
      typeId: type.id,
      shareGb: command.size,
      more: { shares: 1, gigabytes: command.size },
    })
  if (fault !== null) return refuse(fault)
  const request = createRequest(world, command, sources, hints, nowMs)
  const choice = pickPool(world, request, command.rankedPools)
  const chosen = choice.kind === 'pool' ? choice.pool : null
  const wanted = makeShare(world, command, type, chosen, nowMs)
  // The filters found space, but the ledger decides.
  const booking = bookShare(world, wanted, nowMs)
  const pool = booking.ok ? chosen : null
  const share = booking.ok ? wanted : makeFailed(wanted, command)
  const ops: RowOp[] = [
    ...(booking.ok ? booking.ops : []),
    insert('shares', share),
    ...Object.entries(command.metadata).map(([key, value]) =>
      insert('share_metadata', { share_id: share.id, key, value }),
    ),
    ...makeNewHintOps(world, share, hints),
  ]
  if (pool !== null) {
    const facts = { size: share.size, ...(snapshot === null ? {} : makeOriginFacts(world, snapshot)) }
    const step = { uuid: command.stepUuid, kind: 'create', pool: pool.id, share: share.uuid, facts } as const
    ops.push(...makeStepOps(world, [step], nowMs))
  }
  const because =
    choice.kind === 'none' ? choice.because : pool === null ? makeNoRoom(choice.pool, request) : null
  const about = { project: share.project_id, share: share.uuid, action: 'allocate-host' } as const
  const messages = because === null ? [] : [noPoolMessage(about, because)]
  const poolUuid = pool === null ? '' : world.providers.uuid(providerSlot(pool.id))
  return accept({ ops }, { share, pool: pool?.name ?? '', poolUuid, because, messages })
}

function createRequest(
  world: World,
  { size, zone, onlyHost }: CreateShareAsk,
  { type, snapshot }: ShareSources,
  hints: HintedUuids,
  nowMs: number,
): ShareRequest {
  const extraSpecs = world.shares.getSpecs(type.id)
  return makeShareRequest(world, {
    operation: 'create',
    sizeGb: size,
    extraSpecs,
    zone,
    onlyHost,
    snapshot,
    hints,
    nowMs,
  })
}

/** Chooses pools before the command runs. Only reads; `createShare` checks again. */
export function rankForCreate(
  world: World,
  ask: CreateShareAsk,
  nowMs: number,
): { readonly rankedPools: readonly number[]; readonly choice: ChoiceSummary | null } {
  const sources = findSources(world, ask)
  if ('kind' in sources) return { rankedPools: [], choice: null }
  return rankPools(world, createRequest(world, ask, sources, ask.hints, nowMs))
}

const makeNoRoom = (pool: PoolView, { sizeGb: need }: ShareRequest): NoPool => ({
  filter: capacityFilter.name,
  reason: reason(capacityShort, {
    need,
    free: 0,
    total: pool.totalGb,
    reserved: pool.reservedGb,
    used: pool.usedGb,
    ratio: pool.ratio,
  }),
})

function mergeHints({ hints, ownHints }: CreateShareAsk): HintedUuids {
  const joinHints = (kind: HintKind) => [...new Set([...hints[kind], ...ownHints[kind]])]
  return { same_host: joinHints('same_host'), different_host: joinHints('different_host') }
}

interface ShareSources {
  readonly type: ShareTypeRow
  readonly snapshot: SnapshotRow | null
}

function findSources({ shares }: World, command: CreateShareAsk): ShareSources | ShareRefusal {
  const type = shares.types.find(command.type)
  if (type === undefined) return { kind: 'type-missing', type: command.type }
  if (command.snapshot === null) return { type, snapshot: null }
  const snapshot = shares.snapshots.find(command.snapshot)
  if (snapshot === undefined || !(command.isAdmin || snapshot.project_id === command.project))
    return { kind: 'snapshot-missing', snapshot: command.snapshot }
  if (snapshot.status !== 'available')
    return { kind: 'snapshot-state', snapshot: snapshot.uuid, value: snapshot.status, needs: ['available'] }
  if (command.size < snapshot.size)
    return { kind: 'share-size', share: snapshot.uuid, size: snapshot.size, asked: command.size }
  return { type, snapshot }
}

function makeOriginFacts(world: World, snapshot: SnapshotRow): StepFacts {
  const parent = world.shares.shares.row(snapshot.share_id)
  return { snapshot: snapshot.uuid, from: describeOrigin(world, parent.pool_id as number, parent.uuid) }
}

const makeFailed = (share: ShareRow, { zone }: CreateShare): ShareRow => ({
  ...share,
  pool_id: null,
  status: 'error',
  availability_zone: zone,
})

function makeShare(
  { shares }: World,
  command: CreateShare,
  type: ShareTypeRow,
  pool: { readonly id: number; readonly zone: string } | null,
  nowMs: number,
): ShareRow {
  const { uuid, name, description, size, protocol, snapshot } = command
  return {
    id: shares.shares.nextId(),
    uuid,
    project_id: command.project,
    user_id: command.user,
    name,
    description,
    size,
    protocol,
    type_id: type.id,
    pool_id: pool?.id ?? null,
    status: pool === null ? 'error' : 'creating',
    task_state: null,
    is_public: Number(command.isPublic),
    availability_zone: pool?.zone ?? command.zone,
    snapshot,
    export_path: null,
    target_pool_id: null,
    target_type_id: null,
    target_path: null,
    target_size: null,
    is_move_forced: 0,
    is_forced: 0,
    applied_by: null,
    deleted_at: null,
    created_at: nowMs,
    updated_at: null,
  }
}
