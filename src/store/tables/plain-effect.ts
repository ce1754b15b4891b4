import type { AnyRow, Table } from '../../world/table.ts'
import { PlainRowTaken } from '../store.ts'
import { type PlainName, type PlainPut, type PlainTable, plainTableByName } from '../tables/plain-tables.ts'
import { renderKey } from './net-effect.ts'

/** The rows that a batch puts into one plain table: one per key. */
export interface PlainEffect {
  readonly table: PlainTable<PlainName>
  /** Replaces what was there. */
  readonly put: AnyRow[]
  /** Only if the table has no such row any more. */
  readonly putNew: AnyRow[]
}

export const describePlain = (name: PlainName): Table => plainTableByName[name]

/** Of several puts with one key the last counts, and the first says whether it has to be new. */
export function computePlainEffect(puts: readonly PlainPut[], atMs: number): PlainEffect[] {
  const tables = new Map<PlainName, Map<string, { row: AnyRow; isNew: boolean }>>()
  for (const { table: name, row, isNew } of puts) {
    const rows = tables.get(name) ?? new Map<string, { row: AnyRow; isNew: boolean }>()
    tables.set(name, rows)
    const key = renderKey(describePlain(name), row)
    const earlier = rows.get(key)
    if (isNew === true && earlier !== undefined && !isPast(name, earlier.row, atMs))
      throw new PlainRowTaken(`a batch puts two new rows of ${name} with one key`)
    rows.set(key, { row, isNew: earlier?.isNew ?? isNew === true })
  }
  return [...tables].map(([name, rows]) => {
    const all = [...rows.values()]
    return {
      table: plainTableByName[name],
      put: all.filter(({ isNew }) => !isNew).map(({ row }) => row),
      putNew: all.filter(({ isNew }) => isNew).map(({ row }) => row),
    }
  })
}

function isPast(name: PlainName, row: AnyRow, atMs: number): boolean {
  return (row.at_ms as number) < atMs - plainTableByName[name].keepMsMax
}
