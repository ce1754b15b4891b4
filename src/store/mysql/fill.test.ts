import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { sharedMariadb, testsMariadb } from '../../../test/mariadb.ts'
import { insert } from '../../world/change.ts'
import { GENESIS } from '../chain.ts'
import { MemoryStore } from '../memory-store.fixture.ts'
import { SharedStore } from '../shared/shared-store.ts'
import { type Head, type Snapshot, StoreRefused } from '../store.ts'
import type { StoredName } from '../tables/described-tables.ts'
import { openMysqlLinks } from './open.ts'

const patience = { changesAgeMsMax: 1e12, changesCountMax: 1e9, retryMsMax: 10_000, settleMsMax: 10_000 }
const TRAITS = 12_000

async function openFresh(): Promise<SharedStore> {
  const mariadb = await sharedMariadb()
  const { links } = await openMysqlLinks(await mariadb.newDatabase(), { env: {} })
  const store = new SharedStore(links, patience, { nowMs: () => performance.now(), sleep })
  onTestFinished(() => store.close())
  return store
}

const writeTraits = (store: MemoryStore, from: Head, first: number, count: number) => {
  const ops = Array.from({ length: count }, (_, at) =>
    insert('traits', { id: first + at, name: `CUSTOM_${first + at}`, updated_at: 1 }),
  )
  return store.write(from, () => ({
    id: `batch-${first}`,
    atMs: 1,
    changes: [{ change: { ops }, names: {} }],
  }))
}

/** Fails at a table after so many of its rows. */
const failingAfter = (snapshot: Snapshot, table: StoredName, rowsMax: number): Snapshot => ({
  head: snapshot.head,
  async *rows(name) {
    let passed = 0
    for await (const page of snapshot.rows(name, 1_000)) {
      if (name === table && passed >= rowsMax) throw new Error('the source went away')
      passed += page.length
      yield page
    }
  },
  close: () => snapshot.close(),
})

const traitsOf = async (store: SharedStore) => {
  let count = 0
  await store.load((table, rows) => {
    if (table === 'traits') count += rows.length
  })
  return count
}

test.skipIf(!testsMariadb)(
  'a copy that stopped goes on where it stopped, and is whole in the end',
  async () => {
    const source = new MemoryStore()
    await writeTraits(source, GENESIS, 1, TRAITS)
    const target = await openFresh()
    const broken = failingAfter(await source.snapshot(), 'traits', 7_000)
    await expect(target.fill(broken)).rejects.toThrow('the source went away')
    await expect(target.head()).rejects.toBeInstanceOf(StoreRefused)
    // Rows that are there already would be duplicates.
    const snapshot = await source.snapshot()
    expect(await target.fill(snapshot)).toEqual(snapshot.head)
    expect(await traitsOf(target)).toBe(TRAITS)
  },
)

test.skipIf(!testsMariadb)('a copy of another head starts over', async () => {
  const source = new MemoryStore()
  const head = await writeTraits(source, GENESIS, 1, 3_000)
  const target = await openFresh()
  await expect(target.fill(failingAfter(await source.snapshot(), 'traits', 2_000))).rejects.toThrow()
  await writeTraits(source, head, 10_000, 10)
  const snapshot = await source.snapshot()
  expect(await target.fill(snapshot)).toEqual(snapshot.head)
  expect(await traitsOf(target)).toBe(3_010)
})

test.skipIf(!testsMariadb)('nobody writes to a database while a copy into it is unfinished', async () => {
  const source = new MemoryStore()
  await writeTraits(source, GENESIS, 1, 2_000)
  const target = await openFresh()
  await expect(target.fill(failingAfter(await source.snapshot(), 'traits', 1_000))).rejects.toThrow()
  const write = target.write(GENESIS, () => ({ id: 'other', atMs: 1, changes: [] }))
  await expect(write).rejects.toThrow(/a copy into the database .* is not finished: run 'berth copy' again/)
})

test.skipIf(!testsMariadb)(
  'a second copy takes over: the first one ends, and all is there once',
  async () => {
    const source = new MemoryStore()
    await writeTraits(source, GENESIS, 1, TRAITS)
    const target = await openFresh()
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const snapshot = await source.snapshot()
    const slow = target.fill({
      head: snapshot.head,
      async *rows(name) {
        for await (const page of snapshot.rows(name, 1_000)) {
          yield page
          if (name !== 'traits') continue
          reached.resolve()
          await gate.promise
        }
      },
      close: () => snapshot.close(),
    })
    slow.catch(() => undefined)
    await reached.promise
    const head = await target.fill(await source.snapshot())
    gate.resolve()
    await expect(slow).rejects.toThrow(/another copy into the database at .* is running/)
    expect(await target.head()).toEqual(head)
    expect(await traitsOf(target)).toBe(TRAITS)
    expect(await target.changesAfter(0, 10)).toEqual(await source.changesAfter(0, 10))
  },
)
