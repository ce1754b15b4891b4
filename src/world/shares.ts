import type { Json } from '../kernel/json.ts'
import { Groups, IndexedRows, KeyedRows, OwnedRows } from './indexed-rows.ts'
import type { Row } from './tables.ts'

export type ShareTypeRow = Row<'share_types'>
export type BackendRow = Row<'share_backends'>
export type PoolRow = Row<'share_pools'>
export type ShareRow = Row<'shares'>
export type HintRow = Row<'share_hints'>
export type SnapshotRow = Row<'share_snapshots'>
export type AccessRow = Row<'share_access_rules'>
export type StepRow = Row<'share_steps'>
export type LeaseRow = Row<'share_leases'>

export const HINT_KINDS = ['same_host', 'different_host'] as const
export type HintKind = (typeof HINT_KINDS)[number]

/** Share types, back ends and pools, shares and their pending work. */
export class Shares {
  static readonly BY_NAME = 1

  readonly types = new IndexedRows<ShareTypeRow>([row => row.uuid, row => row.name])
  readonly extraSpecs = new OwnedRows<Row<'share_type_extra_specs'>, string>(
    row => row.type_id,
    row => row.key,
    type => this.#specs.delete(type),
  )
  readonly typeAccess = new OwnedRows<Row<'share_type_access'>, string>(
    row => row.type_id,
    row => row.project_id,
  )
  readonly backends = new KeyedRows<BackendRow, number>(row => row.provider_id)
  readonly pools = new KeyedRows<PoolRow, number>(row => row.provider_id)
  readonly shares = new IndexedRows<ShareRow>([row => row.uuid])
  readonly metadata = new OwnedRows<Row<'share_metadata'>, string>(
    row => row.share_id,
    row => row.key,
  )
  readonly hints = new OwnedRows<HintRow, string>(
    row => row.share_id,
    row => `${row.kind} ${row.other}`,
  )
  readonly snapshots = new IndexedRows<SnapshotRow>([row => row.uuid])
  readonly accessRules = new IndexedRows<AccessRow>([row => row.uuid])
  readonly steps = new IndexedRows<StepRow>([row => row.uuid])
  readonly leases = new KeyedRows<LeaseRow, number>(row => row.backend_id)
  readonly quotas = new KeyedRows<Row<'share_quotas'>, string>(row => `${row.scope} ${row.resource}`)

  readonly #specs = new Map<number, ReadonlyMap<string, string>>()
  readonly #byProject = new Groups<string>()
  readonly #byPool = new Groups<number>()
  readonly #byType = new Groups<number>()
  readonly #poolsOf = new Groups<number>()
  /** The shares whose hints name a share, by its uuid. */
  readonly #namedBy = new Groups<string>()
  readonly #snapshotsOf = new Groups<number>()
  readonly #snapshotsByProject = new Groups<string>()
  readonly #accessOf = new Groups<number>()
  readonly #stepsOf = new Groups<number>()
  readonly #stepsAbout = new Groups<string>()
  readonly #parsed = new Map<string, Json>()

  readonly mirrors = {
    share_types: this.types,
    share_type_extra_specs: this.extraSpecs,
    share_type_access: this.typeAccess,
    share_backends: this.backends,
    share_pools: withIndex(this.pools, (row: PoolRow, turn) => {
      this.#poolsOf[turn](row.backend_id, row.provider_id)
    }),
    shares: withIndex(this.shares, (row: ShareRow, turn) => {
      this.#byProject[turn](row.project_id, row.id)
      this.#byType[turn](row.type_id, row.id)
      if (row.target_type_id !== null && row.target_type_id !== row.type_id)
        this.#byType[turn](row.target_type_id, row.id)
      if (row.pool_id !== null) this.#byPool[turn](row.pool_id, row.id)
      if (row.target_pool_id !== null) this.#byPool[turn](row.target_pool_id, row.id)
    }),
    share_metadata: this.metadata,
    share_hints: {
      put: (before: HintRow | null, after: HintRow | null) => {
        this.hints.put(before, after)
        const row = (after ?? before) as HintRow
        if (after !== null) this.#namedBy.add(row.other, row.share_id)
        else if (!HINT_KINDS.some(kind => this.hints.find(row.share_id, `${kind} ${row.other}`)))
          this.#namedBy.delete(row.other, row.share_id)
      },
      rows: () => this.hints.rows(),
    },
    share_snapshots: withIndex(this.snapshots, (row: SnapshotRow, turn) => {
      this.#snapshotsOf[turn](row.share_id, row.id)
      this.#snapshotsByProject[turn](row.project_id, row.id)
    }),
    share_access_rules: withIndex(this.accessRules, (row: AccessRow, turn) => {
      this.#accessOf[turn](row.share_id, row.id)
    }),
    share_steps: withIndex(this.steps, (row: StepRow, turn) => {
      this.#stepsOf[turn](row.backend_id, row.id)
      this.#stepsAbout[turn](row.share, row.id)
    }),
    share_leases: this.leases,
    share_quotas: this.quotas,
  }

