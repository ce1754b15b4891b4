import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import { run } from '../run.fixture.ts'

let placement: Berth
let berth: Berth

/** A Berth stands for the Placement: it speaks the same API. */
beforeEach(async () => {
  placement = await Berth.start()
  const shadow_of = `${placement.server.url}/placement`
  berth = await Berth.start({ shadow_of, shadow_sweep_per_second: 1_000 }, false)
})
afterEach(async () => {
  await berth.end()
  await placement.stop()
})

const shadow = (...args: string[]) => run(['shadow', ...args, '--url', berth.server.url, '--token', 'admin'])
const set = (...args: string[]) => shadow('set', ...args)
const settled = () =>
  vi.waitFor(async () => {
    const { backlog, sweep } = (await shadow('status', '--json')).json
    expect([sweep.hurry, Object.values(backlog)]).toEqual([null, [0, 0, 0, 0, 0]])
  }, 10_000)

async function addHost(name: string): Promise<string> {
  const uuid = randomUUID()
  const { status } = await berth.ask('POST', '/resource_providers', { minor: 39, body: { uuid, name } })
  expect(status).toBe(200)
  return uuid
}

test('status and differences say who answers, and that nothing differed', async () => {
  await addHost('host')
  await settled()
  const { exitCode, out } = await shadow('status')
  expect(exitCode).toBe(0)
  expect(out).toMatch(/reads +answered by placement/)
  expect(out).toMatch(/POST +\/resource_providers +equal +1/)
  expect(await shadow('differences')).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining('0 differences, 0 repairs'),
  })
  expect((await shadow('sweep')).out).toBe('the comparison has begun\n')
})

test('the path there and back, each step refused where it must be', async () => {
  await settled()
  expect(await set('reads=both')).toMatchObject({ exitCode: 64 })
  const early = await set('writes=berth')
  expect([early.exitCode, early.err]).toEqual([75, expect.stringContaining('needs reads=berth')])
  expect((await shadow('end')).err).toContain('Placement still answers writes')
  expect((await set('reads=berth')).out).toBe('reads: berth, writes: placement\n')
  expect((await set('writes=berth')).out).toBe('reads: berth, writes: berth\n')
  await addHost('host')
  expect((await set('writes=placement', 'reads=placement')).out).toBe('reads: placement, writes: placement\n')
  expect((await set('reads=berth', 'writes=berth')).exitCode).toBe(0)
  expect((await shadow('end')).out).toBe('reads: berth, writes: berth, Placement gets no further writes\n')
  expect((await set('writes=berth')).out).toBe('reads: berth, writes: berth\n')
})

test('a switch between different ledgers lists what differs; with --force, what is lost', async () => {
  const uuid = await addHost('host')
  await settled()
  await set('reads=berth', 'writes=berth')
  const body = { name: 'another' }
  const difference = 'provider another: name is "another" in Placement and "host" in Berth'
  // The sweep may repair it first: then once more.
  const changeAndSet = async (...args: string[]) => {
    await set('writes=berth')
    const { status } = await placement.ask('PUT', `/resource_providers/${uuid}`, { minor: 39, body })
    expect(status).toBe(200)
    return set('writes=placement', ...args)
  }
  await vi.waitFor(async () => {
    const refused = await changeAndSet()
    expect([refused.exitCode, refused.err]).toEqual([75, expect.stringContaining(difference)])
  }, 10_000)
  await vi.waitFor(
    async () => expect((await changeAndSet('--force')).out).toContain(`lost: ${difference}`),
    10_000,
  )
})

test('--force says how many writes a Placement that is away will not get, and drops them', async () => {
  await settled()
  await set('reads=berth', 'writes=berth')
  await placement.server.drain()
  await addHost('host')
  await vi.waitFor(async () => expect((await shadow('status', '--json')).json.backlog.to_send).toBe(1))
  const refused = await set('writes=placement')
  expect([refused.exitCode, refused.err]).toEqual([75, expect.stringContaining('cannot be compared')])
  const { out } = await set('writes=placement', '--force')
  expect(out).toContain(
    'lost: 1 writes that Placement did not get\nnot known what else: the ledgers could not',
  )
  await vi.waitFor(async () => expect((await shadow('status', '--json')).json.backlog.to_send).toBe(0))
})

test('without a shadow there is one line that says how to start one', async () => {
  const { exitCode, err } = await run(['shadow', 'status', '--url', placement.server.url, '--token', 'admin'])
  expect([exitCode, err]).toEqual([66, expect.stringContaining('start the server with --shadow-of')])
})
