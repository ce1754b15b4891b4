import { describe, expect, test } from 'vitest'
import { insert, type RowOp, remove, update } from './change.ts'
import { ChangeRefused, WorldTorn } from './change-refused.ts'
import type { AnyRow, Table, Value } from './table.ts'
import { mirroredTables, type TableName } from './tables.ts'
import { World } from './world.ts'

/** A row with values that no other row has. */
function nthRow(table: Table, nth: number): AnyRow {
  const valueIn = (name: string): Value => {
    const column = table.columns[name] as { type: string; nullable?: true }
    if (column.nullable) return null
    return column.type === 'text' ? `${name} ${nth}` : nth
  }
  return Object.fromEntries(table.columnNames.map(name => [name, valueIn(name)]))
}

const rowsOf = (world: World) =>
  Object.fromEntries(
    mirroredTables.map(({ name }) => [name, [...world.rows(name)].map(row => JSON.stringify(row)).sort()]),
  )

const indexes = (mirroredTables as readonly Table[]).flatMap(table =>
  [table.key, ...table.unique].map(columns => ({
    table,
    columns,
    index: `${table.name} (${columns.join(', ')})`,
  })),
)

function refusalOf(world: World, ops: readonly RowOp[]): ChangeRefused {
  try {
    world.apply({ ops })
  } catch (reason) {
    expect(reason).toBeInstanceOf(ChangeRefused)
    return reason as ChangeRefused
  }
  throw new Error('the world took it')
}

const insertOf = (table: Table, row: AnyRow): RowOp => insert(table.name as TableName, row as never)
const marker: RowOp = insert('revoked_tokens', { audit_id: 'marker', expires_at: 1 })

describe.each(indexes)('$index', ({ table, columns, index }) => {
  const copied = (from: AnyRow, to: AnyRow): AnyRow => ({
    ...to,
    ...Object.fromEntries(columns.map(name => [name, from[name] as Value])),
  })

  test('a second row is refused by the name of the index, and nothing of the change stays', () => {
    const world = new World()
    const [first, second] = [nthRow(table, 1), nthRow(table, 2)]
    world.apply({ ops: [insertOf(table, first)] })
    const before = rowsOf(world)
    expect(refusalOf(world, [marker, insertOf(table, copied(first, second))])).toMatchObject({
      why: 'taken',
      index,
    })
    expect(rowsOf(world)).toEqual(before)
    world.apply({ ops: [insertOf(table, second)] })
  })

  // Keys never change, nor does the uuid of a provider.
  const isFixed = columns === table.key || index === 'resource_providers (uuid)'
  test.skipIf(isFixed)('so is an update to what another row has', () => {
    const world = new World()
    const [first, second] = [nthRow(table, 1), nthRow(table, 2)]
    world.apply({ ops: [insertOf(table, first), insertOf(table, second)] })
    const before = rowsOf(world)
    const moved = update(table.name as TableName, second as never, copied(first, second) as never)
    expect(refusalOf(world, [marker, moved])).toMatchObject({ why: 'taken', index })
    expect(rowsOf(world)).toEqual(before)
  })

  test('a row that is not there cannot be removed', () => {
    const world = new World()
    const removed = remove(table.name as TableName, nthRow(table, 1) as never)
    expect(refusalOf(world, [marker, removed]).why).toBe('missing')
    expect([...world.rows('revoked_tokens')]).toEqual([])
  })
})

test('a change that cannot be undone tears the world, and its observer is called at once', () => {
  const world = new World()
  const heard: WorldTorn[] = []
  world.onTorn(reason => heard.push(reason))
  const loop = { id: 0, uuid: 'a', name: 'a', generation: 0, parent_id: 0, updated_at: 0 }
  expect(() => world.apply({ ops: [marker, insert('resource_providers', loop)] })).toThrow(WorldTorn)
  expect(heard).toHaveLength(1)
})
