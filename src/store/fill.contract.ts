import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Change, insert, remove } from '../world/change.ts'
import type { AnyRow } from '../world/table.ts'
import type { Row } from '../world/tables.ts'
import { GENESIS } from './chain.ts'
import { histories } from './histories.fixture.ts'
import { MemoryStore } from './memory-store.fixture.ts'
import type { OpenFresh, Subject } from './store.contract.ts'
import { type Head, type Snapshot, type Store, StoreRefused } from './store.ts'
import { describedTables, type StoredName } from './tables/described-tables.ts'
import type { PlainPut } from './tables/plain-tables.ts'

const trait = (id: number): Row<'traits'> => ({ id, name: `CUSTOM_${id}\0\uffff`, updated_at: 1 })
const inserted = (id: number): Change => ({ ops: [insert('traits', trait(id))] })

const answered = (key: string): PlainPut => ({
  table: 'idempotency_keys',
  row: { caller: 'me', key, request: 'digest', status: 200, answer: 'é"\n\0', at_ms: 1_000 },
})

const write = (store: Store, from: Head, changes: readonly Change[], plain: PlainPut[] = []) =>
  store.write(from, () => ({
    id: `batch-${from.revision}`,
    atMs: 1_000 + from.revision,
    changes: changes.map(change => ({ change, names: { traits: { 7: 'CUSTOM_é' } } })),
    plain,
  }))

type Everything = Readonly<Record<string, readonly AnyRow[]>>

/** Each engine has its own order for text keys. */
const sorted = (rows: readonly AnyRow[]) =>
  rows
    .map(row => JSON.stringify(row))
    .sort()
    .map(row => JSON.parse(row) as AnyRow)

async function everything(store: Store): Promise<{ head: Head; tables: Everything }> {
  const snapshot = await store.snapshot()
  try {
    const tables: Record<string, AnyRow[]> = {}
    for (const { name } of describedTables) {
      const all: AnyRow[] = []
      for await (const rows of snapshot.rows(name)) all.push(...rows)
      tables[name] = sorted(all)
    }
    return { head: snapshot.head, tables }
  } finally {
    await snapshot.close()
  }
}

async function fillFrom(target: Subject, source: Store): Promise<number> {
  const snapshot = await source.snapshot()
  let taken = 0
  try {
    const head = await target.store.fill(snapshot, rows => {
      taken += rows
    })
    expect(head).toEqual(snapshot.head)
    return taken
  } finally {
    await snapshot.close()
  }
}

/** A store with rows in every table; the oldest changes are trimmed already. */
async function used(store: Store): Promise<Head> {
  let head = await write(store, GENESIS, [inserted(1), inserted(2)], [answered('a')])
  head = await write(store, head, [{ ops: [remove('traits', trait(1))] }])
  return write(store, head, [inserted(3)], [answered('b'), answered('\0\uffff')])
}

const failingAt = (snapshot: Snapshot, table: StoredName, reason: Error): Snapshot => ({
  head: snapshot.head,
  async *rows(name) {
    yield* snapshot.rows(name)
    if (name === table) throw reason
  },
  close: () => snapshot.close(),
})

