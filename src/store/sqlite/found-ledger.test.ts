import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insert } from '../../world/change.ts'
import { GENESIS } from '../chain.ts'
import { type Head, type Store, StoreRefused } from '../store.ts'
import { openSqlite, type SqliteOptions } from './open.ts'

/** `used` was stopped; `killed` was not, and has a log; `backup` and `log` are older files of the same ledger. */
let base: string
let directory: string
const file = (name = 'berth.sqlite') => join(directory, name)

async function write(store: Store, from: Head, id: number): Promise<Head> {
  const change = { ops: [insert('traits', { id, name: `CUSTOM_${id}`, updated_at: 1 })] }
  return store.write(from, () => ({
    id: `${base}-${id}-${Math.random()}`,
    atMs: 1,
    changes: [{ change, names: {} }],
  }))
}

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'berth-ledger-'))
  const at = join(base, 'used')
  let store = await openSqlite({ directory: at })
  const first = await write(store, GENESIS, 1)
  await store.close()
  copyFileSync(join(at, 'berth.sqlite'), join(base, 'backup'))
  store = await openSqlite({ directory: at })
  const second = await write(store, first, 2)
  await store.close()
  store = await openSqlite({ directory: at })
  const third = await write(store, second, 3)
  await store.check()
  cpSync(at, join(base, 'killed'), { recursive: true })
  await write(store, third, 4)
  await store.close()
  const other = await openSqlite({ directory: join(base, 'other') })
  let head = GENESIS
  for (const id of [1, 2, 3, 4, 5]) head = await write(other, head, id)
  await other.close()
})
afterAll(() => rmSync(base, { recursive: true }))
beforeEach(() => {
  directory = mkdtempSync(join(base, 'test-'))
})

const begin = (from: 'used' | 'killed') => cpSync(join(base, from), directory, { recursive: true })

async function open(options: Partial<SqliteOptions> = {}): Promise<number> {
  const store = await openSqlite({ directory, ...options })
  const { revision } = await store.head()
  await store.close()
  return revision
}

/** The line with which the directory is refused, which changes no file. */
async function refusal(options: Partial<SqliteOptions> = {}): Promise<string> {
  const before = contents()
  const reason = await openSqlite({ directory, ...options }).catch((error: unknown) => error)
  expect(reason).toBeInstanceOf(StoreRefused)
  expect(contents()).toEqual(before)
  return (reason as StoreRefused).message
}

/** An empty log is none. */
function contents(): string[] {
  const names = readdirSync(directory).filter(name => /sqlite$|-wal$|ledger$/.test(name))
  const shown = names.filter(name => !name.endsWith('-wal') || statSync(file(name)).size > 0)
  return shown.map(name => `${name} ${readFileSync(file(name)).toString('base64')}`)
}

describe('a data directory that was used is refused', () => {
  test('without its database, or with an empty one', async () => {
    begin('used')
    rmSync(file())
    expect(await refusal()).toMatch(
      /berth\.sqlite is missing, but this data directory had a ledger at revision 4\. /,
    )
    writeFileSync(file(), '')
    expect(await refusal()).toMatch(
      /berth\.sqlite is empty, but .* start once with 'berth serve --new-ledger'$/,
    )
  })

  test('with a log but no database, in every case', async () => {
    begin('killed')
    rmSync(file())
    rmSync(file('berth.ledger'))
    for (const newLedger of [false, true])
      expect(await refusal({ newLedger })).toMatch(
        /berth\.sqlite is missing, and its log .*berth\.sqlite-wal is still there/,
      )
  })

  test('with an older database', async () => {
    begin('used')
    copyFileSync(join(base, 'backup'), file())
    expect(await refusal()).toMatch(/is at revision 1, older than revision 4 that was there before\. /)
  })

  test('with an older database beside the log of a killed server, which would spoil it', async () => {
    begin('killed')
    copyFileSync(join(base, 'backup'), file())
    for (const newLedger of [false, true])
      expect(await refusal({ newLedger })).toMatch(/berth\.sqlite does not belong to its log/)
  })

  test('with the database of another ledger', async () => {
    begin('used')
    copyFileSync(join(base, 'other', 'berth.sqlite'), file())
    expect(await refusal()).toMatch(/is not the one that was at revision 4 before\. /)
  })

  test('where what it says about its ledger cannot be read', async () => {
    begin('used')
    writeFileSync(file('berth.ledger'), '')
    expect(await refusal()).toMatch(/berth\.ledger cannot be read, .* remove .*berth\.ledger$/)
  })
})

