import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Change, insert, type RowOp, remove, update } from '../world/change.ts'
import type { NamedChange } from '../world/naming.ts'
import { type AnyRow, makeRowKey } from '../world/table.ts'
import { type Row, type TableName, tableByName } from '../world/tables.ts'
import { GENESIS, nextChain } from './chain.ts'
import { fillContract } from './fill.contract.ts'
import { histories, noRows, plain, put, type Rows } from './histories.fixture.ts'
import { plainRowsContract } from './plain-rows.contract.ts'
import {
  type Committed,
  type FillableStore,
  type Head,
  type Retention,
  type Store,
  StoreDiverged,
  StoreUnavailable,
} from './store.ts'

/** A new, empty store of some engine, and what a test can do around it. */
export interface Subject {
  readonly store: FillableStore
  /** A fill that stopped can be resumed; until then the store does nothing else. */
  readonly resumesFill?: true
  /** Closes the store and opens what it left behind. */
  reopen(): Promise<Store>
  /** Makes commits fail as they really do in this engine, until the returned function is called. */
  obstruct(): Promise<() => Promise<void>>
  end(): Promise<void>
}

export type OpenFresh = (retention?: Partial<Retention>) => Promise<Subject>

const trait = (id: number, name = `CUSTOM_${id}`): Row<'traits'> => ({ id, name, updated_at: 1 })
const inserted = (...rows: Row<'traits'>[]): Change => ({ ops: rows.map(row => insert('traits', row)) })

const unnamed = (change: Change): NamedChange => ({ change, names: {} })

let batches = 0
const write = (store: Store, from: Head, ...changes: Change[]) =>
  store.write(from, () => ({
    id: `batch-${++batches}`,
    atMs: 1_000 + batches,
    changes: changes.map(unnamed),
  }))

async function readStored(store: Store): Promise<{ rows: Rows; head: Head }> {
  const rows = noRows()
  const head = await store.load((table, page) => {
    for (const row of page) rows.get(table)?.set(makeRowKey(tableByName[table], row), row)
  })
  return { rows, head }
}

const traitNames = async (store: Store) => plain((await readStored(store)).rows).traits?.map(row => row.name)

async function history(store: Store, after = 0): Promise<readonly Committed[]> {
  const answer = await store.changesAfter(after, 1_000_000)
  expect(answer.kept).toBe(true)
  return answer.kept ? answer.changes : []
}

/** What every engine promises. */
export function storeContract(name: string, openFresh: OpenFresh): void {
  describe(`store ${name}`, () => {
    let subject: Subject
    beforeEach(async () => {
      subject = await openFresh()
    })
    afterEach(() => subject.end())

    loading(() => subject)
    committing(() => subject)
    failing(() => subject)
    plainRowsContract(() => subject)
    fillContract(openFresh)
    trimming(openFresh)

    test('any history of row changes loads back to the same rows, and its before-images undo it', async () => {
      await fc.assert(
        fc.asyncProperty(histories, one => survives(openFresh, one)),
        { numRuns: 8 },
      )
    })
  })
}

async function survives(openFresh: OpenFresh, batchesOfChanges: Change[][]): Promise<void> {
  const subject = await openFresh()
  try {
    const expected = noRows()
    let head = GENESIS
    for (const changes of batchesOfChanges) {
      head = await write(subject.store, head, ...changes)
      for (const change of changes) for (const op of change.ops) put(expected, op)
    }
    const again = await subject.reopen()
    const found = await readStored(again)
    expect(plain(found.rows)).toEqual(plain(expected))
    expect(found.head).toEqual(head)
    for (const { change } of [...(await history(again))].reverse())
      for (const op of [...change.ops].reverse()) put(found.rows, op, 'undo')
    expect(plain(found.rows)).toEqual(plain(noRows()))
  } finally {
    await subject.end()
  }
}