/** What every engine promises about filling a store, and about snapshots. */
export function fillContract(openFresh: OpenFresh): void {
  const withFresh = async (work: (subject: Subject) => Promise<void>) => {
    const subject = await openFresh()
    try {
      await work(subject)
    } finally {
      await subject.end()
    }
  }

  test('a snapshot shows changes and plain rows of its head too, even if others write', () =>
    withFresh(async ({ store }) => {
      const head = await used(store)
      const snapshot = await store.snapshot()
      await write(store, head, [inserted(4)], [answered('c')])
      const keys = async (table: StoredName, column: string) => {
        const found: unknown[] = []
        for await (const rows of snapshot.rows(table, 2)) found.push(...rows.map(row => row[column]))
        return found
      }
      expect(await keys('changes', 'revision')).toEqual([1, 2, 3, 4])
      expect((await keys('idempotency_keys', 'key')).sort()).toEqual(['\0\uffff', 'a', 'b'])
      expect(await keys('traits', 'id')).toEqual([2, 3])
      await snapshot.close()
    }))

  test('pages of large changes end early', () =>
    withFresh(async ({ store }) => {
      const names = { traits: { 7: 'x'.repeat(5_000_000) } }
      const changes = [1, 2, 3, 4].map(id => ({ change: inserted(id), names }))
      await store.write(GENESIS, () => ({ id: 'large', atMs: 1, changes }))
      const snapshot = await store.snapshot()
      const pages: number[][] = []
      for await (const rows of snapshot.rows('changes')) pages.push(rows.map(row => row.revision as number))
      await snapshot.close()
      expect(pages.flat()).toEqual([1, 2, 3, 4])
      expect(Math.max(...pages.map(page => page.length))).toBeLessThanOrEqual(2)
    }))

  test('a filled store equals its source, also after it is opened again', async () => {
    const trimmed = await openFresh({ changesCountMax: 2 })
    try {
      await used(trimmed.store)
      const expected = await everything(trimmed.store)
      expect(expected.tables.changes?.map(row => row.revision)).toEqual([3, 4])
      await withFresh(async target => {
        expect(await fillFrom(target, trimmed.store)).toBe(2 + 2 + 3)
        const again = await target.reopen()
        expect(await everything(again)).toEqual(expected)
        expect(await again.plainRow('idempotency_keys', ['me', 'b'], 1_000)).toEqual(answered('b').row)
        expect(await again.changesAfter(2, 10)).toEqual(await trimmed.store.changesAfter(2, 10))
        expect(await again.changesAfter(1, 10)).toEqual({ kept: false, oldestKept: 3 })
      })
    } finally {
      await trimmed.end()
    }
  })

  test('the history of a filled store continues that of its source', () =>
    withFresh(async target => {
      const source = new MemoryStore()
      const head = await used(source)
      await fillFrom(target, source)
      const next = await write(target.store, head, [{ ops: [remove('traits', trait(3))] }])
      expect(next).toEqual(await write(source, head, [{ ops: [remove('traits', trait(3))] }]))
      expect(await everything(await target.reopen())).toEqual(await everything(source))
    }))

  test('a store can be filled from any history', () =>
    fc.assert(
      fc.asyncProperty(histories, batches =>
        withFresh(async target => {
          const source = new MemoryStore()
          let head = GENESIS
          for (const changes of batches) head = await write(source, head, changes)
          await fillFrom(target, source)
          expect(await everything(target.store)).toEqual(await everything(source))
        }),
      ),
      { numRuns: 6 },
    ))

  test('a store that was ever written to is not filled, and stays as it is', async () => {
    const source = new MemoryStore()
    await used(source)
    const spoiled: ((store: Store) => Promise<unknown>)[] = [
      store => write(store, GENESIS, [inserted(1)]),
      async store =>
        write(store, await write(store, GENESIS, [inserted(1)]), [{ ops: [remove('traits', trait(1))] }]),
      store => write(store, GENESIS, [], [answered('a')]),
    ]
    for (const spoil of spoiled)
      await withFresh(async target => {
        await spoil(target.store)
        const before = await everything(target.store)
        await expect(fillFrom(target, source)).rejects.toBeInstanceOf(StoreRefused)
        expect(await everything(target.store)).toEqual(before)
        expect((await write(target.store, before.head, [inserted(9)])).revision).toBe(
          before.head.revision + 1,
        )
      })
  })

  test('after a source failed the store is unusable, and can still be filled', () =>
    withFresh(async target => {
      const source = new MemoryStore()
      await used(source)
      const empty = await everything(target.store)
      // A fill that resumes does not read the same table again.
      const tables = [0, describedTables.length >> 1, -1].map(
        at => describedTables.at(at) as (typeof describedTables)[0],
      )
      for (const { name } of target.resumesFill === true ? tables.slice(-1) : tables) {
        const reason = new Error('the source went away')
        const broken = failingAt(await source.snapshot(), name, reason)
        await expect(target.store.fill(broken)).rejects.toBe(reason)
        if (target.resumesFill === true)
          await expect(everything(target.store)).rejects.toThrow(/a copy .* is not finished/)
        else expect(await everything(target.store)).toEqual(empty)
      }
      await fillFrom(target, source)
      expect(await everything(await target.reopen())).toEqual(await everything(source))
    }))

  test('nothing is filled while commits fail, and filling works after that', () =>
    withFresh(async target => {
      const source = new MemoryStore()
      await used(source)
      const lift = await target.obstruct()
      await expect(fillFrom(target, source)).rejects.toThrow()
      await lift()
      expect(await target.store.head()).toEqual(GENESIS)
      await fillFrom(target, source)
      expect(await everything(target.store)).toEqual(await everything(source))
    }))
}
