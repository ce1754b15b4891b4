import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { insert } from '../../world/change.ts'
import { GENESIS } from '../chain.ts'
import { type Backup, type Store, StoreUnavailable } from '../store.ts'
import { openSqlite } from './open.ts'

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'berth-sqlite-backup-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const ROWS = 30_000

const backupOf = (store: Store): Promise<Backup> => (store.backup as NonNullable<Store['backup']>).call(store)

/** So many rows that the copy takes many steps. */
async function filled(path: string): Promise<Store> {
  const store = await openSqlite({ directory: path })
  const ops = Array.from({ length: ROWS }, (_, id) =>
    insert('traits', { id, name: `CUSTOM_${'X'.repeat(100)}_${id}`, updated_at: 1 }),
  )
  await store.write(GENESIS, () => ({ id: 'all', atMs: 1, changes: [{ change: { ops }, names: {} }] }))
  return store
}

const leftovers = (path: string) => readdirSync(path).filter(name => name.includes('backup'))

test('closing gives up a copy that is being made and leaves nothing of it', async () => {
  const path = directory()
  const store = await filled(path)
  const copying = backupOf(store).catch((error: unknown) => error)
  await store.close()
  const outcome = await copying
  expect(outcome).toBeInstanceOf(StoreUnavailable)
  expect(leftovers(path)).toEqual([])
})

test('a copy shows the head at which it began, while others write', async () => {
  const store = await filled(directory())
  onTestFinished(() => store.close())
  const copying = backupOf(store)
  const change = { ops: [insert('traits', { id: 99_999, name: 'CUSTOM_LATER', updated_at: 1 })] }
  const head = await store.head()
  await store.write(head, () => ({ id: 'b', atMs: 2, changes: [{ change, names: {} }] }))
  const backup = await copying
  expect(backup.head).toEqual(head)
  const elsewhere = directory()
  const pieces: Uint8Array[] = []
  for await (const piece of backup.read()) pieces.push(piece)
  writeFileSync(join(elsewhere, 'berth.sqlite'), Buffer.concat(pieces))
  const copy = await openSqlite({ directory: elsewhere })
  onTestFinished(() => copy.close())
  let rows = 0
  const loaded = await copy.load((_, page) => {
    rows += page.length
  })
  expect(loaded).toEqual(head)
  expect(rows).toBe(ROWS)
})

test('a file has no name any more once the copy is handed out, read or not', async () => {
  const path = directory()
  const store = await filled(path)
  onTestFinished(() => store.close())
  const backup = await backupOf(store)
  expect(leftovers(path)).toEqual([])
  await backup.close()
  await backup.close()
})

test('what a killed server left of a copy is swept away at the next start, and nothing else', async () => {
  const path = directory()
  for (const name of [
    'berth.backup-3.tmp',
    'berth.backup-3.tmp-journal',
    'berth.backup.txt',
    'my-backup-1.tmp',
  ])
    writeFileSync(join(path, name), '')
  const store = await openSqlite({ directory: path })
  await store.close()
  expect(leftovers(path).sort()).toEqual(['berth.backup.txt', 'my-backup-1.tmp'])
})

test('a copy that cannot be made is refused in plain words, and the store goes on', async () => {
  const path = directory()
  const store = await filled(path)
  onTestFinished(() => store.close())
  const inTheWay = join(path, 'berth.backup-1.tmp')
  mkdirSync(inTheWay)
  await expect(backupOf(store)).rejects.toThrow(new StoreUnavailable(`${inTheWay} cannot be opened`))
  expect((await store.head()).revision).toBe(1)
  await (await backupOf(store)).close()
})
