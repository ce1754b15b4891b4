import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { encodeOps, insert } from '../../world/change.ts'
import { computeHeads, GENESIS } from '../chain.ts'
import { type Head, StoreDiverged, StoreFull, StoreUnavailable } from '../store.ts'
import { connect } from './connection.ts'
import { SqliteFile } from './file.ts'
import { packPuts, type WriteRequest } from './messages.ts'
import { prepareSchema } from './schema.ts'

/** SQLite's codes for what a disk can do to us. */
const IOERR_FSYNC = 1034
const IOERR_WRITE = 778
const FULL = 13

const failure = (errcode: number) => Object.assign(new Error('disk'), { errcode, errstr: 'disk I/O error' })

/** What happens to the next statements of one kind; the file stays real underneath. */
interface Faults {
  /** The COMMIT fails: before it took place, or after. */
  commit?: { errcode: number; took: boolean }
  rollback?: { errcode: number }
  begin?: { errcode: number }
  /** So many connections cannot be opened. */
  connects?: number
}

function opened(settleMsMax = 5_000) {
  const directory = mkdtempSync(join(tmpdir(), 'berth-file-'))
  const name = join(directory, 'berth.sqlite')
  const settings = { busyTimeoutMs: 20, pagesMax: null }
  const first = connect(name, settings)
  prepareSchema(first, name, [])
  first.close()
  const faults: Faults = {}
  let connects = 0
  const file = new SqliteFile(
    name,
    () => {
      connects++
      if ((faults.connects ?? 0) > 0) {
        faults.connects = (faults.connects as number) - 1
        throw failure(IOERR_WRITE)
      }
      return faulty(connect(name, settings), faults)
    },
    { settleMsMax, changesAgeMsMax: 1e12, changesCountMax: 1e6 },
  )
  onTestFinished(() => {
    file.close()
    rmSync(directory, { recursive: true })
  })
  return { file, faults, name, connects: () => connects }
}

function faulty(db: DatabaseSync, faults: Faults): DatabaseSync {
  const exec = db.exec.bind(db)
  const fail = (fault: { errcode: number }, kind: keyof Faults) => {
    delete faults[kind]
    throw failure(fault.errcode)
  }
  db.exec = sql => {
    if (sql === 'BEGIN IMMEDIATE' && faults.begin) fail(faults.begin, 'begin')
    if (sql === 'ROLLBACK' && faults.rollback) fail(faults.rollback, 'rollback')
    if (sql === 'COMMIT' && faults.commit) {
      if (faults.commit.took) exec(sql)
      fail(faults.commit, 'commit')
    }
    exec(sql)
  }
  return db
}

const batch = (from: Head, id: number): WriteRequest => ({
  from,
  batchId: `batch-${id}`,
  atMs: 1,
  ops: [encodeOps([insert('traits', { id, name: `CUSTOM_${id}`, updated_at: 1 })])],
  names: ['{}'],
  plain: [],
})

/** A batch of one plain row and no change. */
const note = (from: Head, answer: string): WriteRequest => ({
  ...batch(from, 0),
  ops: [],
  names: [],
  plain: packPuts([
    {
      table: 'idempotency_keys',
      row: { caller: 'me', key: 'key', request: 'digest', status: 200, answer, at_ms: 1 },
    },
  ]),
})

function traits(name: string): unknown[] {
  const db = new DatabaseSync(name)
  const found = db.prepare('SELECT id FROM traits ORDER BY id').all()
  db.close()
  return found.map(row => row.id)
}

test('a COMMIT that failed but took place is found in the file, and is a success', async () => {
  const { file, faults, name, connects } = opened()
  faults.commit = { errcode: IOERR_FSYNC, took: true }
  const head = await file.write(batch(GENESIS, 1))
  expect(head).toEqual(computeHeads(GENESIS, 'batch-1', 1)[0])
  expect(connects()).toBe(2)
  expect(traits(name)).toEqual([1])
  expect((await file.write(batch(head, 2))).revision).toBe(2)
})

