import { allHintsOf, tiesOthers } from '../../scheduling/pools/hints.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, NO_CHANGE, refuse } from '../../world/decision.ts'
import { HINT_KINDS, type ShareRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'
import { addedTieFault, editedHintOps, type HintEdits, hintEditFault, hintOfKey } from './hints.ts'

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

/** What an admin says that a share is in. Work that is under way goes on, and says it anew. */
export function setShareState(world: World, command: SetState, nowMs: number): ShareDecision<null> {
  const before = world.shares.findShare(command.share)
  if (before === undefined) return refuse({ kind: 'share-missing', share: command.share })
  if (before.deleted_at !== null) return refuse({ kind: 'share-soft-deleted', share: before.uuid })
  const { field, value } = command
  const after = { ...before, [field]: value, updated_at: nowMs } as ShareRow
  const fault = tiesOthers(after) && !tiesOthers(before) ? tieFault(world, before) : null
  if (fault !== null) return refuse(fault)
  return accept({ ops: [update('shares', before, after)] }, null)
}

/** Nobody had to heed the ties of a share that failed: they must make sense before others do. */
function tieFault(world: World, { id, uuid }: ShareRow): ShareRefusal | null {
  const hints = allHintsOf(world, id)
  return addedTieFault(world, uuid, hints, hints)
}

interface SetMetadata {
  readonly share: string
  readonly metadata: Readonly<Record<string, string>>
  /** Hints that an admin writes; those that are not named stay. */
  readonly hints: HintEdits
  /** Whether the hints are checked and what goes from them goes from the other side; Manila does neither. */
  readonly checkHints: boolean
  /** Whether what is not named goes; hints do not. */
  readonly replace: boolean
}

/** As Nova has it for servers; Manila has no such limit. */
export const METADATA_KEYS_MAX = 128

export const metadataFault = (keys: number): ShareRefusal | null =>
  keys > METADATA_KEYS_MAX ? { kind: 'metadata-exceeded', keys, limit: METADATA_KEYS_MAX } : null

export function setMetadata(world: World, command: SetMetadata): ShareDecision<null> {
  const { shares, metadata } = world.shares
  const share = shares.find(command.share)
  if (share === undefined) return refuse({ kind: 'share-missing', share: command.share })
  const fault = command.checkHints ? hintEditFault(world, share, command.hints) : null
  if (fault !== null) return refuse(fault)
  const ops: RowOp[] = []
  if (command.replace)
    for (const row of metadata.of(share.id))
      if (!Object.hasOwn(command.metadata, row.key)) ops.push(remove('share_metadata', row))
  const held = metadata.of(share.id).length
  const wanted = Object.keys(command.metadata)
  const added = wanted.filter(key => metadata.find(share.id, key) === undefined).length
  // Ops so far are what goes.
  const tooMany = added === 0 ? null : metadataFault(held - ops.length + added)
  if (tooMany !== null) return refuse(tooMany)
  for (const [key, value] of Object.entries(command.metadata)) {
    const before = metadata.find(share.id, key)
    const after = { share_id: share.id, key, value }
    if (before === undefined) ops.push(insert('share_metadata', after))
    else if (before.value !== value) ops.push(update('share_metadata', before, after))
  }
  for (const kind of HINT_KINDS) {
    const others = command.hints[kind]
    if (others !== undefined) ops.push(...editedHintOps(world, share, kind, others, !command.checkHints))
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
  const hint = hintOfKey(key)
  const ops: RowOp[] =
    hint === undefined
      ? [metadata.find(share.id, key)].flatMap(row =>
          row === undefined ? [] : [remove('share_metadata', row)],
        )
      : editedHintOps(world, share, hint, [], !command.checkHints)
  if (ops.length === 0) return refuse({ kind: 'metadata-missing', share: share.uuid, key })
  return accept({ ops }, null)
}