function loading(subject: () => Subject): void {
  test('a new store is empty and at the first head', async () => {
    const { store } = subject()
    const { rows, head } = await readStored(store)
    expect(head).toEqual(GENESIS)
    expect(await store.head()).toEqual(GENESIS)
    expect(plain(rows)).toEqual(plain(noRows()))
    expect(await history(store)).toEqual([])
  })

  test('committed rows are there after closing and opening', async () => {
    const head = await write(subject().store, GENESIS, inserted(trait(1), trait(2)))
    const store = await subject().reopen()
    expect(await store.head()).toEqual(head)
    expect((await readStored(store)).head).toEqual(head)
    expect(await traitNames(store)).toEqual(['CUSTOM_1', 'CUSTOM_2'])
  })

  test('rows come parents first, and in order of their key', async () => {
    const { store } = subject()
    const held = (consumer_id: number, provider_id: number): RowOp =>
      insert('allocations', { consumer_id, provider_id, class_id: 0, used: 1 })
    await write(
      store,
      GENESIS,
      { ops: [held(10, 1), held(9, 20), held(9, 3), held(100, 0)] },
      inserted(trait(7)),
    )
    const seen: TableName[] = []
    const keys: string[] = []
    await store.load((table, rows) => {
      if (rows.length > 0) seen.push(table)
      if (table === 'allocations') keys.push(...rows.map(row => `${row.consumer_id}/${row.provider_id}`))
    })
    expect(seen).toEqual(['traits', 'allocations'])
    expect(keys).toEqual(['9/3', '9/20', '10/1', '100/0'])
  })

  test('a table larger than a page loads whole, each row once', async () => {
    const { store } = subject()
    const many = Array.from({ length: 25_000 }, (_, id) => trait(id))
    await write(store, GENESIS, inserted(...many))
    const ids: unknown[] = []
    await store.load((table, rows) => {
      if (table === 'traits') ids.push(...rows.map(row => row.id))
    })
    expect(ids).toEqual(many.map(row => row.id))
  })

  test('a load shows one head, even if others write', async () => {
    const { store } = subject()
    const first = await write(store, GENESIS, inserted(trait(1)))
    let meanwhile: Promise<Head> | null = null
    const names: unknown[] = []
    const head = await store.load((table, rows) => {
      meanwhile ??= write(store, first, inserted(trait(2)))
      if (table === 'traits') names.push(...rows.map(row => row.name))
    })
    const second = await (meanwhile as unknown as Promise<Head>)
    expect([head, names]).toEqual([first, ['CUSTOM_1']])
    expect([await store.head(), await traitNames(store)]).toEqual([second, ['CUSTOM_1', 'CUSTOM_2']])
  })

  test('a snapshot can be walked side by side and more than once, in pages no larger than asked for', async () => {
    const { store } = subject()
    const first = await write(store, GENESIS, inserted(...[1, 2, 3, 4, 5].map(id => trait(id))))
    const snapshot = await store.snapshot()
    await write(store, first, inserted(trait(6)))
    const walks = [snapshot.rows('traits', 2), snapshot.rows('traits', 3), snapshot.rows('traits')].map(
      pages => pages[Symbol.asyncIterator](),
    )
    const seen: unknown[][][] = [[], [], []]
    for (let turn = 0; turn < 4; turn++)
      for (const [at, walk] of walks.entries()) {
        const { value, done } = await walk.next()
        if (done !== true) seen[at]?.push(value.map((row: AnyRow) => row.id))
      }
    await snapshot.close()
    expect(snapshot.head).toEqual(first)
    expect(seen).toEqual([
      [[1, 2], [3, 4], [5]],
      [
        [1, 2, 3],
        [4, 5],
      ],
      [[1, 2, 3, 4, 5]],
    ])
  })

  test('what the taker of rows throws comes out, and the store can be loaded again', async () => {
    const { store } = subject()
    const first = await write(store, GENESIS, inserted(trait(1)))
    const bug = new Error('no room')
    await expect(
      store.load(() => {
        throw bug
      }),
    ).rejects.toBe(bug)
    expect((await readStored(store)).head).toEqual(first)
  })
}