test('a COMMIT that failed and did not take place is looked for in the file, and may be tried again', async () => {
  const { file, faults, name, connects } = opened()
  faults.commit = { errcode: IOERR_WRITE, took: false }
  await expect(file.write(batch(GENESIS, 1))).rejects.toBeInstanceOf(StoreUnavailable)
  expect(connects()).toBe(2)
  expect(traits(name)).toEqual([])
  expect((await file.write(batch(GENESIS, 1))).revision).toBe(1)
})

test('a COMMIT that ran out of space is rolled back, in plain words, and may be tried again', async () => {
  const { file, faults, name } = opened()
  faults.commit = { errcode: FULL, took: false }
  await expect(file.write(batch(GENESIS, 1))).rejects.toThrow(new StoreFull(`the disk of ${name} is full`))
  expect((await file.write(batch(GENESIS, 1))).revision).toBe(1)
})

test('when the rollback fails as well, the file is reopened and read', async () => {
  const { file, faults, name, connects } = opened()
  faults.commit = { errcode: FULL, took: false }
  faults.rollback = { errcode: IOERR_WRITE }
  await expect(file.write(batch(GENESIS, 1))).rejects.toBeInstanceOf(StoreUnavailable)
  expect(connects()).toBe(2)
  expect(traits(name)).toEqual([])
  expect((await file.write(batch(GENESIS, 1))).revision).toBe(1)
})

test('where only plain rows were to be written, they tell what became of the COMMIT', async () => {
  const { file, faults } = opened()
  const head = await file.write(batch(GENESIS, 1))
  faults.commit = { errcode: IOERR_WRITE, took: false }
  await expect(file.write(note(head, 'lost'))).rejects.toBeInstanceOf(StoreUnavailable)
  expect(file.plainRow('idempotency_keys', ['me', 'key'])).toBe(null)
  faults.commit = { errcode: IOERR_FSYNC, took: true }
  expect(await file.write(note(head, 'found'))).toEqual(head)
  expect(file.plainRow('idempotency_keys', ['me', 'key'])).toMatchObject({ answer: 'found' })
  faults.commit = { errcode: IOERR_WRITE, took: false }
  await expect(file.write(note(head, 'later'))).rejects.toBeInstanceOf(StoreUnavailable)
  expect(file.plainRow('idempotency_keys', ['me', 'key'])).toMatchObject({ answer: 'found' })
})

test('while the file cannot be opened the outcome is not guessed: it is asked again', async () => {
  const { file, faults, name } = opened()
  faults.commit = { errcode: IOERR_FSYNC, took: true }
  faults.connects = 2
  expect((await file.write(batch(GENESIS, 1))).revision).toBe(1)
  expect(traits(name)).toEqual([1])
})

test('an outcome that stays unknown is neither a success nor a failure that may be tried again', async () => {
  const { file, faults } = opened(200)
  faults.commit = { errcode: IOERR_FSYNC, took: true }
  faults.connects = 1_000
  const reason = await file.write(batch(GENESIS, 1)).catch((error: unknown) => error)
  expect(reason).toBeInstanceOf(StoreDiverged)
  faults.connects = 0
})

test('an error before the COMMIT leaves nothing, even if the disk is gone by the rollback', async () => {
  const { file, faults, name } = opened()
  faults.begin = { errcode: IOERR_WRITE }
  await expect(file.write(batch(GENESIS, 1))).rejects.toBeInstanceOf(StoreUnavailable)
  const once = batch(GENESIS, 1)
  const clash: WriteRequest = { ...once, ops: [...once.ops, ...once.ops], names: ['{}', '{}'] }
  faults.rollback = { errcode: IOERR_WRITE }
  await expect(file.write(clash)).rejects.toThrow(/UNIQUE/)
  expect(traits(name)).toEqual([])
  expect((await file.write(batch(GENESIS, 1))).revision).toBe(1)
})

test('a load that runs while the file is reopened ends with an error, not with half the rows', async () => {
  const { file, faults } = opened()
  const { load } = file.beginLoad()
  const request = { load, walk: 1, table: 'traits', rowsMax: 10 } as const
  file.nextPage(request)
  faults.commit = { errcode: IOERR_FSYNC, took: true }
  await file.write(batch(GENESIS, 1))
  expect(() => file.nextPage(request)).toThrow(StoreUnavailable)
})
