import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sharedPostgres } from '../../../test/postgres.ts'
import { Berth } from '../../../test/running-berth.ts'
import { invariantChecks } from '../../server/check-world.ts'
import { loadWorld } from '../../store/load-world.ts'
import { openSqlite } from '../../store/sqlite/open.ts'
import type { Backup, Committed, Head, Store } from '../../store/store.ts'
import { diffWorlds } from '../../store/verify/verify.ts'
import { verifyWorld } from '../../store/verify/verify-world.ts'
import { busyCloud } from '../fleet/busy-cloud.fixture.ts'
import { EVERYTHING } from '../fleet/feed-rights.ts'
import { exportLines } from '../transfer/export.ts'

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'berth-backup-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

async function opened(path: string): Promise<Store> {
  const store = await openSqlite({ directory: path })
  onTestFinished(() => store.close())
  return store
}

async function exported(store: Store): Promise<string> {
  const snapshot = await store.snapshot()
  let text = ''
  for await (const piece of exportLines(snapshot, EVERYTHING)) text += piece
  await snapshot.close()
  return text
}

async function restored(backup: Backup): Promise<{ path: string; store: Store }> {
  const path = await directory()
  const pieces: Uint8Array[] = []
  for await (const piece of backup.read()) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  expect(bytes.length).toBe(backup.bytes)
  await writeFile(join(path, 'berth.sqlite'), bytes)
  return { path, store: await opened(path) }
}

/** Applies to a store the changes that the other store made since. */
async function rollForward(store: Store, by: Store): Promise<Head> {
  let head = await store.head()
  const history = await by.changesAfter(head.revision, 1_000_000)
  const missed: readonly Committed[] = history.kept ? history.changes : []
  for (const [id, changes] of Map.groupBy(missed, change => change.batchId))
    head = await store.write(head, () => ({ id, atMs: changes[0]!.atMs, changes }))
  return head
}

test('a backup made under load is whole, and is the live store once it has caught up', async () => {
  const path = await directory()
  const live = await opened(path)
  const cloud = await busyCloud(11, live)
  await cloud.write(200)
  let isDone = false
  const writing = (async () => {
    let writes = 0
    for (; !isDone; writes += 5) await cloud.write(5)
    return writes
  })()
  const backups: Backup[] = []
  for (let round = 0; round < 3; round++) {
    const from = cloud.world.revision
    while (cloud.world.revision < from + 10) await new Promise(resolve => setImmediate(resolve))
    backups.push(await (live.backup as NonNullable<Store['backup']>)())
  }
  isDone = true
  expect(await writing).toBeGreaterThan(0)
  expect(await readdir(path)).not.toContainEqual(expect.stringContaining('backup'))
  for (const backup of backups) {
    const copy = await restored(backup)
    const { world, head } = await loadWorld(copy.store)
    expect(head).toEqual(backup.head)
    const still = { world, head, reach: async () => undefined }
    const report = await verifyWorld(copy.path, copy.store, still, invariantChecks)
    expect(report).toMatchObject({ differences_total: 0, problems_total: 0, revision: backup.head.revision })
    expect(await rollForward(copy.store, live)).toEqual(await live.head())
    expect(await exported(copy.store)).toBe(await exported(live))
    const caughtUp = await loadWorld(copy.store)
    expect(diffWorlds(caughtUp.world, cloud.world)).toEqual({ items: [], count: 0 })
  }
  const revisions = backups.map(backup => backup.head.revision)
  expect(new Set(revisions).size).toBe(3)
})

test('a backup and an export of the same revision show the same', async () => {
  const live = await opened(await directory())
  const cloud = await busyCloud(12, live)
  await cloud.write(100)
  const text = await exported(live)
  const copy = await restored(await (live.backup as NonNullable<Store['backup']>)())
  expect(await exported(copy.store)).toBe(text)
})

test('over HTTP it is a file of the size that was announced, from which a server starts', async () => {
  const berth = await Berth.start()
  onTestFinished(() => berth.end())
  await berth.ask('PUT', '/traits/CUSTOM_A', { minor: 6 })
  const answer = await fetch(`${berth.server.url}/v1/backup`, { headers: { 'x-auth-token': 'admin' } })
  expect(answer.headers.get('content-type')).toBe('application/vnd.sqlite3')
  const bytes = new Uint8Array(await answer.arrayBuffer())
  expect(bytes.length).toBe(Number(answer.headers.get('content-length')))
  const path = await directory()
  await writeFile(join(path, 'berth.sqlite'), bytes)
  const other = await Berth.start({ data_dir: path })
  try {
    expect((await other.ask('GET', '/traits/CUSTOM_A', { minor: 6 })).status).toBe(204)
    const { json } = await other.ask('POST', '/v1/verify')
    expect(json).toMatchObject({ differences_total: 0, problems_total: 0 })
    expect(json.revision).toBe(Number(answer.headers.get('berth-revision')))
  } finally {
    await other.stop()
  }
})

test('only one is made at a time, and only for admins and services', async () => {
  const berth = await Berth.start()
  onTestFinished(() => berth.end())
  const answers = await Promise.all([1, 2, 3].map(() => berth.ask('GET', '/v1/backup')))
  const statuses = answers.map(answer => answer.status)
  expect(statuses).toContain(200)
  for (const { status, json } of answers) if (status !== 200) expect(json.code).toBe('backup.running')
  expect((await berth.ask('GET', '/v1/backup', { headers: { 'x-roles': 'reader' } })).status).toBe(403)
})

test('a server on a database names the tools of that', async () => {
  const berth = await Berth.start({ database: await (await sharedPostgres()).newDatabase() })
  onTestFinished(() => berth.end())
  const { status, json } = await berth.ask('GET', '/v1/backup')
  expect([status, json.code]).toEqual([501, 'backup.unavailable'])
  expect(json.detail).toContain('pg_dump')
})
