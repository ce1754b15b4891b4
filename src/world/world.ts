import {
  type AggregateId,
  aggregateId,
  type ClassId,
  classId,
  type ProviderSlot,
  providerSlot,
  type TraitId,
  traitId,
} from '../kernel/ids.ts'
import { Aggregates } from './aggregates.ts'
import { Catalog } from './catalog.ts'
import type { Change, RowOp } from './change.ts'
import { ChangeRefused, RowRefused, WorldTorn } from './change-refused.ts'
import { Compute } from './compute.ts'
import { Consumers } from './consumers.ts'
import { GroupClaims } from './group-claims.ts'
import { noteHostChange } from './host-changes.ts'
import { Identity } from './identity.ts'
import { Inventories } from './inventories.ts'
import { ManilaClaims } from './manila-claims.ts'
import { Memberships } from './memberships.ts'
import { NameTable } from './names.ts'
import { Providers } from './providers.ts'
import { Reservations } from './reservations.ts'
import { ShadowSettings } from './shadow.ts'
import { Shares } from './shares.ts'
import type { AnyRow } from './table.ts'
import type { Row, TableName } from './tables.ts'

/** One table in memory. */
interface Mirror<N extends TableName> {
  /** Throws RowRefused, before it writes anything, if the row does not fit. */
  put(before: Row<N> | null, after: Row<N> | null): void
  rows(): Iterable<Row<N>>
}

interface AnyMirror {
  put(before: AnyRow | null, after: AnyRow | null): void
  rows(): Iterable<AnyRow>
}

/**
 * The whole state in memory. Only `apply`, `undo` and `load` write to it, row by row; rules read it. Whenever a reader
 * can look, it is at a durable revision.
 */
export class World {
  readonly classes = new NameTable<ClassId>()
  readonly traits = new NameTable<TraitId>()
  readonly aggregates = new Aggregates()
  readonly providers = new Providers()
  readonly inventories = new Inventories()
  readonly providerTraits = new Memberships<TraitId>()
  readonly providerAggregates = new Memberships<AggregateId>()
  readonly consumers = new Consumers()
  readonly catalog = new Catalog()
  readonly compute = new Compute()
  readonly reservations = new Reservations()
  readonly groupClaims = new GroupClaims()
  readonly manilaClaims = new ManilaClaims()
  readonly identity = new Identity()
  readonly shares = new Shares()
  readonly shadow = new ShadowSettings()
  /** The number of the last durable change. */
  revision = 0
  /** Counts replacements of the whole state. They invalidate caches by slot or revision. */
  lives = 1
  /** Raised by every change that may concern any host, for caches; `providers.treeStamp` tells of those of one host. */
  cloudChanges = 0

  #onTorn: (reason: WorldTorn) => void = () => undefined

