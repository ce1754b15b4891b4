import { ownValue } from '../kernel/records.ts'
import type { Change, RowOp } from '../world/change.ts'
import { makeRowOp } from '../world/change.ts'
import { ChangeRefused } from '../world/change-refused.ts'
import { cloudMark, cloudOf } from '../world/cloud-owned.ts'
import { accept, type Decision } from '../world/decision.ts'
import { type Rehearsal, rehearse } from '../world/rehearsal.ts'
import type { AnyRow } from '../world/table.ts'
import type { Row } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import { changedRow, differingColumn, newRow, type RowLine, type RowTable } from './exported-tables.ts'
import { missingReference, numberedRow } from './import-rows.ts'
import { type ShareDid, SharePull } from './pull-shares.ts'
import { isShareLine, type PulledShareLine } from './pulled-shares.ts'
import { listParts, ownerTables, type PulledTable } from './pulled-tables.ts'
import { checkRow } from './row-checks.ts'
import { findRow, NewIds } from './stored-rows.ts'

/** A row of a table that is pulled. */
interface PulledLine extends RowLine {
  readonly table: PulledTable
}

export type AnyPulledLine = PulledLine | PulledShareLine

interface PullRows {
  readonly cloud: string
  /** As the cloud has them, in an order in which references come first. */
  readonly rows: readonly AnyPulledLine[]
  /** What the cloud no longer has; its parts are removed with it. */
  readonly removed: readonly AnyPulledLine[]
  /** Also takes over rows that exist here under the same id or name. */
  readonly adopt: boolean
  /** One for each back end and pool among the rows. */
  readonly newUuids: readonly string[]
}

/** A row that is left out, and the reason. */
interface LeftOut {
  readonly table: AnyPulledLine['table']
  readonly name: string
  /** Its position among the rows; null for one that should be removed. */
  readonly at: number | null
  readonly reason: 'exists' | 'reference-missing' | 'name-taken' | 'misfit'
  readonly why: string
}

interface PulledRows {
  readonly created: number
  readonly updated: number
  readonly removed: number
  readonly unchanged: number
  readonly left: readonly LeftOut[]
}

type Did = 'created' | 'updated' | 'removed' | 'unchanged'

/**
 * Imports rows of a cloud in one change. A row that does not fit is left out and reported; the others are
 * imported. Does not change what belongs to others.
 */
export function pullRows(world: World, command: PullRows, nowMs: number): Decision<PulledRows, never> {
  return rehearse<Decision<PulledRows, never>>(world, rehearsal => {
    const pull = new Pull(world, rehearsal, command, nowMs)
    // Removes whole things first, because a new row may have the name of a removed one. Removes single parts
    // last, because they may belong to something just taken over.
    for (const line of command.removed) if (isRemovedFirst(line)) pull.remove(line)
    for (const [at, line] of command.rows.entries()) pull.take(line, at)
    for (const line of command.removed) if (!isRemovedFirst(line)) pull.remove(line)
    return accept(rehearsal.change, pull.result)
  })
}

class Pull {
  readonly #world: World
  readonly #rehearsal: Rehearsal
  readonly #mark: string
  readonly #adopt: boolean
  readonly #nowMs: number
  readonly #ids: NewIds
  readonly #counts: Record<Did, number> = { created: 0, updated: 0, removed: 0, unchanged: 0 }
  readonly #left: LeftOut[] = []
  readonly #shares: SharePull
  #at: number | null = null

  constructor(world: World, rehearsal: Rehearsal, { cloud, adopt, newUuids }: PullRows, nowMs: number) {
    this.#world = world
    this.#rehearsal = rehearsal
    this.#mark = cloudMark(cloud)
    this.#adopt = adopt
    this.#nowMs = nowMs
    this.#ids = new NewIds(world)
    const uuids = newUuids.values()
    const newUuid = () => uuids.next().value as string
    this.#shares = new SharePull(world, rehearsal, { mark: this.#mark, newUuid, nowMs })
  }

