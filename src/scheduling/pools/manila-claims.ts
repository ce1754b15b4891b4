import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { ManilaClaimRow } from '../../world/manila-claims.ts'
import { HINT_KINDS } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { FilterRefusal } from '../framework/pipeline.ts'
import type { HintedUuids } from './hints.ts'
import { judgeManilaPools, ManilaShares } from './manila-hints.ts'
import { type ManilaRequest, type ManilaShare, rankManilaPools, toBackend } from './manila-request.ts'

interface PlaceManilaShare {
  readonly request: ManilaRequest
  /** How long the reservation lasts until Manila's database shows it. */
  readonly keepMs: number
}

interface ManilaVerdicts {
  /** By place of the pool; null for one that passes. */
  readonly refusals: readonly (FilterRefusal | null)[]
}

const SWEPT_MAX = 100

/** Takes the best pool that obeys all hints, and reserves its back end for the share. */
export function placeManilaShare(
  world: World,
  { request, keepMs }: PlaceManilaShare,
  nowMs: number,
): Decision<ManilaVerdicts & { readonly pool: number }, ManilaVerdicts> {
  const refusals = judgeManilaPools(new ManilaShares(world, request, nowMs), request)
  const pool = rankManilaPools(request.pools).find(at => refusals[at] === null)
  if (pool === undefined) return refuse({ refusals })
  const before = world.manilaClaims.find(request.share.uuid)
  const after = makeRow(request, toBackend(request.pools[pool]?.host as string), before, nowMs, keepMs)
  const own = before === undefined ? insert('manila_claims', after) : update('manila_claims', before, after)
  const gone = request.missing.flatMap(uuid => world.manilaClaims.find(uuid) ?? [])
  const ops = [...new Set(gone)].map(row => remove('manila_claims', row))
  const written = new Set([after.share, ...gone.map(({ share }) => share)])
  return accept({ ops: [own, ...ops, ...sweep(world, written, nowMs)] }, { pool, refusals })
}

function makeRow(
  { operation, share, hints, shares }: ManilaRequest,
  backend: string,
  before: ManilaClaimRow | undefined,
  nowMs: number,
  keepMs: number,
): ManilaClaimRow {
  const isNew = operation === 'create'
  // Hints must be mutual in the metadata: every named share names this one, and this one names all of them.
  const isStored = HINT_KINDS.every(kind => {
    const named = new Set(hints[kind])
    const isMirrored = (other: ManilaShare) =>
      !named.has(other.uuid) || other.hints[kind].includes(share.uuid)
    return named.isSubsetOf(new Set(share.hints[kind])) && shares.every(isMirrored)
  })
  return {
    share: share.uuid,
    operation,
    backend,
    same_host: isNew ? hints.same_host.join(',') : (before?.same_host ?? ''),
    different_host: isNew ? hints.different_host.join(',') : (before?.different_host ?? ''),
    is_kept: isNew ? Number(!isStored) : (before?.is_kept ?? 0),
    placed_at: nowMs,
    expires_at: nowMs + keepMs,
  }
}

function sweep({ manilaClaims }: World, except: ReadonlySet<string>, nowMs: number): RowOp[] {
  const ops: RowOp[] = []
  let seen = 0
  for (const row of manilaClaims.listPending()) {
    if (++seen > SWEPT_MAX) break
    if (row.expires_at > nowMs || except.has(row.share)) continue
    ops.push(
      row.is_kept === 1
        ? update('manila_claims', row, { ...row, backend: null })
        : remove('manila_claims', row),
    )
  }
  return ops
}

/** Forgets a deleted share. The answer lists the shares whose metadata may still name it. */
export function forgetManilaShare(
  { manilaClaims }: World,
  { share }: { readonly share: string },
): Decision<HintedUuids, never> {
  const own = manilaClaims.listHints(share)
  const naming = [...manilaClaims.listNaming(share)]
  const list = (kind: keyof HintedUuids): string[] => [
    ...new Set([...own[kind], ...naming.filter(uuid => manilaClaims.listHints(uuid)[kind].includes(share))]),
  ]
  const row = manilaClaims.find(share)
  return accept(
    { ops: row === undefined ? [] : [remove('manila_claims', row)] },
    { same_host: list('same_host'), different_host: list('different_host') },
  )
}
