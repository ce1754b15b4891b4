import { afterEach, beforeEach, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { THREE_HOSTS } from '../../../test/three-hosts.ts'

const SMALL = { id: 'small', name: 'm1.small', vcpus: 1, ram: 512, disk: 1 }
const GOLD = { ...SMALL, id: 'gold', name: 'm1.gold', extra_specs: { tier: 'gold' } }

let berth: Berth
beforeEach(async () => {
  berth = await Berth.start()
  await berth.ask('POST', '/v1/apply?owner=test', { body: { hosts: THREE_HOSTS, flavors: [SMALL, GOLD] } })
})
afterEach(() => berth.end())

const decide = async (path: string, body: object): Promise<string> => {
  const { json } = await berth.ask('POST', `/v1/${path}`, { body })
  return json.decision ?? json.facts?.decision
}
const ask = (id: string, what: 'explain' | 'compare') =>
  berth.ask('POST', `/v1/decisions/${id}/${what}`, what === 'explain' ? { body: {} } : {})

test('a refused request is explained as it was, with its hints, on the present state', async () => {
  await decide('schedule', { flavor: 'm1.small', instances: [uuid(70)], host: 'beta' })
  const id = await decide('schedule', {
    flavor: 'm1.small',
    host: 'beta',
    hints: { different_host: [uuid(70)] },
  })
  const { status, json } = await ask(id, 'explain')
  expect(status).toBe(200)
  expect(json).toMatchObject({ passed: 0 })
  expect(json.changes.map(({ kind }: { kind: string }) => kind)).toContain('drop-hint')
})

test('what changed since is told host by host, those that pass now first', async () => {
  const id = await decide('schedule', { flavor: 'm1.gold' })
  await berth.ask('PUT', '/v1/hosts/gamma', { body: { forced_down: true } })
  const gold = { name: 'gold', metadata: { tier: 'gold' }, hosts: ['beta'] }
  const applied = await berth.ask('POST', '/v1/apply?owner=more', { body: { aggregates: [gold] } })
  expect(applied.status, JSON.stringify(applied.json)).toBe(200)
  const { status, json } = await ask(id, 'compare')
  expect(status, JSON.stringify(json)).toBe(200)
  expect(json).toMatchObject({
    decision: id,
    before: { hosts: 3, passed: 0 },
    now: { hosts: 3, passed: 1 },
    settings_changed: false,
  })
  expect(json.hosts[0]).toMatchObject({
    host: 'beta',
    before: { verdict: 'refused' },
    now: { verdict: 'passes', reasons: [] },
  })
  expect(json.hosts.map(({ host }: { host: string }) => host)).toEqual(['beta', 'gamma'])
  expect(json.changed).toBe(2)
})

test('a move is compared without what the server holds; when it is gone, that is said', async () => {
  await decide('schedule', { flavor: 'm1.small', instances: [uuid(70)] })
  const id = await decide('move', { instance: uuid(70) })
  const { status, json } = await ask(id, 'compare')
  expect(status, JSON.stringify(json)).toBe(200)
  expect((await ask(id, 'explain')).status).toBe(200)
  await berth.ask('DELETE', `/allocations/${uuid(70)}`)
  expect((await ask(id, 'compare')).json).toMatchObject({ code: 'decisions.server-gone' })
})

test('an unknown decision is 404, one that Berth did not place is 409', async () => {
  expect((await ask(uuid(5), 'compare')).status).toBe(404)
  await decide('schedule', { flavor: 'm1.small', instances: [uuid(70)] })
  const rebuilt = await decide('rebuild', { instance: uuid(70), image: {} })
  expect((await ask(rebuilt, 'explain')).json).toMatchObject({ code: 'decisions.not-servers' })
})
