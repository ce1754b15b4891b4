import { bindsOthers, listHints } from '../../scheduling/pools/hints.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, NO_CHANGE, refuse } from '../../world/decision.ts'
import { HINT_KINDS, type ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'
import { checkAddedHints, checkHintEdits, findHintKind, type HintEdits, makeEditOps } from './hints.ts'

interface UpdateShare {
  readonly share: string
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly isPublic?: boolean | undefined
}

export function updateShare(world: World, command: UpdateShare, nowMs: number): ShareDecision<ShareRow> {
  const before = world.shares.findShare(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const after: ShareRow = {
    ...before,
    name: command.name === undefined ? before.name : command.name,
    description: command.description === undefined ? before.description : command.description,
    is_public: command.isPublic === undefined ? before.is_public : Number(command.isPublic),
    updated_at: nowMs,
  }
  return accept({ ops: [update('shares', before, after)] }, after)
}

interface SetState {
  readonly share: string
  readonly field: 'status' | 'task_state'
  readonly value: string | null
}

/** Sets the state as an admin says. Running work continues, and sets it again. */
export function setShareState(world: World, command: SetState, nowMs: number): ShareDecision<null> {
  const before = world.shares.findShare(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  if (before.deleted_at !== null) return refuse({ kind: 'share-soft-deleted', share: before.uuid })
  const { field, value } = command
  const after = { ...before, [field]: value, updated_at: nowMs } as ShareRow
  const fault = bindsOthers(after) && !bindsOthers(before) ? findTieFault(world, before) : null
  if (fault !== null) return refuse(fault)
  return accept({ ops: [update('shares', before, after)] }, null)
}

/** Hints of a failed share were not enforced: check them before it becomes available. */
function findTieFault(world: World, { id, uuid }: ShareRow): ShareRefusal | null {
  const hints = listHints(world, id)
  return checkAddedHints(world, uuid, hints, hints)
}

interface SetMetadata {
  readonly share: string
  readonly metadata: Readonly<Record<string, string>>
  /** Hints that an admin sets; others stay. */
  readonly hints: HintEdits
  /** Whether to check hints and to remove mirrored ones; Manila does neither. */
  readonly checkHints: boolean
  /** Whether to remove keys that are not given, except hints. */
  readonly replace: boolean
}

/** As in Nova for servers; Manila has no such limit. */
export const METADATA_KEYS_MAX = 128

export const checkMetadataCount = (keys: number): ShareRefusal | null =>
  keys > METADATA_KEYS_MAX ? { kind: 'metadata-exceeded', keys, limit: METADATA_KEYS_MAX } : null

export function setMetadata(world: World, command: SetMetadata): ShareDecision<null> {
  const { shares, metadata } = world.shares
  const share = shares.find(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const fault = command.checkHints ? checkHintEdits(world, share, command.hints) : null
  if (fault !== null) return refuse(fault)
  const ops: RowOp[] = []
  if (command.replace)
    for (const row of metadata.list(share.id))
      if (!Object.hasOwn(command.metadata, row.key)) ops.push(remove('share_metadata', row))
  const held = metadata.list(share.id).length
  const wanted = Object.keys(command.metadata)
  const added = wanted.filter(key => metadata.find(share.id, key) === undefined).length
  // The ops so far are removals.
  const tooMany = added === 0 ? null : checkMetadataCount(held - ops.length + added)
  if (tooMany !== null) return refuse(tooMany)
  for (const [key, value] of Object.entries(command.metadata)) {
    const before = metadata.find(share.id, key)
    const after = { share_id: share.id, key, value }
    if (before === undefined) ops.push(insert('share_metadata', after))
    else if (before.value !== value) ops.push(update('share_metadata', before, after))
  }
  for (const kind of HINT_KINDS) {
    const others = command.hints[kind]
    if (others !== undefined) ops.push(...makeEditOps(world, share, kind, others, !command.checkHints))
  }
  return accept(ops.length === 0 ? NO_CHANGE : { ops }, null)
}

export function deleteMetadata(
  world: World,
  command: { readonly share: string; readonly key: string; readonly checkHints: boolean },
): ShareDecision<null> {
  const { shares, metadata } = world.shares
  const share = shares.find(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const { key } = command
  const hint = findHintKind(key)
  const ops: RowOp[] =
    hint === undefined
      ? [metadata.find(share.id, key)].flatMap(row =>
          row === undefined ? [] : [remove('share_metadata', row)],
        )
      : makeEditOps(world, share, hint, [], !command.checkHints)
  if (ops.length === 0) return refuse({ kind: 'metadata-missing', share: share.uuid, key })
  return accept({ ops }, null)
}
