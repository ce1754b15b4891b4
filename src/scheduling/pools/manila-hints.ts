import type { ManilaClaimRow } from '../../world/manila-claims.ts'
import { HINT_KINDS, type HintKind } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { FilterPipeline, type FilterRefusal } from '../framework/pipeline.ts'
import { hintedSharesFilter, type ManilaShareRequest } from './filters/hinted-shares.ts'
import { type HintedUuids, isCut } from './hints.ts'
import {
  BackendNumbers,
  type ManilaRequest,
  type ManilaShare,
  makePoolView,
  toBackend,
} from './manila-request.ts'
import { type HintedShare, POOL_SETTINGS, type PoolView } from './pool-view.ts'
import { HINT_FILTERS } from './registry.ts'

/** A row older than this is also older than the data of any request. */
const SETTLED_MS = 60_000

export const MANILA_FILTERS = [hintedSharesFilter, ...HINT_FILTERS]

interface Location {
  readonly at: string | null
  /** Another back end with an instance of it; null if the target of its move is unknown. */
  readonly next: string | null
  readonly all: ReadonlySet<string>
  readonly isMoving: boolean
}

/** The shares of Manila as one request knows them, and as the world does where that is newer. */
export class ManilaShares {
  readonly #world: World
  readonly #request: ManilaRequest
  readonly #nowMs: number
  readonly #known: ReadonlyMap<string, ManilaShare>
  readonly #missing: ReadonlySet<string>

  constructor(world: World, request: ManilaRequest, nowMs: number) {
    this.#world = world
    this.#request = request
    this.#nowMs = nowMs
    this.#known = new Map(request.shares.map(share => [share.uuid, share]))
    this.#missing = new Set(request.missing)
  }

  /** Shares that the decision depends on but the request does not describe. */
  listUnasked(): string[] {
    const { same_host, different_host } = this.listHints()
    return [...same_host, ...different_host].filter(
      uuid => !this.#known.has(uuid) && !this.#missing.has(uuid),
    )
  }

  /** The hints that bind the share: its own, and those of others that name it. */
  listHints(): HintedUuids {
    return {
      same_host: this.#listOfKind('same_host'),
      different_host: this.#listOfKind('different_host'),
    }
  }

  #listOfKind(kind: HintKind): string[] {
    const { manilaClaims } = this.#world
    const { share, hints } = this.#request
    const own = manilaClaims.listHints(share.uuid)[kind]
    const named = new Set([...hints[kind], ...share.hints[kind]])
    if (isCut(own, share.hints[kind])) for (const uuid of own) named.add(uuid)
    for (const uuid of manilaClaims.listNaming(share.uuid)) if (this.#stillNames(uuid, kind)) named.add(uuid)
    named.delete(share.uuid)
    return [...named].filter(uuid => !this.#missing.has(uuid) && this.#binds(uuid, kind))
  }

  /** A failed share without a back end does not bind a share that has one. */
  #binds(uuid: string, kind: HintKind): boolean {
    const known = this.#known.get(uuid)
    const hasFailed = known !== undefined && !known.host && known.status === 'error'
    return this.#request.operation === 'create' || kind === 'different_host' || !hasFailed
  }

  /**
   * Whether a share that named this one when it was placed still does: an admin may have changed its
   * metadata, or deleted the share.
   */
  #stillNames(uuid: string, kind: HintKind): boolean {
    const { manilaClaims } = this.#world
    const all = manilaClaims.listHints(uuid)[kind]
    const self = this.#request.share.uuid
    if (this.#missing.has(uuid) || !all.includes(self)) return false
    const known = this.#known.get(uuid)
    if (known === undefined || this.#isYoung(manilaClaims.find(uuid))) return true
    return known.hints[kind].includes(self) || isCut(all, known.hints[kind])
  }

  #isYoung(row: ManilaClaimRow | undefined): boolean {
    return row !== undefined && row.placed_at + SETTLED_MS > this.#nowMs
  }

