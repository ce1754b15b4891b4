import { afterEach, beforeEach, expect, test } from 'vitest'
import { Berth } from '../../../../test/running-berth.ts'
import { run } from '../run.fixture.ts'

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  const inventories = { VCPU: { total: 4 }, MEMORY_MB: { total: 8_192 } }
  const hosts = ['alpha', 'beta'].map(name => ({ name, inventories }))
  const aggregates = [{ name: 'pool', hosts: ['alpha', 'beta'] }]
  const flavors = [{ id: 'small', name: 'm1.small', vcpus: 2, ram: 1024, disk: 0 }]
  const applied = await berth.ask('POST', '/v1/apply?owner=test', { body: { hosts, aggregates, flavors } })
  expect(applied.status).toBe(200)
})
afterEach(() => berth.end())

const at = (...args: string[]) => run([...args, '--url', berth.server.url, '--token', 'root:ops:admin'])

test('a reservation is made, listed, shown and deleted; what does not fit is refused', async () => {
  const made = await at(
    'reservation',
    'create',
    'launch',
    'm1.small',
    '--count',
    '3',
    '--until',
    '2099-01-01T00:00:00Z',
  )
  expect([made.exitCode, made.err]).toEqual([0, ''])
  expect(made.out).toContain('m1.small')
  const { json } = await at('reservation', 'list', '--json')
  expect(json).toMatchObject([
    { name: 'launch', held: 3, state: 'kept', until: Date.parse('2099-01-01T00:00:00Z') },
  ])
  expect((await at('reservation', 'show', 'launch')).out).toContain('2099-01-01T00:00:00.000Z')
  const full = await at('reservation', 'create', 'more', 'm1.small', '--count', '2')
  expect([full.exitCode, full.err]).toEqual([75, expect.stringContaining('There is no room for 2 places')])
  const deleted = await at('reservation', 'delete', 'launch')
  expect([deleted.exitCode, deleted.err]).toEqual([0, 'berth: launch is deleted; 3 consumers held it\n'])
})

test('capacity for failover is kept; where it does not suffice the exit code is 2', async () => {
  for (const host of ['alpha', 'beta']) await at('schedule', 'm1.small', '--host', host)
  const made = await at('reservation', 'create', 'spare', '--failover', 'pool')
  expect([made.exitCode, made.err]).toEqual([0, ''])
  expect(made.out).toContain('failover of pool')
  await at('reservation', 'delete', 'spare')
  await at('schedule', 'm1.small', '--host', 'alpha')
  expect((await at('reservation', 'create', 'spare', '--failover', 'pool')).exitCode).toBe(2)
})
