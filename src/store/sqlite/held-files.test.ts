import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { insert } from '../../world/change.ts'
import { GENESIS } from '../chain.ts'
import { type Head, StoreDiverged } from '../store.ts'
import { openSqlite, type SqliteStore } from './open.ts'

let directory: string
let store: SqliteStore
let head: Head
const file = (name = 'berth.sqlite') => join(directory, name)

async function write(id: number): Promise<Head> {
  const change = { ops: [insert('traits', { id, name: `CUSTOM_${id}`, updated_at: 1 })] }
  head = await store.write(head, () => ({ id: `batch-${id}`, atMs: 1, changes: [{ change, names: {} }] }))
  return head
}

/** A copy of the database as it is, with what its log has. */
function copyOfDatabase(): string {
  const copy = join(directory, 'copy')
  const reader = new DatabaseSync(file(), { readOnly: true })
  reader.exec(`VACUUM INTO '${copy}'`)
  reader.close()
  return copy
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'berth-held-'))
  store = await openSqlite({ directory, busyTimeoutMs: 20 })
  head = GENESIS
  await write(1)
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

describe('a running store stops at the next write, and without one at the next look, when', () => {
  const moved = (name: string) => `${file(name)} was moved or deleted while it was in use`
  const accidents: readonly [what: string, accident: () => void, reason: () => string][] = [
    ['its database was deleted', () => rmSync(file()), () => moved('berth.sqlite')],
    ['its database was moved', () => renameSync(file(), file('away')), () => moved('berth.sqlite')],
    [
      'another file was put in its place',
      () => renameSync(copyOfDatabase(), file()),
      () => moved('berth.sqlite'),
    ],
    ['its log was deleted', () => rmSync(file('berth.sqlite-wal')), () => moved('berth.sqlite-wal')],
    ['its lock was deleted', () => rmSync(file('berth.lock')), () => moved('berth.lock')],
    [
      'its lock was made anew',
      () => {
        rmSync(file('berth.lock'))
        writeFileSync(file('berth.lock'), '')
      },
      () => moved('berth.lock'),
    ],
  ]
  for (const [what, accident, reason] of accidents)
    test(what, async () => {
      accident()
      const looked = await store.check().catch((error: unknown) => error)
      const written = await write(2).catch((error: unknown) => error)
      for (const error of [looked, written]) {
        expect(error).toBeInstanceOf(StoreDiverged)
        expect((error as Error).message).toContain(reason())
      }
    })

  test('an older copy was written over its database', async () => {
    copyOfDatabase()
    await write(2)
    copyFileSync(file('copy'), file())
    await expect(write(3)).rejects.toThrow(`${file()} was overwritten while it was in use`)
  })

  test('a copy was written over its database, which is left as it is, and not mixed with the log by the next start', async () => {
    await write(2)
    const copy = readFileSync(copyOfDatabase())
    writeFileSync(file(), copy)
    await expect(write(3)).rejects.toThrow(`${file()} was overwritten while it was in use`)
    await store.close()
    expect(readFileSync(file()).equals(copy)).toBe(true)
    await expect(openSqlite({ directory })).rejects.toThrow(`${file()} does not belong to its log`)
  })

  test('anything else was written over its database', async () => {
    writeFileSync(file(), 'hello')
    await expect(write(2)).rejects.toThrow(`${file()} was overwritten while it was in use`)
  })
})

test('what a deleted log held is in the database afterwards', async () => {
  await write(2)
  rmSync(file('berth.sqlite-wal'))
  await expect(write(3)).rejects.toThrow(`its content was copied into ${file()} first`)
  const found = new DatabaseSync(file(), { readOnly: true })
  expect(found.prepare('SELECT id FROM traits').all()).toHaveLength(3)
  found.close()
})

test('a new time of the database file is no reason to stop', async () => {
  utimesSync(file(), new Date(0), new Date(0))
  await store.check()
  expect((await write(2)).revision).toBe(2)
})

describe('another program may copy from the log', () => {
  const copy = (mode: string) => {
    const other = new DatabaseSync(file())
    other.exec(`PRAGMA wal_checkpoint(${mode})`)
    other.close()
  }
  for (const mode of ['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])
    test(mode, async () => {
      for (let id = 2; id < 8; id += 2) {
        await write(id)
        copy(mode)
        if (id > 2) await store.check()
        await write(id + 1)
      }
      copy(mode)
      await store.check()
      // Which a server that was killed does not.
      const left = mkdtempSync(join(tmpdir(), 'berth-left-'))
      for (const name of ['berth.sqlite', 'berth.sqlite-wal', 'berth.ledger'])
        copyFileSync(file(name), join(left, name))
      const again = await openSqlite({ directory: left })
      expect(await again.head()).toEqual(head)
      await again.close()
      rmSync(left, { recursive: true })
    })

  test('and a copy of the database that is put in place after that is noticed', async () => {
    await write(2)
    copy('PASSIVE')
    await write(3)
    const older = copyOfDatabase()
    await write(4)
    copyFileSync(older, file())
    await expect(write(5)).rejects.toThrow(`${file()} was overwritten while it was in use`)
  })
})