describe('it is taken', () => {
  test('as a server left it, however that ended', async () => {
    begin('used')
    expect(await open()).toBe(4)
    directory = mkdtempSync(join(base, 'test-'))
    begin('killed')
    expect(await open()).toBe(3)
  })

  test('with what is there after --new-ledger, from then on', async () => {
    begin('used')
    copyFileSync(join(base, 'backup'), file())
    expect(await open({ newLedger: true })).toBe(1)
    expect(await open()).toBe(1)
    rmSync(file())
    expect(await open({ newLedger: true })).toBe(0)
  })

  test('with a database whose changes have all become too old to keep since the directory was told of them', async () => {
    const left = join(directory, 'left')
    const running = join(directory, 'running')
    const store = await openSqlite({ directory: running, changesAgeMsMax: 100 })
    let head = GENESIS
    for (const [id, atMs] of [1_000, 1_001, 1_002, 1_000_000].entries()) {
      const change = { ops: [insert('traits', { id: id + 1, name: `CUSTOM_${id}`, updated_at: 1 })] }
      const from = head
      head = await store.write(from, () => ({ id: `batch-${id}`, atMs, changes: [{ change, names: {} }] }))
    }
    await store.check()
    cpSync(running, left, { recursive: true })
    await store.close()
    directory = left
    expect(await open()).toBe(4)
  })

  test('with a database into which another program copied the log of a killed server, after --new-ledger', async () => {
    begin('killed')
    const log = readFileSync(file('berth.sqlite-wal'))
    const other = new DatabaseSync(file())
    other.exec('PRAGMA wal_checkpoint')
    other.close()
    // As long as anybody has it open, the log stays.
    writeFileSync(file('berth.sqlite-wal'), log)
    expect(await refusal()).toMatch(
      /does not belong to its log .* start once with 'berth serve --new-ledger'$/,
    )
    expect(await open({ newLedger: true })).toBe(3)
    expect(await open()).toBe(3)
  })

  test('with any database if the directory has no record of an earlier one', async () => {
    copyFileSync(join(base, 'backup'), file())
    expect(await open({ mustExist: true })).toBe(1)
    expect(existsSync(file('berth.ledger'))).toBe(true)
  })
})

test('what a directory says about its ledger is never ahead of the database, and for its owner only', async () => {
  const store = await openSqlite({ directory })
  const mark = () =>
    JSON.parse(readFileSync(file('berth.ledger'), 'utf8')) as Head & { revision_alone: number | null }
  const first = await write(store, GENESIS, 1)
  await store.check()
  expect(mark()).toEqual({ ...first, revision_alone: 0 })
  expect(statSync(file('berth.ledger')).mode & 0o777).toBe(0o600)
  const second = await write(store, first, 2)
  await store.close()
  expect(mark()).toEqual({ ...second, revision_alone: 2 })
})

test('an empty file is no database to verify', async () => {
  writeFileSync(file(), '')
  expect(await refusal({ mustExist: true })).toBe(`there is no database in ${directory}`)
})

test('a process number that was left without a log is worth a warning', async () => {
  begin('killed')
  const withLog = await openSqlite({ directory })
  await withLog.close()
  expect(withLog.warnings).toEqual([])
  writeFileSync(file('berth.pid'), '7\n')
  const withoutLog = await openSqlite({ directory })
  await withoutLog.close()
  expect(withoutLog.warnings).toEqual([
    expect.stringMatching(/its log .*-wal is gone: its last writes may be missing/),
  ])
})

test('a database without the row of its head is refused in a line', async () => {
  begin('used')
  const db = new DatabaseSync(file())
  db.exec('DELETE FROM head')
  db.close()
  const reason = await openSqlite({ directory }).catch((error: unknown) => error)
  expect(reason).toBeInstanceOf(StoreRefused)
  expect((reason as Error).message).toBe(
    `${file()} is damaged: its table head has no row; restore it from a backup`,
  )
})
