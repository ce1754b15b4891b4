import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Change, insert } from '../../world/change.ts'
import { GENESIS } from '../chain.ts'
import { findNewestVersion, migrations } from '../migrations/migrations.ts'
import { type Head, type Store, StoreFull, StoreRefused } from '../store.ts'
import { openSqlite, type SqliteOptions } from './open.ts'

let directory: string
const stores: Store[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-open-'))
  return async () => {
    for (const store of stores.splice(0)) await store.close()
    rmSync(directory, { recursive: true })
  }
})

const file = () => join(directory, 'berth.sqlite')

async function opened(options: Partial<SqliteOptions> = {}): Promise<Store> {
  const store = await openSqlite({ directory, busyTimeoutMs: 20, ...options })
  stores.push(store)
  return store
}

/** The one line with which opening is refused. */
async function refusal(options: Partial<SqliteOptions> = {}): Promise<string> {
  const reason = await openSqlite({ directory, busyTimeoutMs: 20, ...options }).catch(
    (error: unknown) => error,
  )
  expect(reason).toBeInstanceOf(StoreRefused)
  const line = (reason as StoreRefused).message
  expect(line).not.toContain('\n')
  return line
}

const trait = (id: number, text = ''): Change => ({
  ops: [insert('traits', { id, name: `CUSTOM_${id}${text}`, updated_at: 1 })],
})
const write = (store: Store, from: Head, ...changes: Change[]) =>
  store.write(from, () => ({
    id: `batch-${from.revision}`,
    atMs: 1,
    changes: changes.map(change => ({ change, names: {} })),
  }))

describe('the data directory', () => {
  test('is made when absent, for its owner only', async () => {
    const inner = join(directory, 'a', 'b')
    await opened({ directory: inner })
    expect(statSync(inner).mode & 0o777).toBe(0o700)
    expect(existsSync(join(inner, 'berth.sqlite'))).toBe(true)
  })

  test('that is a file is refused by its name', async () => {
    const path = join(directory, 'taken')
    writeFileSync(path, '')
    expect(await refusal({ directory: path })).toBe(
      `the data directory ${path} cannot be used: it is not a directory`,
    )
  })

  test('below a file, or where none can be made, is refused by its name', async () => {
    writeFileSync(join(directory, 'taken'), '')
    for (const path of [join(directory, 'taken', 'data'), '/proc/berth'])
      expect(await refusal({ directory: path })).toMatch(`the data directory ${path} cannot be used: it `)
  })

  test('that cannot be written is refused by its name', () => {
    chmodSync(directory, 0o555)
    expect(refusalOfAnother()).toBe(
      `StoreRefused: the data directory ${directory} cannot be used: permission denied\n`,
    )
    chmodSync(directory, 0o700)
  })

  test('whose lock cannot be written is refused: it would lock nothing', () => {
    writeFileSync(join(directory, 'berth.lock'), '')
    chmodSync(join(directory, 'berth.lock'), 0o444)
    chmodSync(directory, 0o777)
    expect(refusalOfAnother()).toBe(
      `StoreRefused: ${directory}/berth.lock cannot be written by this user, so the data directory cannot be locked: ` +
        'give it to the user of the server\n',
    )
  })
})

/** What another user is told: nothing is read-only to root. */
function refusalOfAnother(): string {
  const open = fileURLToPath(new URL('./open.ts', import.meta.url))
  const script = `import { openSqlite } from ${JSON.stringify(open)}
    openSqlite({ directory: ${JSON.stringify(directory)} }).catch(e => console.log(e.name + ': ' + e.message))`
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    cwd: '/',
    ...user,
  }).stdout
}

