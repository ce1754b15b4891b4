import { judgePool, makeShareRequest } from '../../scheduling/pools/choose.ts'
import { NO_HINTED_SHARES } from '../../scheduling/pools/hints.ts'
import { makePoolView } from '../../scheduling/pools/pools.ts'
import { ROOM_FILTERS } from '../../scheduling/pools/registry.ts'
import { update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { PoolRow, ShareRow, ShareTypeRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { driverMessage, type Message, noPoolMessage } from '../messages/messages.ts'
import { checkQuota } from '../quotas/quotas.ts'
import type { ShareRefusal } from '../refusals.ts'
import { makeStepOps, type NewStep } from '../worker/steps.ts'
import { findWork } from './busy.ts'
import { bookShare } from './holding.ts'

const LIMITS = {
  'provisioning:max_share_size': (size: number, limit: number) => size <= limit,
  'provisioning:min_share_size': (size: number, limit: number) => size >= limit,
} as const

/** Checks the size limits of a share type. */
export function checkTypeSize({ shares }: World, type: ShareTypeRow, size: number): ShareRefusal | null {
  const specs = shares.getSpecs(type.id)
  for (const [key, fits] of Object.entries(LIMITS)) {
    const text = specs.get(key)
    const limit = Number(text)
    if (text !== undefined && !Number.isNaN(limit) && !fits(size, limit))
      return { kind: 'type-size', type: type.name, size, limit: `${key} = ${text}` }
  }
  return null
}

interface ResizeShare {
  readonly share: string
  readonly stepUuid: string
  readonly how: 'extend' | 'shrink'
  readonly size: number
}

export interface Resized {
  readonly share: ShareRow
  readonly messages: readonly Message[]
}

/**
 * Growth is booked before the driver works, shrinking after it. If the pool has no space the share stays as it is, and its
 * owner gets a message.
 */
export function resizeShare(
  world: World,
  command: ResizeShare,
  nowMs: number,
): Decision<Resized, ShareRefusal> {
  const { shares } = world
  const { how, size } = command
  const before = shares.findShare(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const fault = resizeFault(world, before, command)
  if (fault !== null) return refuse(fault)
  const pool = shares.pools.get(before.pool_id as number) as PoolRow
  const about = { project: before.project_id, share: before.uuid, action: how } as const
  if (how === 'extend') {
    const request = makeShareRequest(world, {
      operation: 'migrate',
      sizeGb: size - before.size,
      extraSpecs: shares.getSpecs(before.type_id),
      zone: null,
      onlyHost: null,
      snapshot: null,
      hints: NO_HINTED_SHARES,
      nowMs,
    })
    const because = judgePool(request, makePoolView(world, pool), ROOM_FILTERS)
    if (because !== null) {
      const messages = [noPoolMessage(about, because)]
      return accept({ ops: [] }, { share: before, messages })
    }
  }
  const after: ShareRow = {
    ...before,
    status: how === 'extend' ? 'extending' : 'shrinking',
    target_size: size,
    updated_at: nowMs,
  }
  const booking = bookShare(world, after, nowMs)
  if (!booking.ok) {
    const text = `The capacity for the share could not be claimed: ${booking.refusal.kind}.`
    return accept({ ops: [] }, { share: before, messages: [driverMessage(about, text)] })
  }
  const step: NewStep = {
    uuid: command.stepUuid,
    kind: 'resize',
    pool: pool.provider_id,
    share: before.uuid,
    facts: { size },
  }
  const ops = [...booking.ops, update('shares', before, after), ...makeStepOps(world, [step], nowMs)]
  return accept({ ops }, { share: after, messages: [] })
}

function resizeFault(world: World, share: ShareRow, { how, size }: ResizeShare): ShareRefusal | null {
  const { uuid } = share
  if (share.deleted_at !== null) return { kind: 'share-soft-deleted', share: uuid }
  const needs = how === 'extend' ? ['available'] : ['available', 'shrinking_possible_data_loss_error']
  if (!needs.includes(share.status))
    return { kind: 'share-state', share: uuid, field: 'status', value: share.status, needs }
  const busy = findWork(world, share)
  if (busy !== null) return { kind: 'share-busy', share: uuid, taskState: busy }
  if (share.pool_id === null) return { kind: 'share-unplaced', share: uuid }
  if (how === 'extend' ? size <= share.size : size >= share.size)
    return { kind: 'share-size', share: uuid, size: share.size, asked: size }
  const more = size - share.size
  return (
    checkTypeSize(world, world.shares.types.row(share.type_id), size) ??
    (more <= 0
      ? null
      : checkQuota(world, {
          project: share.project_id,
          typeId: share.type_id,
          shareGb: size,
          more: { gigabytes: more },
        }))
  )
}