function committing(subject: () => Subject): void {
  test('each change has the next revision, and the chain follows from the batch ids', async () => {
    const { store } = subject()
    const head = await write(store, GENESIS, inserted(trait(1)), inserted(trait(2)))
    const next = await write(store, head, inserted(trait(3)))
    const changes = await history(store)
    expect(changes.map(change => change.revision)).toEqual([1, 2, 3])
    let chain = GENESIS.chain
    for (const change of changes) {
      chain = nextChain(chain, change.batchId)
      expect(change.chain).toBe(chain)
    }
    expect(next).toEqual({ revision: 3, chain })
    expect(changes[0]?.batchId).toBe(changes[1]?.batchId)
    expect(changes[2]?.batchId).not.toBe(changes[1]?.batchId)
  })

  test('a change is kept with its before-images, the names it needs, its batch and its time', async () => {
    const { store } = subject()
    const changes = [
      unnamed(inserted(trait(1))),
      { change: { ops: [update('traits', trait(1), trait(1, 'CUSTOM_B'))] }, names: { traits: { 7: 'é"' } } },
      unnamed({ ops: [remove('traits', trait(1, 'CUSTOM_B'))] }),
    ]
    const batch = { id: 'the-batch', atMs: 42, changes }
    await store.write(GENESIS, () => batch)
    const found = await history(store)
    expect(found.map(({ change, names }) => ({ change, names }))).toEqual(changes)
    expect(found.map(one => [one.batchId, one.atMs])).toEqual([1, 2, 3].map(() => ['the-batch', 42]))
    expect(await traitNames(store)).toEqual([])
  })

  test('the changes after a revision come oldest first, and no more than asked for', async () => {
    const { store } = subject()
    await write(store, GENESIS, ...[1, 2, 3, 4, 5].map(id => inserted(trait(id))))
    const revisions = async (after: number, limit: number) => {
      const answer = await store.changesAfter(after, limit)
      return answer.kept ? answer.changes.map(change => change.revision) : answer
    }
    expect(await revisions(0, 2)).toEqual([1, 2])
    expect(await revisions(3, 100)).toEqual([4, 5])
    expect(await revisions(5, 100)).toEqual([])
  })

  test('decide runs once, and has missed nothing when no other process writes', async () => {
    const { store } = subject()
    const head = await write(store, GENESIS, inserted(trait(1)))
    const seen: (readonly Committed[])[] = []
    await store.write(head, missed => {
      seen.push(missed)
      return null
    })
    expect(seen).toEqual([[]])
  })

  test('a write of nothing changes nothing', async () => {
    const { store } = subject()
    const head = await write(store, GENESIS, inserted(trait(1)))
    expect(await store.write(head, () => null)).toEqual(head)
    expect(await store.head()).toEqual(head)
  })
}