  findShare(uuid: string): ShareRow | undefined {
    return this.shares.find(uuid)
  }

  findTypeByName(name: string): ShareTypeRow | undefined {
    return this.types.find(name, Shares.BY_NAME)
  }

  /** The same object until a spec of the type changes. */
  getSpecs(typeId: number): ReadonlyMap<string, string> {
    let specs = this.#specs.get(typeId)
    if (specs === undefined) {
      specs = new Map(this.extraSpecs.list(typeId).map(({ key, value }) => [key, value]))
      this.#specs.set(typeId, specs)
    }
    return specs
  }

  /** The providers that are pools of a back end, by number. */
  listPools(backendId: number): number[] {
    return [...this.#poolsOf.get(backendId)].sort((a, b) => a - b)
  }

  /** By the number of a pool's provider; null stays null. */
  findBackend(poolId: number | null): number | null {
    return poolId === null ? null : (this.pools.get(poolId)?.backend_id ?? null)
  }

  owns(providerId: number): boolean {
    return this.pools.get(providerId) !== undefined || this.backends.get(providerId) !== undefined
  }

  listOfProject(project: string): ShareRow[] {
    return this.#rows(this.shares, this.#byProject.get(project))
  }

  /** Shares in a pool, or being moved to it. */
  listInPool(poolId: number): ShareRow[] {
    return this.#rows(this.shares, this.#byPool.get(poolId))
  }

  listOfType(typeId: number): ShareRow[] {
    return this.#rows(this.shares, this.#byType.get(typeId))
  }

  /** In display order. */
  listHints(shareId: number, kind: HintKind): HintRow[] {
    return this.hints
      .list(shareId)
      .filter(row => row.kind === kind)
      .sort((a, b) => a.place - b.place)
  }

  /** Every hint that names a share. */
  listHintsNaming(uuid: string): HintRow[] {
    return [...this.#namedBy.get(uuid)]
      .sort((a, b) => a - b)
      .flatMap(id => HINT_KINDS.flatMap(kind => this.hints.find(id, `${kind} ${uuid}`) ?? []))
  }

  listSnapshots(shareId: number): SnapshotRow[] {
    return this.#rows(this.snapshots, this.#snapshotsOf.get(shareId))
  }

  listSnapshotsOfProject(project: string): SnapshotRow[] {
    return this.#rows(this.snapshots, this.#snapshotsByProject.get(project))
  }

  /** The oldest first. */
  listAccess(shareId: number): AccessRow[] {
    return this.#rows(this.accessRules, this.#accessOf.get(shareId))
  }

  /** The oldest first. */
  listSteps(backendId: number): StepRow[] {
    return this.#rows(this.steps, this.#stepsOf.get(backendId))
  }

  listStepsAbout(share: string): StepRow[] {
    return this.#rows(this.steps, this.#stepsAbout.get(share))
  }

  listBackendsWithWork(): number[] {
    return [...this.#stepsOf.keys()].sort((a, b) => a - b)
  }

  findLimit(scope: string, resource: string): number | undefined {
    return this.quotas.get(`${scope} ${resource}`)?.hard_limit
  }

  /** Parses a JSON column. Texts repeat, so each is parsed once. */
  parseColumn(text: string): Json {
    let value = this.#parsed.get(text)
    if (value === undefined) {
      if (this.#parsed.size > PARSED_MAX) this.#parsed.clear()
      value = JSON.parse(text) as Json
      this.#parsed.set(text, value)
    }
    return value
  }

  #rows<R extends { readonly id: number }>(rows: IndexedRows<R>, ids: ReadonlySet<number>): R[] {
    return [...ids].sort((a, b) => a - b).map(id => rows.row(id))
  }
}

const PARSED_MAX = 10_000

/** Updates rows together with their indexes. */
function withIndex<R>(
  rows: { put(before: R | null, after: R | null): void; rows(): Iterable<R> },
  index: (row: R, turn: 'add' | 'delete') => void,
) {
  return {
    put: (before: R | null, after: R | null) => {
      rows.put(before, after)
      if (before !== null) index(before, 'delete')
      if (after !== null) index(after, 'add')
    },
    rows: () => rows.rows(),
  }
}
