import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Berth } from '../../test/running-berth.ts'
import { databaseFile } from '../store/sqlite/directory.ts'

let placement: Berth
let berth: Berth

/** A Berth stands for the Placement: it speaks the same API. */
beforeEach(async () => {
  placement = await Berth.start()
  berth = await startShadow()
})
afterEach(async () => {
  await berth.stop()
  await placement.stop()
})

const startShadow = (config: Record<string, unknown> = {}) =>
  Berth.start(
    { shadow_of: `${placement.server.url}/placement`, shadow_sweep_per_second: 1_000, ...config },
    false,
  )

const minor = 39
const status = async () => (await berth.ask('GET', '/v1/shadow')).json.shadow
const set = (body: object) => berth.ask('PUT', '/v1/shadow', { body })

async function addHost(name: string, at: Berth = berth): Promise<string> {
  const uuid = randomUUID()
  expect((await at.ask('POST', '/resource_providers', { minor, body: { uuid, name } })).status).toBe(200)
  const body = { resource_provider_generation: 0, inventories: { VCPU: { total: 8, allocation_ratio: 1.5 } } }
  expect((await at.ask('PUT', `/resource_providers/${uuid}/inventories`, { minor, body })).status).toBe(200)
  return uuid
}

function claim(at: Berth, consumer: string, host: string, vcpus: number, consumer_generation: number | null) {
  const body = {
    allocations: { [host]: { resources: { VCPU: vcpus } } },
    project_id: 'p',
    user_id: 'u',
    consumer_type: 'INSTANCE',
    consumer_generation,
  }
  return at.ask('PUT', `/allocations/${consumer}`, { minor, body })
}

/** Nothing is left to be done, and both ledgers answer alike. */
async function expectSettled(): Promise<void> {
  await vi.waitFor(async () => {
    const { backlog, sweep } = await status()
    expect([sweep.hurry, Object.values(backlog)]).toEqual([null, [0, 0, 0, 0, 0]])
  }, 10_000)
}

/** Restarts Berth with a sweep that rests for a minute, at the provider that comes first: it repairs nothing before a test sees it. */
async function restTheSweep(): Promise<void> {
  const uuid = '00000000-0000-4000-8000-000000000000'
  const body = { resource_provider_generation: 0, inventories: { VCPU: { total: 60 } } }
  await placement.ask('POST', '/resource_providers', { minor, body: { uuid, name: 'first' } })
  await placement.ask('PUT', `/resource_providers/${uuid}/inventories`, { minor, body })
  for (let claims = 0; claims < 60; claims++)
    expect((await claim(placement, randomUUID(), uuid, 1, null)).status).toBe(204)
  const { directory } = berth
  await berth.stop()
  berth = await startShadow({ data_dir: directory, shadow_sweep_per_second: 1 })
  await vi.waitFor(
    async () => expect((await status()).sweep).toMatchObject({ hurry: null, passes: 1, checked: 1 }),
    20_000,
  )
}