  #mirrors: { readonly [N in TableName]: Mirror<N> } = {
    resource_classes: {
      put: (before, after) => {
        this.classes.put(before, after)
        if (before !== null && after !== null) this.#touchOwners(classId(after.id))
      },
      rows: () => this.classes.rows(),
    },
    traits: this.traits,
    aggregates: this.aggregates,
    resource_providers: this.providers,
    inventories: {
      put: (before, after) => {
        this.inventories.put(before, after)
        this.providers.touch((after ?? before)?.provider_id as number)
      },
      rows: () => this.inventories.rows(),
    },
    provider_traits: {
      put: (before, after) => {
        const row = (after ?? before) as Row<'provider_traits'>
        const provider = providerSlot(row.provider_id)
        this.#member(this.providerTraits, provider, traitId(row.trait_id), after !== null)
        this.providers.touch(provider)
      },
      rows: () => this.providerTraits.pairs().map(([provider_id, trait_id]) => ({ provider_id, trait_id })),
    },
    provider_aggregates: {
      put: (before, after) => {
        const row = (after ?? before) as Row<'provider_aggregates'>
        const provider = providerSlot(row.provider_id)
        this.#member(this.providerAggregates, provider, aggregateId(row.aggregate_id), after !== null)
      },
      rows: () =>
        this.providerAggregates.pairs().map(([provider_id, aggregate_id]) => ({ provider_id, aggregate_id })),
    },
    consumers: this.consumers,
    allocations: {
      put: (before, after) => {
        const row = (after ?? before) as Row<'allocations'>
        const provider = providerSlot(row.provider_id)
        this.consumers.putAllocation(before, after)
        this.inventories.use(provider, classId(row.class_id), (after?.used ?? 0) - (before?.used ?? 0))
        this.providers.touch(provider)
      },
      rows: () => this.consumers.allocationRows(),
    },
    ...this.catalog.mirrors,
    ...this.compute.mirrors,
    ...this.reservations.mirrors,
    group_claims: this.groupClaims,
    manila_claims: this.manilaClaims,
    ...this.identity.mirrors,
    ...this.shares.mirrors,
    shadow_settings: this.shadow,
  }

  /** All or nothing: throws ChangeRefused. Any other failure tears the world. */
  apply({ ops }: Change): void {
    let done = 0
    try {
      for (; done < ops.length; done++) {
        const { table, before, after } = ops[done] as RowOp
        this.#put(table, before, after)
      }
    } catch (reason) {
      if (!(reason instanceof RowRefused)) throw this.#tear(reason)
      this.#undoOps(ops, done)
      throw new ChangeRefused((ops[done] as RowOp).table, reason)
    }
  }

  undo({ ops }: Change): void {
    this.#undoOps(ops, ops.length)
  }

  /** `torn` is called when part of a change is in this world and cannot be undone. */
  onTorn(torn: (reason: WorldTorn) => void): void {
    this.#onTorn = torn
  }

  /** One stored row, at start. */
  load(table: TableName, row: AnyRow): void {
    this.loadAll(table, [row])
  }

  loadAll(table: TableName, rows: readonly AnyRow[]): void {
    const mirror = this.#mirror(table)
    this.cloudChanges++
    try {
      for (const row of rows) mirror.put(null, row)
    } catch (reason) {
      throw reason instanceof RowRefused ? new ChangeRefused(table, reason) : reason
    }
  }

  /** Takes over the parts of another world, which must not be used any more. */
  replaceBy(other: World): void {
    const { lives } = this
    Object.assign(this, other)
    this.#mirrors = other.#mirrors
    this.lives = lives + 1
  }

  /** Every row of a table in memory, for verify and export. */
  rows(table: TableName): Iterable<AnyRow> {
    return this.#mirror(table).rows()
  }

  #undoOps(ops: readonly RowOp[], count: number): void {
    try {
      for (let at = count - 1; at >= 0; at--) {
        const { table, before, after } = ops[at] as RowOp
        this.#put(table, after, before)
      }
    } catch (reason) {
      throw this.#tear(reason)
    }
  }

  #tear(reason: unknown): WorldTorn {
    const why = reason instanceof Error ? reason.message : String(reason)
    const torn = new WorldTorn(`half a change is in memory: ${why}`, { cause: reason })
    this.#onTorn(torn)
    return torn
  }

  #put(table: TableName, before: AnyRow | null, after: AnyRow | null): void {
    this.#mirror(table).put(before, after)
    noteHostChange(this, table, before, after)
  }

  /** A renamed class shows in the summaries of its providers. */
  #touchOwners(id: ClassId): void {
    for (const slot of this.inventories.columns(id)?.present ?? []) this.providers.touch(slot)
  }

  #mirror(table: TableName): AnyMirror {
    return this.#mirrors[table] as AnyMirror
  }

  #member<Id extends number>(
    memberships: Memberships<Id>,
    provider: ProviderSlot,
    id: Id,
    add: boolean,
  ): void {
    if (add) memberships.add(provider, id)
    else memberships.delete(provider, id)
  }
}
