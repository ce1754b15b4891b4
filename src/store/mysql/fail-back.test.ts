import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { sharedMariadb, testsMariadb } from '../../../test/mariadb.ts'
import { SharedStore } from '../shared/shared-store.ts'
import { FailBack } from './fail-back.ts'
import { openMysqlLinks } from './open.ts'

const EVERY_MS = 10

function makeFailBack() {
  const time = { ms: 0 }
  const found: { rank: number | null } = { rank: null }
  const asked: number[] = []
  const failBack = new FailBack({
    findBefore: async rank => {
      asked.push(rank)
      return found.rank
    },
    nowMs: () => time.ms,
    everyMs: EVERY_MS,
  })
  /** After so long, as a link asks before each turn. */
  const ask = async (ms: number, rank: number) => {
    time.ms += ms
    failBack.isOutranked(rank)
    await Promise.resolve()
    await Promise.resolve()
    return failBack.isOutranked(rank)
  }
  return { failBack, found, asked, ask }
}

test('the preferred host is never looked for by those who use it', async () => {
  const { ask, asked } = makeFailBack()
  expect([await ask(EVERY_MS, 0), asked]).toEqual([false, []])
})

test('others look for a better host now and then, and leave theirs once it is there', async () => {
  const { ask, asked, found } = makeFailBack()
  expect([await ask(EVERY_MS - 1, 2), asked]).toEqual([false, []])
  expect([await ask(1, 2), asked]).toEqual([false, [2]])
  found.rank = 1
  expect([await ask(EVERY_MS - 1, 2), asked]).toEqual([false, [2]])
  expect([await ask(1, 2), asked]).toEqual([true, [2, 2]])
})

test('a better host that cannot be had after all is forgotten, so that nobody connects again and again', async () => {
  const { ask, failBack, found } = makeFailBack()
  found.rank = 0
  expect(await ask(EVERY_MS, 2)).toBe(true)
  failBack.connected(2)
  expect(failBack.isOutranked(2)).toBe(false)
})

/** A way to a port that can be closed and opened. */
async function makeWay(port: number) {
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer(near => {
    const far = connect({ port, host: '127.0.0.1' })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    if (isOpen) near.pipe(far).pipe(near)
    else near.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    connections: () => sockets.size / 2,
    open: () => {
      isOpen = true
    },
    close: () => {
      isOpen = false
      cut()
    },
    stop: () => {
      cut()
      server.close()
    },
  }
}

describe.skipIf(!testsMariadb)('with mariadb-server', () => {
  test('a store goes back to the first host of its address when that can be used again', async () => {
    const mariadb = await sharedMariadb()
    const { port, pathname } = new URL(await mariadb.newDatabase())
    const [first, second] = [await makeWay(Number(port)), await makeWay(Number(port))]
    const url = `mysql://berth:berth@127.0.0.1:${first.port},127.0.0.1:${second.port}${pathname}`
    const { links } = await openMysqlLinks(url, { env: {}, failBackMs: 100 })
    const limits = { changesAgeMsMax: 1e12, changesCountMax: 1e6, retryMsMax: 10_000, settleMsMax: 10_000 }
    const store = new SharedStore(links, limits, { nowMs: () => performance.now(), sleep })
    try {
      await store.head()
      expect([first.connections(), second.connections()]).toEqual([1, 0])
      first.close()
      await store.head()
      expect([first.connections(), second.connections()]).toEqual([0, 1])
      first.open()
      await expect
        .poll(async () => {
          await store.head()
          return [first.connections(), second.connections()]
        })
        .toEqual([1, 0])
    } finally {
      await store.close()
      first.stop()
      second.stop()
    }
  })
})