  get result(): PulledRows {
    return { ...this.#counts, left: this.#left }
  }

  remove(line: AnyPulledLine): void {
    this.#at = null
    if (isShareLine(line)) {
      this.#note(line, this.#shares.remove(line))
      return
    }
    const world = this.#world
    if (missingReference(world, line) !== null) return
    const before = findRow(world, line.table, numberedRow(world, line))
    if (before === undefined || this.#ownerOf(line, before) !== this.#mark) return
    const shares = line.table === 'share_types' ? world.shares.listOfType(before.id as number).length : 0
    if (shares > 0) {
      this.#leave(line, 'misfit', `it has ${shares} shares here`)
      return
    }
    const ops = [...listParts(world, line.table, before), makeRowOp(line.table, before, null)]
    if (this.#suppose({ ops }, line)) this.#counts.removed++
  }

  #note(line: PulledShareLine, done: ShareDid): void {
    if (done.did === 'left') this.#leave(line, done.reason, done.why)
    else if (done.did !== 'ignored') this.#counts[done.did]++
  }

  take(line: AnyPulledLine, at: number): void {
    this.#at = at
    if (isShareLine(line)) {
      this.#note(line, this.#shares.take(line))
      return
    }
    const world = this.#world
    const missing = missingReference(world, line)
    if (missing !== null) {
      // The row that it is a part of was left out and reported.
      if (isOwner(line.table) || !OWNERS.has(missing.column))
        this.#leave(line, 'reference-missing', `there is no ${missing.column} ${missing.name} here`)
      return
    }
    const wanted = this.#marked(line.table, numberedRow(world, line))
    const before = findRow(world, line.table, wanted)
    const owner = this.#ownerOf(line, before ?? null)
    // Its parts are left out too, without a report.
    if (!isOwner(line.table) && line.table !== 'metadef_resource_types' && owner !== this.#mark) return
    if (
      before !== undefined &&
      isOwner(line.table) &&
      owner !== this.#mark &&
      !this.#mayAdopt(line, before)
    ) {
      this.#leave(line, 'exists', describeOwner(owner))
      return
    }
    const op = this.#opOf(line, before, wanted)
    if (op === null) this.#counts.unchanged++
    else if (this.#suppose({ ops: [op] }, line)) this.#counts[before === undefined ? 'created' : 'updated']++
  }

  #opOf({ table }: PulledLine, before: AnyRow | undefined, wanted: AnyRow): RowOp | null {
    if (before === undefined) return makeRowOp(table, null, newRow(table, wanted, this.#ids.of(table)))
    // A resource type belongs to all namespaces.
    if (table === 'metadef_resource_types' || differingColumn(table, before, wanted) === null) return null
    return makeRowOp(table, before, changedRow(table, before, wanted, this.#nowMs))
  }

  #marked(table: PulledTable, row: AnyRow): AnyRow {
    return isOwner(table) ? { ...row, applied_by: this.#mark } : row
  }

  /** The owner of a row, or of the row that it is a part of. */
  #ownerOf({ table, row }: PulledLine, before: AnyRow | null): string | null {
    if (isOwner(table)) return (before?.applied_by ?? null) as string | null
    return ownValue(ownerTables, table)?.(this.#world, row) ?? null
  }

  /** Settings of undeclared hosts and Berth's built-in definitions have no owner. */
  #mayAdopt({ table }: PulledLine, before: AnyRow): boolean {
    if (this.#adopt) return true
    if (before.applied_by !== null) return false
    if (table === 'hosts') return before.is_declared === 0
    const { builtins } = this.#world.catalog
    return (
      table === 'metadef_namespaces' &&
      builtins.find((before as Row<'metadef_namespaces'>).namespace) !== undefined
    )
  }

  #suppose(change: Change, line: PulledLine): boolean {
    try {
      this.#rehearsal.suppose(change)
    } catch (reason) {
      if (!(reason instanceof ChangeRefused)) throw reason
      this.#leave(line, 'name-taken', `another has the same ${columnsOf(reason.index)}`)
      return false
    }
    const [{ after } = { after: null }] = change.ops.slice(-1)
    const why = after === null ? null : checkRow(this.#world, line.table as RowTable, after, {})
    if (why === null) return true
    this.#rehearsal.takeBack()
    this.#leave(line, 'misfit', why)
    return false
  }

  #leave({ table, row }: AnyPulledLine, reason: LeftOut['reason'], why: string): void {
    this.#left.push({ table, name: nameRow(row as RowLine['row']), at: this.#at, reason, why })
  }
}

/** What is in the ledger goes last, so that no number is used twice in one change. */
const isRemovedFirst = (line: AnyPulledLine): boolean => !isShareLine(line) && isOwner(line.table)

const isOwner = (table: PulledTable): boolean =>
  !Object.hasOwn(ownerTables, table) && table !== 'metadef_resource_types'

function describeOwner(appliedBy: string | null): string {
  if (appliedBy === null) return 'it exists here already'
  const cloud = cloudOf(appliedBy)
  return cloud === null ? `it was applied from the declarations ${appliedBy}` : `it belongs to cloud ${cloud}`
}

/** The columns that refer to the row which this one is a part of. */
const OWNERS: ReadonlySet<string> = new Set([
  'flavor',
  'host_aggregate',
  'server_group',
  'namespace',
  'share_type',
])

/** `flavors (name)` of an index. */
const columnsOf = (index: string): string => index.slice(index.indexOf('(') + 1, -1)

/** Its name, otherwise its id, otherwise the name of what it refers to. */
const NAMES = [
  'name',
  'namespace',
  'host_aggregate',
  'server_group',
  'flavor',
  'uuid',
  'provider',
  'consumer',
  'pool',
  'backend',
]

function nameRow(row: RowLine['row']): string {
  const key = NAMES.find(one => (row[one] ?? null) !== null) as string
  const rest = ['provider', 'key', 'project_id', 'consumer'].filter(
    one => one !== key && Object.hasOwn(row, one),
  )
  return [key, ...rest].map(one => String(row[one])).join(' ')
}
