/** Random rows of every table that is exported row by row, made from the tables' descriptions. */
import { classId } from '../kernel/ids.ts'
import { Random } from '../kernel/random.ts'
import { GROUP_POLICIES } from '../scheduling/hosts/request-view.ts'
import { ACCESS_LEVELS, ACCESS_STATES, ACCESS_TYPES } from '../shares/access/access-rules.ts'
import { QUOTA_RESOURCES } from '../shares/quotas/quotas.ts'
import { computeHoldings } from '../shares/share/holding.ts'
import { STATUSES, TASK_STATES } from '../shares/share/states.ts'
import { insert, type RowOp } from '../world/change.ts'
import { ChangeRefused } from '../world/change-refused.ts'
import { HINT_KINDS } from '../world/shares.ts'
import type { AnyRow, Column, Table, Value } from '../world/table.ts'
import { type Row, type TableName, tableByName } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import { type RowTable, rowTables } from './exported-tables.ts'
import { checkRow } from './row-checks.ts'
import { findRow, NewIds } from './stored-rows.ts'

const REQUEST = JSON.stringify({
  flavor: { id: '1', name: 'm', vcpus: 1, ram: 1, disk: 0, ephemeral: 0, swap: 0, extra_specs: { a: 'b' } },
  groups: null,
  group_policy: null,
  image: null,
  volume_backed: false,
  zone: null,
  hints: { same_host: [], different_host: [], query: ['=', '$a', 1] },
})

const TEXTS = ['a', 'b', 'B', 'ä b', '日本', 'x"y\\z', '💾', 'a:b', '0']
const DOCUMENTS = ['{}', '{"a":1.50,"b":["x",null]}']

const SHARE_GB = 'CUSTOM_SHARE_GB'

export class RandomRows {
  readonly #random: Random
  readonly #world: World
  readonly #ids: NewIds
  #uuids = 0

  constructor(world: World, seed: number) {
    this.#world = world
    this.#random = new Random(seed)
    this.#ids = new NewIds(world)
  }