async function ledgerOf(at: Berth) {
  const lines = (await at.ask('GET', '/v1/export')).text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  return lines
    .filter(line => 'provider' in line || 'consumer' in line)
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

const expectEqualLedgers = async () => expect(await ledgerOf(berth)).toEqual(await ledgerOf(placement))

test('clients get the answers of Placement, and Berth follows with the same generations', async () => {
  const host = await addHost('host')
  const consumer = randomUUID()
  expect((await claim(berth, consumer, host, 2, null)).status).toBe(204)
  expect((await claim(berth, consumer, host, 3, null)).status).toBe(409)
  const direct = await placement.ask('GET', `/resource_providers/${host}/inventories`, { minor })
  const passed = await berth.ask('GET', `/resource_providers/${host}/inventories`, { minor })
  expect([passed.status, passed.text]).toEqual([direct.status, direct.text])
  await expectSettled()
  await expectEqualLedgers()
  expect(await status()).toMatchObject({ reads: 'placement', writes: 'placement', differences: 0 })
})

test('what Placement refuses changes nothing here, even where Berth would accept it', async () => {
  const host = await addHost('host')
  await expectSettled()
  await placement.ask('PUT', '/traits/CUSTOM_A', { minor })
  // Straight to Placement: Berth does not know of it, until it is found.
  const body = { resource_provider_generation: 1, traits: ['CUSTOM_A'] }
  expect((await placement.ask('PUT', `/resource_providers/${host}/traits`, { minor, body })).status).toBe(200)
  const inventories = { resource_provider_generation: 1, inventories: { VCPU: { total: 4 } } }
  const refused = await berth.ask('PUT', `/resource_providers/${host}/inventories`, {
    minor,
    body: inventories,
  })
  expect(refused.status).toBe(409)
  expect((await berth.ask('POST', '/v1/shadow/sweep')).status).toBe(200)
  await expectSettled()
  await expectEqualLedgers()
  const { repairs } = (await berth.ask('GET', '/v1/shadow/differences')).json
  expect(repairs[0]).toMatchObject({ repaired: 'berth' })
})

test('many clients at once leave equal ledgers and no difference', async () => {
  const hosts = [await addHost('a'), await addHost('b')]
  const consumers = Array.from({ length: 5 }, () => randomUUID())
  await Promise.all(
    Array.from({ length: 150 }, async (_, nth) => {
      const consumer = consumers[nth % 5] as string
      const host = hosts[nth % 2] as string
      if (nth % 11 === 0) return berth.ask('DELETE', `/allocations/${consumer}`, { minor })
      if (nth % 7 === 0) return berth.ask('GET', `/resource_providers/${host}/usages`, { minor })
      return claim(berth, consumer, host, (nth % 4) + 1, nth % 3 === 0 ? null : nth % 5)
    }),
  )
  await expectSettled()
  await expectEqualLedgers()
  expect((await berth.ask('GET', '/v1/shadow/differences')).json).toMatchObject({ total: 0 })
})

test('reads and writes are switched, and Placement gets what Berth accepts; then back', async () => {
  const host = await addHost('host')
  const consumer = randomUUID()
  await expectSettled()
  expect((await set({ writes: 'berth' })).json).toMatchObject({ status: 409, code: 'shadow.order' })
  expect((await set({ reads: 'berth' })).json).toMatchObject({
    reads: 'berth',
    writes: 'placement',
    lost: [],
  })
  expect((await claim(berth, consumer, host, 1, null)).status).toBe(204)
  expect((await berth.ask('GET', `/allocations/${consumer}`, { minor })).json).toMatchObject({
    consumer_generation: 1,
  })
  expect((await set({ writes: 'berth' })).json).toMatchObject({ reads: 'berth', writes: 'berth' })
  expect((await claim(berth, consumer, host, 2, 1)).status).toBe(204)
  await addHost('second')
  await expectSettled()
  await expectEqualLedgers()
  expect((await set({ writes: 'placement', reads: 'placement' })).json).toMatchObject({ writes: 'placement' })
  expect((await claim(berth, consumer, host, 3, 2)).status).toBe(204)
  await expectSettled()
  await expectEqualLedgers()
  expect((await berth.ask('GET', '/v1/shadow/differences')).json.differences).toEqual([])
})

test('the class of shares, which Placement does not have, is no difference', async () => {
  const body = {
    rows: [
      {
        table: 'share_backends',
        row: {
          backend: 'farm@a',
          availability_zone: '',
          is_disabled: 0,
          disabled_reason: null,
          capabilities: '{}',
        },
      },
      {
        table: 'share_pools',
        row: {
          pool: 'farm@a#p',
          backend: 'farm@a',
          total_gb: 10,
          reserved_gb: 0,
          reserved_percentage: 0,
          over_subscription: 1,
          capabilities: '{}',
        },
      },
    ],
    removed: [],
  }
  expect((await berth.ask('POST', '/v1/pull/prod', { body })).json).toMatchObject({ created: 2 })
  expect((await berth.ask('POST', '/v1/shadow/sweep', { body: {} })).status).toBeLessThan(300)
  await expectSettled()
  expect((await status()).sweep.failure).toBeNull()
  expect((await berth.ask('GET', '/v1/shadow/differences')).json).toMatchObject({ total: 0, repairs: [] })
  expect((await set({ reads: 'berth' })).json).toMatchObject({ reads: 'berth' })
})

test('a switch is refused with the differences, and forced if asked', async () => {
  const host = await addHost('host')
  await restTheSweep()
  await set({ reads: 'berth' })
  await set({ writes: 'berth' })
  await placement.ask('PUT', `/resource_providers/${host}`, { minor, body: { name: 'another' } })
  const refused = await set({ writes: 'placement' })
  expect(refused.json).toMatchObject({ status: 409, code: 'shadow.different' })
  expect(refused.json.differences).toMatchObject([
    { key: host, field: 'name', left: 'another', right: 'host' },
  ])
  const forced = await set({ writes: 'placement', force: true })
  expect(forced.json).toMatchObject({
    writes: 'placement',
    unsent: 0,
    not_compared: null,
    lost: [{ key: host, field: 'name', left: 'another', right: 'host' }],
  })
})

test('a consumer without a type is written to Placement as such, whatever Placement had', async () => {
  const host = await addHost('host')
  const [untyped, changed] = [randomUUID(), randomUUID()]
  const body = { allocations: { [host]: { resources: { VCPU: 1 } } }, project_id: 'p', user_id: 'u' }
  for (const consumer of [untyped, changed])
    expect(
      (
        await berth.ask('PUT', `/allocations/${consumer}`, {
          minor: 37,
          body: { ...body, consumer_generation: null },
        })
      ).status,
    ).toBe(204)
  await expectSettled()
  await set({ reads: 'berth' })
  await set({ writes: 'berth' })
  await placement.ask('DELETE', `/allocations/${untyped}`, { minor })
  expect((await claim(placement, changed, host, 1, 1)).status).toBe(204)
  expect((await berth.ask('POST', '/v1/shadow/sweep')).status).toBe(200)
  await expectSettled()
  await expectEqualLedgers()
  const found = await placement.ask('GET', `/allocations/${changed}`, { minor })
  expect(found.json.consumer_type).toBe('unknown')
})

test('a repaired consumer raises generations in Placement, which Berth takes over for all of its hosts', async () => {
  const [host, other] = [await addHost('host'), await addHost('other')]
  const consumer = randomUUID()
  const owner = { project_id: 'p', user_id: 'u', consumer_type: 'INSTANCE' }
  const allocations = Object.fromEntries([host, other].map(uuid => [uuid, { resources: { VCPU: 1 } }]))
  const both = { allocations, ...owner, consumer_generation: null }
  expect((await berth.ask('PUT', `/allocations/${consumer}`, { minor, body: both })).status).toBe(204)
  await expectSettled()
  await restTheSweep()
  await set({ reads: 'berth' })
  expect((await set({ writes: 'berth' })).json).toMatchObject({ writes: 'berth' })
  // Behind the back of Berth, so that Placement refuses the next write about the first host.
  expect((await claim(placement, consumer, host, 2, 1)).status).toBe(204)
  const body = { resource_provider_generation: 2, aggregates: [randomUUID()] }
  expect((await berth.ask('PUT', `/resource_providers/${host}/aggregates`, { minor, body })).status).toBe(200)
  await expectSettled()
  await expectEqualLedgers()
})

test('a read that asks for the ledger of Berth gets it, and a write that does goes to Placement', async () => {
  await expectSettled()
  await placement.ask('PUT', '/traits/CUSTOM_THERE', { minor })
  const headers = { 'x-berth-side': 'berth' }
  const traits = async (asked: object) => (await berth.ask('GET', '/traits', { minor, ...asked })).json.traits
  expect(await traits({})).toContain('CUSTOM_THERE')
  expect(await traits({ headers })).not.toContain('CUSTOM_THERE')
  expect((await berth.ask('PUT', '/traits/CUSTOM_BOTH', { minor, headers })).status).toBe(201)
  expect((await placement.ask('GET', '/traits/CUSTOM_BOTH', { minor })).status).toBe(204)
})

test('queued writes survive a restart, and arrive in order when Placement is back', async () => {
  const host = await addHost('host')
  await expectSettled()
  await set({ reads: 'berth' })
  await set({ writes: 'berth' })
  await placement.server.drain()
  const consumer = randomUUID()
  for (let generation = 0; generation < 5; generation++)
    expect(
      (await claim(berth, consumer, host, generation + 1, generation === 0 ? null : generation)).status,
    ).toBe(204)
  await vi.waitFor(async () => expect((await status()).backlog.to_send).toBe(5))
  const metrics = await (await fetch(`${berth.server.url}/metrics`)).text()
  expect(metrics).toContain('berth_shadow_backlog{kind="to_send"} 5\n')
  const { directory } = berth
  await berth.stop()
  const { directory: there, server } = placement
  placement = await Berth.start({ data_dir: there, port: Number(new URL(server.url).port) })
  berth = await startShadow({ data_dir: directory })
  await expectSettled()
  await expectEqualLedgers()
  expect((await berth.ask('POST', '/v1/shadow/end', { body: {} })).json).toMatchObject({ is_ended: true })
  expect((await claim(berth, consumer, host, 6, 5)).status).toBe(204)
  expect((await placement.ask('GET', `/allocations/${consumer}`, { minor })).json).toMatchObject({
    consumer_generation: 5,
  })
})

test('a write without an answer is told as unknown, and what came of it is found out', async () => {
  const consumer = randomUUID()
  const host = await addHost('host')
  await expectSettled()
  const proxy: Server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', piece => pieces.push(piece))
    request.on('end', async () => {
      const { method = 'GET', headers, url } = request
      const answer = await fetch(`${placement.server.url}${url}`, {
        method,
        headers: headers as Record<string, string>,
        body: pieces.length === 0 ? null : Buffer.concat(pieces),
      }).catch(() => null)
      if (answer === null || method === 'PUT') request.socket.destroy()
      else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const { directory } = berth
  await berth.stop()
  berth = await startShadow({
    data_dir: directory,
    shadow_of: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/placement`,
  })
  const lost = await claim(berth, consumer, host, 2, null)
  expect([lost.status, lost.text]).toEqual([502, expect.stringContaining('is not known')])
  await expectSettled()
  await expectEqualLedgers()
  expect(await ledgerOf(berth)).toHaveLength(2)
  proxy.close()
})

test('a store that takes no writes delays no answer of Placement, and Berth follows when it does again', async () => {
  const host = await addHost('host')
  await expectSettled()
  const file = new DatabaseSync(databaseFile(berth.directory), { timeout: 5_000 })
  file.exec('BEGIN IMMEDIATE')
  try {
    for (let nth = 0; nth < 10; nth++) {
      const startMs = performance.now()
      expect((await claim(berth, randomUUID(), host, 1, null)).status).toBe(204)
      expect((await berth.ask('GET', `/resource_providers/${host}/usages`, { minor })).status).toBe(200)
      expect(performance.now() - startMs).toBeLessThan(1_000)
    }
  } finally {
    file.exec('ROLLBACK')
    file.close()
  }
  await expectSettled()
  await expectEqualLedgers()
  expect((await berth.ask('GET', '/v1/shadow/differences')).json).toMatchObject({ total: 0 })
})

test('what follows from a write that Placement refused is no difference of its own', async () => {
  const host = await addHost('host')
  await restTheSweep()
  await set({ reads: 'berth' })
  await set({ writes: 'berth' })
  const setTotal = async (resource_provider_generation: number) => {
    const inventories = { VCPU: { total: resource_provider_generation } }
    const body = { resource_provider_generation, inventories }
    expect((await berth.ask('PUT', `/resource_providers/${host}/inventories`, { minor, body })).status).toBe(
      200,
    )
  }
  await setTotal(1)
  await expectSettled()
  for (const resource_provider_generation of [2, 3, 4]) {
    const traits = resource_provider_generation % 2 === 0 ? ['COMPUTE_NODE'] : []
    const body = { resource_provider_generation, traits }
    const path = `/resource_providers/${host}/traits`
    expect((await placement.ask('PUT', path, { minor, body })).status).toBe(200)
  }
  await placement.server.drain()
  for (const generation of [2, 3, 4]) await setTotal(generation)
  const { directory: data_dir, server } = placement
  placement = await Berth.start({ data_dir, port: Number(new URL(server.url).port) })
  await expectSettled()
  await expectEqualLedgers()
  expect((await berth.ask('GET', '/v1/shadow/differences')).json).toMatchObject({ total: 1 })
})