function failing(subject: () => Subject): void {
  test('a commit that fails leaves nothing, says so, and the next write works', async () => {
    const { store } = subject()
    const head = await write(store, GENESIS, inserted(trait(1)))
    const lift = await subject().obstruct()
    await expect(write(store, head, inserted(trait(2)))).rejects.toBeInstanceOf(StoreUnavailable)
    await lift()
    expect(await store.head()).toEqual(head)
    expect(await traitNames(store)).toEqual(['CUSTOM_1'])
    const next = await write(store, head, inserted(trait(3)))
    expect(next.revision).toBe(head.revision + 1)
    expect(await traitNames(await subject().reopen())).toEqual(['CUSTOM_1', 'CUSTOM_3'])
  })

  test('a batch is stored whole or not at all', async () => {
    const { store } = subject()
    const head = await write(store, GENESIS, inserted(trait(1)))
    const twice = write(store, head, inserted(trait(2)), inserted(trait(3)), inserted(trait(1)))
    const reason = await twice.catch((error: unknown) => error)
    expect(reason).toBeInstanceOf(Error)
    expect(reason).not.toBeInstanceOf(StoreUnavailable)
    expect(await store.head()).toEqual(head)
    expect(await traitNames(await subject().reopen())).toEqual(['CUSTOM_1'])
  })

  test('a row that differs from its before-image stays, and the write fails', async () => {
    const { store } = subject()
    const head = await write(store, GENESIS, inserted(trait(1)))
    const stale = trait(1, 'CUSTOM_OTHER')
    for (const op of [
      update('traits', stale, trait(1, 'CUSTOM_NEW')),
      remove('traits', stale),
      remove('traits', trait(2)),
    ])
      await expect(write(store, head, { ops: [op] })).rejects.toBeInstanceOf(StoreDiverged)
    expect(await traitNames(store)).toEqual(['CUSTOM_1'])
    expect(await store.head()).toEqual(head)
  })

  test('a write from any head but the stored one is rejected before it decides', async () => {
    const { store } = subject()
    const head = await write(store, GENESIS, inserted(trait(1)))
    const fork = { revision: head.revision, chain: nextChain(GENESIS.chain, 'another history') }
    let decided = false
    const attempt = store.write(fork, () => {
      decided = true
      return { id: 'x', atMs: 1, changes: [unnamed(inserted(trait(2)))] }
    })
    await expect(attempt).rejects.toBeInstanceOf(StoreDiverged)
    expect(decided).toBe(false)
    expect(await store.head()).toEqual(head)
  })

  test('an error of decide is passed on, nothing is stored, and the next write works', async () => {
    const { store } = subject()
    const head = await write(store, GENESIS, inserted(trait(1)))
    const bug = new Error('a bug in a rule')
    await expect(
      store.write(head, () => {
        throw bug
      }),
    ).rejects.toBe(bug)
    expect(await store.head()).toEqual(head)
    expect((await write(store, head, inserted(trait(3)))).revision).toBe(head.revision + 1)
    expect(await traitNames(await subject().reopen())).toEqual(['CUSTOM_1', 'CUSTOM_3'])
  })
}

function trimming(openFresh: OpenFresh): void {
  const trimmed = async (retention: Partial<Retention>, work: (store: Store) => Promise<void>) => {
    const subject = await openFresh(retention)
    try {
      await work(subject.store)
    } finally {
      await subject.end()
    }
  }

  test('changes past the count limit go, oldest first, and a reader from before them gets an error', async () => {
    await trimmed({ changesCountMax: 3 }, async store => {
      let head = GENESIS
      for (let id = 1; id <= 7; id++) head = await write(store, head, inserted(trait(id)))
      expect(await store.changesAfter(3, 10)).toEqual({ kept: false, oldestKept: 5 })
      expect((await history(store, 4)).map(change => change.revision)).toEqual([5, 6, 7])
      expect((await readStored(store)).head).toEqual(head)
    })
  })

  test('changes past the age limit go with the next write', async () => {
    await trimmed({ changesAgeMsMax: 100 }, async store => {
      const at = (head: Head, id: number, atMs: number) =>
        store.write(head, () => ({ id: `at-${atMs}`, atMs, changes: [unnamed(inserted(trait(id)))] }))
      let head = await at(GENESIS, 1, 1_000)
      head = await at(head, 2, 1_090)
      head = await at(head, 3, 1_110)
      expect(await store.changesAfter(0, 10)).toEqual({ kept: false, oldestKept: 2 })
      expect((await history(store, 1)).map(change => change.revision)).toEqual([2, 3])
    })
  })

  test('a clock that jumps back never tears a hole into the changes', async () => {
    await trimmed({ changesAgeMsMax: 100 }, async store => {
      let head = GENESIS
      for (const [at, atMs] of [5_000, 1_000, 5_050, 5_060].entries())
        head = await store.write(head, () => ({
          id: `at-${atMs}`,
          atMs,
          changes: [unnamed(inserted(trait(at)))],
        }))
      expect((await history(store)).map(change => change.revision)).toEqual([1, 2, 3, 4])
    })
  })
}