  /** At most this many rows of each table, each valid with the existing ones. */
  fill(perTableMax: number): void {
    for (const table of rowTables) {
      if (table === 'share_backends') this.#addFarm(1 + this.#random.below(3))
      if (table === 'share_backends' || table === 'share_pools') continue
      for (let left = this.#random.below(perTableMax + 1); left > 0; left--) this.#add(table)
    }
  }

  #add(table: RowTable): void {
    const row = this.#row(table)
    if (row === null || findRow(this.#world, table, row) !== undefined) return
    const ops = [insert(table, row as never)]
    if (table === 'shares') ops.unshift(...this.#holdOps(row as Row<'shares'>))
    if (!this.#apply(ops)) return
    if (checkRow(this.#world, table, row, {}) !== null) this.#world.undo({ ops })
  }

  #apply(ops: readonly RowOp[]): boolean {
    try {
      this.#world.apply({ ops })
      return true
    } catch (reason) {
      if (reason instanceof ChangeRefused) return false
      throw reason
    }
  }

  /** Null if it would have to refer to something that does not exist. */
  #row(table: RowTable): AnyRow | null {
    const described: Table = tableByName[table]
    const row: Record<string, Value> = {}
    for (const column of described.columnNames) {
      const value = this.#value(table, column, described.columns[column] as Column)
      if (value === undefined) return null
      row[column] = value
    }
    return row
  }

  #value(table: RowTable, column: string, described: Column): Value | undefined {
    if (column === 'id') {
      // Numbers of deleted rows are not reused.
      const id = this.#ids.of(table) as number
      return this.#random.below(3) === 0 ? this.#ids.of(table) : id
    }
    if ('nullable' in described && this.#random.below(3) === 0) return null
    if ('refersTo' in described) return this.#reference(column, described.refersTo as TableName)
    if (column === 'uuid') return this.#uuid()
    const known = this.#known(table, column)
    if (known !== undefined) return known
    if (described.type === 'integer') return this.#random.below(1_000)
    return described.type === 'real' ? this.#random.below(40) / 8 : this.#pick(TEXTS)
  }

  #reference(column: string, table: TableName): number | undefined {
    const { shares } = this.#world
    const rows = column.endsWith('pool_id') ? [...shares.pools.rows()] : [...this.#world.rows(table)]
    const row = this.#pick(rows as AnyRow[])
    return (row?.provider_id ?? row?.id) as number | undefined
  }

  /** Columns whose values the row schemas check. */
  #known(table: RowTable, column: string): Value | undefined {
    if (/^(is_|made_member|protected$)/.test(column)) return this.#random.below(2)
    switch (column) {
      case 'visibility':
        return this.#pick(['public', 'private'])
      case 'json_schema':
        return table === 'metadef_properties'
          ? '{"type":"integer","title":"T","minimum":1.0}'
          : '{"p":{"type":"string","title":"p"}}'
      case 'required':
        return '["p"]'
      case 'capabilities':
        return this.#pick(DOCUMENTS)
      case 'request':
        return REQUEST
      case 'policy':
        return this.#pick(GROUP_POLICIES)
      case 'max_server_per_host':
        return 1 + this.#random.below(9)
      case 'size':
        return 1 + this.#random.below(5)
      case 'status':
        return this.#pick(STATUSES)
      case 'task_state':
        return this.#pick(TASK_STATES)
      case 'access_type':
        return this.#pick(ACCESS_TYPES)
      case 'access_to':
        return this.#pick(['10.0.0.0/24', 'fd00::1'])
      case 'access_level':
        return this.#pick(ACCESS_LEVELS)
      case 'state':
        return this.#pick(ACCESS_STATES)
      case 'metadata':
        return this.#pick(['{}', '{"a":"ä b"}'])
      case 'kind':
        return this.#pick(table === 'reservations' ? ['project', 'failover'] : HINT_KINDS)
      case 'aggregate':
        return this.#uuid()
      case 'other':
        return (this.#pick([...this.#world.rows('shares')]) as Row<'shares'> | undefined)?.uuid
      case 'scope':
        return this.#pick(['class:default', 'project:a', 'type:a:b'])
      case 'resource':
        return this.#pick(QUOTA_RESOURCES)
      case 'key':
        return this.#pick(['availability_zone', 'trait:A', 'ä b'])
      default:
        return undefined
    }
  }

  /** Back ends with pools, each provider in a free slot: a pool may come before its back end. */
  #addFarm(backends: number): void {
    const world = this.#world
    const class_id = world.classes.id(SHARE_GB) ?? classId(world.classes.nextId(10_000))
    if (world.classes.id(SHARE_GB) === undefined)
      this.#apply([insert('resource_classes', { id: class_id, name: SHARE_GB, updated_at: 1 })])
    for (let nth = 0; nth < backends; nth++) {
      const slots = this.#random.shuffle(world.providers.free.first(3))
      const [backend, ...pools] = slots as [number, ...number[]]
      const name = `b${nth}`
      const common = { capabilities: this.#pick(DOCUMENTS) as string, created_at: 5, updated_at: null }
      this.#apply([
        this.#providerOp(backend, `farm@${name}`, null),
        ...pools.map((pool, at) => this.#providerOp(pool, `farm@${name}#p${at}`, backend)),
        ...pools.map(provider_id =>
          insert('inventories', {
            provider_id,
            class_id,
            total: 100,
            reserved: 0,
            min_unit: 1,
            max_unit: 100,
            step_size: 1,
            allocation_ratio: 2,
            updated_at: 1,
          }),
        ),
        insert('share_backends', {
          provider_id: backend,
          host: 'farm',
          name,
          driver: 'simulated',
          settings: '{}',
          availability_zone: 'nova',
          is_disabled: 0,
          disabled_reason: null,
          applied_by: 'f',
          ...common,
        }),
        ...pools.map((provider_id, at) =>
          insert('share_pools', {
            provider_id,
            backend_id: backend,
            name: `p${at}`,
            reserved_percentage: 3,
            ...common,
          }),
        ),
      ])
    }
  }

  #providerOp(id: number, name: string, parent_id: number | null): RowOp {
    return insert('resource_providers', {
      id,
      uuid: this.#uuid(),
      name,
      generation: 1,
      parent_id,
      updated_at: 1,
    })
  }

  /** The ledger agrees with the share. */
  #holdOps(share: Row<'shares'>): RowOp[] {
    const { consumers, classes } = this.#world
    const holdings = [...computeHoldings(share)]
    if (holdings.length === 0) return []
    const { uuid, project_id, user_id } = share
    const consumer_id = consumers.free.lowest
    const owner = { project_id, user_id, consumer_type: 'SHARE' }
    const class_id = classes.id(SHARE_GB) as number
    return [
      insert('consumers', { id: consumer_id, uuid, generation: 1, ...owner, updated_at: 1 }),
      ...holdings.map(([provider_id, used]) =>
        insert('allocations', { consumer_id, provider_id, class_id, used }),
      ),
    ]
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[this.#random.below(items.length)]
  }

  #uuid(): string {
    const number = `${++this.#uuids}`.padStart(8, '0')
    return `${this.#random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0')}-0000-4000-8000-0000${number}`
  }
}
