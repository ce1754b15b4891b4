import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { sharedMariadb, testsMariadb } from '../../../test/mariadb.ts'
import { insert } from '../../world/change.ts'
import { GENESIS } from '../chain.ts'
import { SharedStore } from '../shared/shared-store.ts'
import type { Head } from '../store.ts'
import { startMultiplexingProxy } from './multiplexing-proxy.fixture.ts'
import { openMysqlLinks } from './open.ts'

const LIMITS = { changesAgeMsMax: 1e12, changesCountMax: 1e6, retryMsMax: 10_000, settleMsMax: 10_000 }
const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0

async function openStore(url: string): Promise<SharedStore> {
  const { links } = await openMysqlLinks(url, { env: {} })
  const store = new SharedStore(links, LIMITS, { nowMs: () => performance.now(), sleep })
  onTestFinished(() => store.close())
  return store
}

/** One more trait, whatever others have written meanwhile; each process knows what it has seen. */
const addTrait = (store: SharedStore, from: Head, name: string): Promise<Head> =>
  store.write(from, missed => {
    const id = (missed.at(-1) ?? from).revision + 1
    const change = { ops: [insert('traits', { id, name, updated_at: 1 })] }
    return { id: name, atMs: 1, changes: [{ change, names: {} }] }
  })

async function countTraits(store: SharedStore): Promise<number> {
  let count = 0
  await store.load((table, rows) => {
    if (table === 'traits') count += rows.length
  })
  return count
}

describe.skipIf(!testsMariadb)('with mariadb-server', () => {
  test('two processes share a database through a proxy that gives each transaction another session', async () => {
    const mariadb = await sharedMariadb()
    await mariadb.query("CREATE USER IF NOT EXISTS open@'%'; GRANT ALL ON *.* TO open@'%'")
    const { port, pathname } = new URL(await mariadb.newDatabase())
    const proxy = await startMultiplexingProxy(Number(port))
    onTestFinished(() => proxy.stop())
    const url = `mysql://open@127.0.0.1:${proxy.port}${pathname}?ssl_mode=DISABLED`
    const [one, two] = [await openStore(url), await openStore(url)]
    const WRITES = 20
    const write = async (store: SharedStore, name: string) => {
      let head: Head = GENESIS
      for (let nth = 0; nth < WRITES; nth++) head = await addTrait(store, head, `${name}${nth}`)
    }
    await Promise.all([write(one, 'A'), write(two, 'B')])
    expect((await one.head()).revision).toBe(2 * WRITES)
    expect(await countTraits(two)).toBe(2 * WRITES)
    expect(proxy.countSwitches()).toBeGreaterThan(2 * WRITES)
  })

  test.skipIf(!hasHaproxy)(
    'HAProxy cuts idle connections: the next read and write do not notice',
    async () => {
      const mariadb = await sharedMariadb()
      const target = new URL(await mariadb.newDatabase())
      const port = await freePort()
      const directory = mkdtempSync(join(tmpdir(), 'berth-haproxy-'))
      const file = join(directory, 'haproxy.cfg')
      writeFileSync(
        file,
        `defaults
  mode tcp
  timeout connect 2s
  timeout client 400ms
  timeout server 400ms
listen db
  bind 127.0.0.1:${port}
  server one 127.0.0.1:${target.port}
`,
      )
      const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
      onTestFinished(() => {
        haproxy.kill('SIGKILL')
        rmSync(directory, { recursive: true, force: true })
      })
      await expect.poll(() => canConnect(port), { timeout: 10_000 }).toBe(true)
      target.port = String(port)
      const store = await openStore(target.href)
      let head: Head = GENESIS
      for (const name of ['a', 'b', 'c']) {
        head = await addTrait(store, head, name)
        await sleep(1_000)
        expect(await store.head()).toEqual(head)
      }
    },
  )

  test('a process that hangs in its turn loses the lock, and its commit stores nothing', async () => {
    const mariadb = await sharedMariadb()
    const url = await mariadb.newDatabase()
    const { links } = await openMysqlLinks(url, { env: {}, frozenMsMax: 1_000 })
    const [hanging, other] = [await links.connect(), await links.connect()]
    onTestFinished(async () => {
      await Promise.all([hanging.close(), other.close(), links.close()])
    })
    await hanging.begin(0)
    // Waits until the server has ended the other's transaction, one second after it fell silent.
    const { head } = await other.begin(0)
    const change = { ops: [insert('traits', { id: 1, name: 'CUSTOM_A', updated_at: 1 })] }
    const batch = { id: 'late', atMs: 1, changes: [{ change, names: {} }] }
    await expect(hanging.commit(head, batch, LIMITS)).rejects.toThrow()
    await other.commit(head, { ...batch, id: 'other' }, LIMITS)
    await expect(hanging.begin(0)).rejects.toThrow()
    expect((await other.head()).revision).toBe(1)
    const { changes } = (await other.changesAfter(0, 10)) as { changes: readonly { batchId: string }[] }
    expect(changes.map(({ batchId }) => batchId)).toEqual(['other'])
  })
})

const canConnect = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
