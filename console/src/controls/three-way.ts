/** A three-way merge: what each of two people changed, and both together. */
import { ownValue } from '../../../src/kernel/records.ts'

export type Table<Fields = Readonly<Record<string, number>>> = Readonly<Record<string, Fields>>

export interface FieldChange {
  readonly row: string
  readonly field: string
  /** Undefined: it was not there. */
  readonly before: number | undefined
  readonly after: number | undefined
}

export function changesBetween(before: Table, after: Table): FieldChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap(row => {
    const [was, is] = [ownValue(before, row), ownValue(after, row)]
    const fields = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])]
    return fields
      .filter(field => was?.[field] !== is?.[field])
      .map(field => ({ row, field, before: was?.[field], after: is?.[field] }))
  })
}

export interface Collision {
  readonly row: string
  readonly field: string
  readonly before: number | undefined
  readonly theirs: number | undefined
  readonly mine: number | undefined
}

/** Where both changed the same field to different values. */
export function collisionsOf(before: Table, theirs: Table, mine: Table): Collision[] {
  const ours = changesBetween(before, mine)
  return changesBetween(before, theirs).flatMap(({ row, field, before: was, after }) => {
    const own = ours.find(change => change.row === row && change.field === field)
    return own === undefined || own.after === after
      ? []
      : [{ row, field, before: was, theirs: after, mine: own.after }]
  })
}

/** Their version with my changes applied. A row that I removed goes; one that they removed comes back if I changed it. */
export function reapplied<F extends Readonly<Record<string, number>>>(
  before: Table<F>,
  theirs: Table<F>,
  mine: Table<F>,
): Table<F> {
  const result = new Map<string, F>(Object.entries(theirs))
  for (const row of new Set([...Object.keys(before), ...Object.keys(mine)])) {
    const changed = changesBetween(
      { [row]: ownValue(before, row) ?? {} },
      { [row]: ownValue(mine, row) ?? {} },
    )
    if (changed.length === 0) continue
    if (ownValue(mine, row) === undefined) result.delete(row)
    else
      result.set(row, {
        ...(ownValue(theirs, row) ?? ownValue(mine, row)),
        ...Object.fromEntries(changed.map(({ field, after }) => [field, after as number])),
      } as F)
  }
  return Object.fromEntries(result)
}

export interface SetChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export const setChange = (before: readonly string[], after: readonly string[]): SetChange => ({
  added: after.filter(one => !before.includes(one)),
  removed: before.filter(one => !after.includes(one)),
})

/** Their set with my additions and removals applied. */
export function reappliedSet(
  before: readonly string[],
  theirs: readonly string[],
  mine: readonly string[],
): readonly string[] {
  const { added, removed } = setChange(before, mine)
  return [...theirs.filter(one => !removed.includes(one)), ...added.filter(one => !theirs.includes(one))]
}