describe('a second opener', () => {
  test('in the same process is refused with the number of the process, and welcome after the first closed', async () => {
    const first = await openSqlite({ directory })
    expect(await refusal()).toBe(
      `the data directory ${directory} is in use by another berth, process ${process.pid}`,
    )
    // The refused one must not have taken the lock away with it.
    expect(await refusal()).toMatch(/in use/)
    await first.close()
    await opened()
  })

  test('in another process is refused too, and its end by kill frees the directory', async () => {
    const open = fileURLToPath(new URL('./open.ts', import.meta.url))
    const script = `import { openSqlite } from ${JSON.stringify(open)}
      await openSqlite({ directory: ${JSON.stringify(directory)} })
      console.log(process.pid)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise(resolve => child.on('exit', resolve))
    await new Promise(resolve => child.stdout.once('data', resolve))
    expect(await refusal()).toBe(
      `the data directory ${directory} is in use by another berth, process ${child.pid}`,
    )
    child.kill('SIGKILL')
    await ended
    await opened()
  })

  test('reading the file with another program does not disturb', async () => {
    const store = await opened()
    const head = await write(store, GENESIS, trait(1))
    const reader = new DatabaseSync(file(), { readOnly: true })
    reader.exec('BEGIN')
    expect(reader.prepare('SELECT name FROM traits').all()).toHaveLength(1)
    expect((await write(store, head, trait(2))).revision).toBe(2)
    reader.close()
  })
})

describe('a file that is not ours', () => {
  test('with other content is refused by its name and left as it is', async () => {
    for (const content of ['hello', 'x'.repeat(10_000)]) {
      writeFileSync(file(), content)
      expect(await refusal()).toBe(`${file()} is not a database that berth made`)
      expect(readFileSync(file(), 'utf8')).toBe(content)
    }
  })

  test('of another program is refused by its name and left as it is', async () => {
    for (const setup of ['CREATE TABLE songs (title TEXT)', 'PRAGMA application_id = 7']) {
      rmSync(file(), { force: true })
      const other = new DatabaseSync(file())
      other.exec(setup)
      other.close()
      const before = readFileSync(file())
      expect(await refusal()).toBe(`${file()} is a database of another program`)
      expect(readFileSync(file()).equals(before)).toBe(true)
    }
  })

  test('that is a directory is refused by its name', async () => {
    mkdirSync(file())
    expect(await refusal()).toBe(`${file()} cannot be opened`)
  })

  test('that was cut short is refused as damaged, when opened or when loaded', async () => {
    const store = await openSqlite({ directory })
    await write(store, GENESIS, ...Array.from({ length: 3_000 }, (_, id) => trait(id, 'x'.repeat(200))))
    await store.close()
    truncateSync(file(), Math.floor(statSync(file()).size / 2 / 4096) * 4096)
    expect(await refusal()).toMatch(/berth\.sqlite is damaged/)
  })

  test('of a newer berth is refused with both versions', async () => {
    await (await openSqlite({ directory })).close()
    const newer = new DatabaseSync(file())
    newer.exec("INSERT INTO berth_schema VALUES (99, 'from the future')")
    newer.close()
    expect(await refusal()).toBe(
      `${file()} has schema version 99, and this berth knows only up to ${findNewestVersion(migrations)}: use a newer berth`,
    )
  })

  test('a refused file frees the directory', async () => {
    writeFileSync(file(), 'hello')
    await refusal()
    rmSync(file())
    await opened()
  })
})

describe('trouble while running', () => {
  test('a full disk gets a plain error, stores nothing, and smaller writes still work', async () => {
    const store = await opened({ pagesMax: 160 })
    const head = await write(store, GENESIS, trait(1))
    const large = Array.from({ length: 1_000 }, (_, id) => trait(id + 10, 'x'.repeat(200)))
    const attempt = write(store, head, ...large)
    await expect(attempt).rejects.toThrow(new StoreFull(`the disk of ${file()} is full`))
    expect(await store.head()).toEqual(head)
    expect((await write(store, head, trait(2))).revision).toBe(2)
  })

  test('a second write while one is under way is a bug of ours', async () => {
    const store = await opened()
    const first = write(store, GENESIS, trait(1))
    await expect(write(store, GENESIS, trait(2))).rejects.toThrow(/one write at a time/)
    await first
  })

  test('decide runs before write returns, so that the world has not moved since the call', async () => {
    const store = await opened()
    let decided = false
    const writing = store.write(GENESIS, () => {
      decided = true
      return null
    })
    expect(decided).toBe(true)
    await writing
  })

  test('closing waits for the write under way, and what comes later is rejected', async () => {
    const store = await openSqlite({ directory })
    const writing = write(store, GENESIS, trait(1))
    await Promise.all([store.close(), store.close()])
    await expect(store.head()).rejects.toThrow(/has ended/)
    expect(await (await opened()).head()).toEqual(await writing)
  })

  test('after closing the database, its mark and the lock file are left: no log, no pid', async () => {
    const store = await openSqlite({ directory })
    await write(store, GENESIS, trait(1))
    await store.close()
    expect(readdirSync(directory).sort()).toEqual(['berth.ledger', 'berth.lock', 'berth.sqlite'])
  })
})