  /**
   * The named shares that do not exist, which a new share must not name. For an existing share they have no
   * effect.
   */
  listUnknown(): string[] {
    const { operation, hints } = this.#request
    if (operation !== 'create') return []
    return HINT_KINDS.flatMap(kind => hints[kind].filter(uuid => this.#missing.has(uuid)))
  }

  /** Where a share is, or will be, as far as Manila or Berth knows. */
  locate(uuid: string): Location {
    const known = this.#known.get(uuid)
    const row = this.#findPending(uuid, known)
    const instances = (known?.hosts ?? []).map(toBackend)
    if (row !== null) instances.push(row.backend as string)
    const at = known?.host ? toBackend(known.host) : (row?.backend ?? null)
    const isMoving = known?.is_moving === true || row?.operation === 'move'
    // Manila does not show the target of a move until the copy has a back end.
    const stays = isMoving && instances.length < 2 ? null : at
    return { at, next: instances.find(backend => backend !== at) ?? stays, all: new Set(instances), isMoving }
  }

  /** The reservation of a share, while Manila's database may not show it yet. */
  #findPending(uuid: string, known: ManilaShare | undefined): ManilaClaimRow | null {
    const row = this.#world.manilaClaims.find(uuid)
    if (row === undefined || row.backend === null || row.expires_at <= this.#nowMs) return null
    if (known === undefined || this.#isYoung(row))
      return row.operation === 'create' && known?.host ? null : row
    const isPending = row.operation === 'move' ? known.is_moving : !known.host && known.status !== 'error'
    return isPending ? row : null
  }
}

/** The first refusal of each pool, null for one that passes. With `force`, all pass. */
export function judgeManilaPools(shares: ManilaShares, request: ManilaRequest): (FilterRefusal | null)[] {
  const numbers = new BackendNumbers()
  const pipeline = new FilterPipeline<PoolView, ManilaShareRequest, typeof POOL_SETTINGS>(
    request.force ? [] : MANILA_FILTERS,
    makeRequest(shares, request, numbers),
    POOL_SETTINGS,
  )
  const byBackend = new Map<number, FilterRefusal | null>()
  return request.pools.map((pool, at) => {
    const view = makePoolView(pool, at, numbers)
    const known = byBackend.get(view.backendId)
    if (known !== undefined) return known
    const refusal = pipeline.findFirstRefusal(view)
    byBackend.set(view.backendId, refusal)
    return refusal
  })
}

function makeRequest(
  shares: ManilaShares,
  { operation }: ManilaRequest,
  numbers: BackendNumbers,
): ManilaShareRequest {
  const hints = shares.listHints()
  return {
    operation: operation === 'move' ? 'migrate' : 'create',
    sizeGb: 0,
    extraSpecs: new Map(),
    zone: null,
    onlyHost: null,
    snapshot: null,
    unknownShares: shares.listUnknown(),
    sameHost: keepFirst(hints.same_host.map(uuid => findNear(shares, uuid, numbers))),
    differentHost: keepFirst(hints.different_host.flatMap(uuid => findApart(shares, uuid, numbers))),
  }
}

/** Manila does not check hints again before a moving share leaves, so no share can be placed near it. */
function findNear(shares: ManilaShares, uuid: string, numbers: BackendNumbers): HintedShare {
  const { at, next, isMoving } = shares.locate(uuid)
  return {
    uuid,
    backend: at,
    backendId: at === null ? null : numbers.getNumber(at),
    nextBackendId: next === null ? null : numbers.getNumber(next),
    isLeaving: isMoving,
  }
}

/** One for each back end that has an instance of it. */
function findApart(shares: ManilaShares, uuid: string, numbers: BackendNumbers): HintedShare[] {
  return [...shares.locate(uuid).all].map(backend => ({
    uuid,
    backend,
    backendId: numbers.getNumber(backend),
    nextBackendId: null,
    isLeaving: false,
  }))
}

/**
 * Shares in the same place have the same effect. One of them stands for all, so that the work does not grow
 * with the number of hints.
 */
function keepFirst(hinted: readonly HintedShare[]): HintedShare[] {
  const byPlace = new Map<string, HintedShare>()
  for (const one of hinted) {
    const place = `${one.backendId} ${one.nextBackendId} ${one.isLeaving}`
    if (!byPlace.has(place)) byPlace.set(place, one)
  }
  return [...byPlace.values()]
}
