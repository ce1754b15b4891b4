import { emptyRecord } from '../kernel/records.ts'
import type { RealRoots } from '../shares/backends/roots.ts'
import { isBusy, isTransitional } from '../shares/share/states.ts'
import { type Change, makeRowOp, type RowOp } from '../world/change.ts'
import { ChangeRefused } from '../world/change-refused.ts'
import { findCloudOwned } from '../world/cloud-owned.ts'
import { accept, type Decision } from '../world/decision.ts'
import { findByName } from '../world/naming.ts'
import { type Rehearsal, rehearse } from '../world/rehearsal.ts'
import type { AnyRow, Value } from '../world/table.ts'
import type { Row } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import {
  changedRow,
  differingColumn,
  exportedColumns,
  newRow,
  type RowLine,
  type RowTable,
} from './exported-tables.ts'
import { checkRow } from './row-checks.ts'
import { findRow, NewIds } from './stored-rows.ts'

interface ImportRows {
  readonly rows: readonly RowLine[]
  /** The resolved roots of the back ends in the import and of existing ones. */
  readonly realRoots?: RealRoots
}

export type Did = 'created' | 'updated' | 'unchanged'
export type RowCounts = { readonly [N in RowTable]?: { readonly [D in Did]: number } }

export type RowRefusal =
  | {
      readonly kind: 'row-reference-missing'
      readonly table: string
      readonly column: string
      readonly name: string
    }
  | { readonly kind: 'row-differs'; readonly table: string; readonly column: string }
  | { readonly kind: 'row-taken'; readonly table: string; readonly index: string }
  | { readonly kind: 'row-misfit'; readonly table: string; readonly why: string }

export interface ImportedRows {
  readonly counts: RowCounts
  /** New shares with work in progress when they were exported; that work does not continue here. */
  readonly sharesUnderWay: readonly string[]
  /** The first refused row. The rows before it are imported; those after it were not checked. */
  readonly stopped: { readonly at: number; readonly refusal: RowRefusal } | null
}

/** The ledger or disks also hold what these rows say, so another row with the same name is a different thing. */
const FIXED: ReadonlySet<RowTable> = new Set(['share_backends', 'share_pools', 'shares', 'share_snapshots'])

/**
 * Imports rows. Creates new ones, changes those that differ from their line, and leaves equal ones untouched.
 * Each row is decided on a world with the earlier rows; the world is restored afterwards.
 */
export function importRows(world: World, command: ImportRows, nowMs: number): Decision<ImportedRows, never> {
  return rehearse<Decision<ImportedRows, never>>(world, rehearsal =>
    importInTurn(world, rehearsal, command, nowMs),
  )
}

function importInTurn(
  world: World,
  rehearsal: Rehearsal,
  { rows, realRoots = {} }: ImportRows,
  nowMs: number,
): Decision<ImportedRows, never> {
  const counts: { [N in RowTable]?: Record<Did, number> } = {}
  const sharesUnderWay: string[] = []
  const ids = new NewIds(world)
  let stopped: ImportedRows['stopped'] = null
  for (const [at, line] of rows.entries()) {
    const op = opOf(world, line, ids, nowMs)
    const refusal = op === null ? null : 'kind' in op ? op : tryOp(world, rehearsal, op, realRoots)
    if (refusal !== null) {
      stopped = { at, refusal }
      break
    }
    counts[line.table] ??= { created: 0, updated: 0, unchanged: 0 }
    const did = op === null ? 'unchanged' : (op as RowOp).before === null ? 'created' : 'updated'
    ;(counts[line.table] as Record<Did, number>)[did]++
    if (op === null) continue
    if (line.table === 'shares' && isUnderWay((op as RowOp).after as Row<'shares'>))
      sharesUnderWay.push(line.row.uuid as string)
  }
  return accept(rehearsal.change, { counts, sharesUnderWay, stopped })
}

/** The op that makes a row equal to its line; null if it is equal already. */
function opOf(world: World, line: RowLine, ids: NewIds, nowMs: number): RowOp | RowRefusal | null {
  const { table } = line
  const missing = missingReference(world, line)
  if (missing !== null) return missing
  const wanted = numberedRow(world, line)
  const before = findRow(world, table, wanted)
  if (before === undefined) return makeRowOp(table, null, newRow(table, wanted, ids.of(table)))
  const differing = differingColumn(table, before, wanted)
  if (differing === null) return null
  if (FIXED.has(table)) return { kind: 'row-differs', table, column: differing.as }
  const op = makeRowOp(
    table,
    before,
    settleRow(table, before, changedRow(table, before, wanted, nowMs), nowMs),
  )
  const owned = findCloudOwned(world, [op])
  if (owned === null) return op
  return {
    kind: 'row-misfit',
    table,
    why: `the ${owned.what} belongs to cloud ${owned.cloud}, from which it was pulled`,
  }
}

type MissingReference = Extract<RowRefusal, { readonly kind: 'row-reference-missing' }>

export function missingReference(world: World, { table, row }: RowLine): MissingReference | null {
  for (const { as, refersTo } of exportedColumns[table]) {
    const name = row[as] as Value
    if (refersTo !== null && name !== null && findByName(world, refersTo, name as string) === undefined)
      return { kind: 'row-reference-missing', table, column: as, name: name as string }
  }
  return null
}

/** With this world's numbers for the names. */
export function numberedRow(world: World, { table, row }: RowLine): AnyRow {
  const numbered: Record<string, Value> = emptyRecord()
  for (const { column, as, refersTo } of exportedColumns[table]) {
    const value = row[as] as Value
    numbered[column] =
      refersTo === null || value === null ? value : (findByName(world, refersTo, value as string) as number)
  }
  return numbered
}

/** Disabling a user ends all its earlier tokens, as in the identity API. */
function settleRow(table: RowTable, before: AnyRow, after: AnyRow, nowMs: number): AnyRow {
  const isDisabledNow = table === 'users' && before.is_enabled === 1 && after.is_enabled === 0
  return isDisabledNow ? { ...after, tokens_since: nowMs } : after
}

/** Applies the op in the rehearsal if it fits. */
function tryOp(world: World, rehearsal: Rehearsal, op: RowOp, roots: RealRoots): RowRefusal | null {
  const change: Change = { ops: [op] }
  const table = op.table as RowTable
  try {
    rehearsal.suppose(change)
  } catch (reason) {
    if (!(reason instanceof ChangeRefused)) throw reason
    return { kind: 'row-taken', table, index: reason.index }
  }
  const why = checkRow(world, table, op.after as AnyRow, roots)
  if (why === null) return null
  rehearsal.takeBack()
  return { kind: 'row-misfit', table, why }
}

/** A worker had work on the share, which is not exported. */
export const isUnderWay = (share: Pick<Row<'shares'>, 'status' | 'task_state' | 'target_pool_id'>): boolean =>
  isTransitional(share.status) || isBusy(share.task_state) || share.target_pool_id !== null
