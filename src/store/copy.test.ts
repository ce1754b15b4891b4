import { expect, test } from 'vitest'
import { insert } from '../world/change.ts'
import type { AnyRow } from '../world/table.ts'
import { GENESIS, nextChain } from './chain.ts'
import { type CopyObserver, copyStore } from './copy.ts'
import { MemoryStore } from './memory-store.fixture.ts'
import { type Head, type Snapshot, StoreRefused } from './store.ts'
import type { StoredName } from './tables/described-tables.ts'
import type { PlainPut } from './tables/plain-tables.ts'

const trait = (id: number) => ({ ops: [insert('traits', { id, name: `CUSTOM_${id}`, updated_at: 1 })] })
const key: PlainPut = {
  table: 'idempotency_keys',
  row: { caller: 'me', key: 'a', request: 'digest', status: 200, answer: '1', at_ms: 1 },
}

async function used(): Promise<MemoryStore> {
  const store = new MemoryStore()
  const changes = [trait(1), trait(2)].map(change => ({ change, names: {} }))
  await store.write(GENESIS, () => ({ id: 'one', atMs: 1, changes, plain: [key] }))
  return store
}

class Heard implements CopyObserver {
  readonly phases: [string, number | null, number][] = []
  beginPhase(phase: string, rowsTotal: number | null) {
    this.phases.push([phase, rowsTotal, 0])
  }
  addRows(rows: number) {
    const last = this.phases.at(-1)
    if (last !== undefined) last[2] += rows
  }
}

/** A store that loses or bends something on its way in. */
class Careless extends MemoryStore {
  readonly #bend: (table: StoredName, rows: readonly AnyRow[]) => readonly AnyRow[]
  readonly #head: (head: Head) => Head

  constructor(
    bend: (table: StoredName, rows: readonly AnyRow[]) => readonly AnyRow[],
    head = (at: Head) => at,
  ) {
    super()
    this.#bend = bend
    this.#head = head
  }

  override fill(source: Snapshot): Promise<Head> {
    const bend = this.#bend
    return super.fill({
      head: this.#head(source.head),
      async *rows(table) {
        for await (const rows of source.rows(table)) yield bend(table, rows)
      },
      close: () => source.close(),
    })
  }
}

test('all is copied, then read again and compared', async () => {
  const source = await used()
  const target = new MemoryStore()
  const heard = new Heard()
  const { chain } = await source.head()
  expect(await copyStore(source, target, heard)).toEqual({
    revision: 2,
    chain,
    rows: 2,
    changes: 2,
    plain_rows: 1,
    differences_total: 0,
    differences: [],
    problems: [],
  })
  expect(await target.changesAfter(0, 10)).toEqual(await source.changesAfter(0, 10))
  expect(heard.phases).toEqual([
    ['read', null, 5],
    ['copy', 5, 5],
    ['check', 5, 5],
  ])
})

const lost = (lostIn: StoredName) => (table: StoredName, rows: readonly AnyRow[]) =>
  table === lostIn ? rows.slice(1) : rows
const bent = (bentIn: StoredName, column: string) => (table: StoredName, rows: readonly AnyRow[]) =>
  table === bentIn ? rows.map((row, at) => ({ ...row, [column]: `CUSTOM_BENT_${at}` })) : rows

test('a mirrored row that is not the same is named with both sides', async () => {
  const report = await copyStore(await used(), new Careless(lost('traits')), new Heard())
  expect(report).toMatchObject({
    differences_total: 1,
    differences: [{ table: 'traits', key: '1', from: { name: 'CUSTOM_1' }, to: null }],
    problems: ['traits has 2 rows in the source, 1 in the target'],
  })
  expect(
    (await copyStore(await used(), new Careless(bent('traits', 'name')), new Heard())).differences_total,
  ).toBe(2)
})

test.each([
  [lost('idempotency_keys'), 'idempotency_keys has 1 rows in the source, 0 in the target'],
  [bent('idempotency_keys', 'answer'), 'the rows of idempotency_keys are not the same in source and target'],
  [bent('changes', 'batch_id'), 'the rows of changes are not the same in source and target'],
])('changes and plain rows that are not the same are found: %#', async (bend, problem) => {
  const report = await copyStore(await used(), new Careless(bend), new Heard())
  expect(report).toMatchObject({ differences_total: 0, problems: [problem] })
})

test('another head is found', async () => {
  const other = ({ revision }: Head) => ({ revision, chain: nextChain('', 'another history') })
  const report = await copyStore(await used(), new Careless((_, rows) => rows, other), new Heard())
  expect(report.problems).toEqual([
    expect.stringMatching(/^the source is at revision 2 .*, the target at revision 2/),
  ])
})

test('a source in which nothing was ever written is no source', async () => {
  const copying = copyStore(new MemoryStore(), new MemoryStore(), new Heard())
  await expect(copying).rejects.toThrow(new StoreRefused('there is nothing to copy: the source is empty'))
})
