import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'
import { DECLARED } from '../../../test/three-hosts.ts'
import type { Fit, FlavorFit } from '../../wire/fit.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
  await berth.ask('POST', '/v1/apply?owner=test', { body: DECLARED })
})
afterAll(() => berth.end())

async function read(query = ''): Promise<Fit> {
  const { status, json } = await berth.ask('GET', `/v1/fit${query}`)
  expect(status).toBe(200)
  return json
}
const byName = ({ flavors }: Fit) => Object.fromEntries(flavors.map(one => [one.name, one]))

test('every flavor is counted in every zone, and none is explained in three words', async () => {
  const fit = await read()
  expect(fit.zones).toEqual([
    { zone: 'east', hosts: 2 },
    { zone: 'nova', hosts: 1 },
  ])
  expect(fit.flavors.map(({ name }) => name)).toEqual(['m1.fast', 'm1.half', 'm1.huge'])
  expect(byName(fit)).toMatchObject({
    'm1.half': {
      fits: 6,
      hosts: 3,
      exact: true,
      reason: null,
      zones: [
        { fits: 4, hosts: 2 },
        { fits: 2, hosts: 1 },
      ],
    },
    'm1.huge': { fits: 0, hosts: 0, reason: 'VCPU too small', zones: [{ fits: 0 }, { fits: 0 }] },
  })
  expect(fit.truncated).toBe(false)
})

test('the counts are those of a simulation', async () => {
  for (const { name, fits, zones } of (await read()).flavors) {
    const { json } = await berth.ask('POST', '/v1/simulate', { body: { flavor: name } })
    expect([name, fits]).toEqual([name, json.before.fits])
    expect(zones.map(zone => zone.fits)).toEqual(json.before.by_zone.map((zone: FlavorFit) => zone.fits))
  }
})

test('a claim is seen at once', async () => {
  const claim = { allocations: { [uuid(3)]: { resources: { VCPU: 8 } } }, consumer_generation: null }
  const body = { ...claim, project_id: 'p', user_id: 'u' }
  await berth.ask('PUT', `/allocations/${uuid(90)}`, { minor: 28, body })
  expect(byName(await read())['m1.half']).toMatchObject({ fits: 4, zones: [{ fits: 4 }, { fits: 0 }] })
  await berth.ask('DELETE', `/allocations/${uuid(90)}`)
  expect(byName(await read())['m1.half']).toMatchObject({ fits: 6 })
})

test('some flavors by id or name, page by page', async () => {
  expect(Object.keys(byName(await read('?flavor=half&flavor=m1.huge')))).toEqual(['m1.half', 'm1.huge'])
  const page = await read('?limit=2')
  expect([page.flavors.length, page.truncated]).toEqual([2, true])
  expect(Object.keys(byName(await read('?limit=2&after=half')))).toEqual(['m1.huge'])
})

test.each([
  ['?flavor=none', 404, 'schedule.flavor-missing'],
  ['?after=none', 404, 'schedule.flavor-missing'],
  ['?limit=501', 400, 'request.invalid'],
  ['?limit=0', 400, 'request.invalid'],
])('%s is %i %s', async (query, status, code) => {
  const answer = await berth.ask('GET', `/v1/fit${query}`)
  expect([answer.status, answer.json.code]).toEqual([status, code])
})

test('more than two different questions at once are told to come again', async () => {
  const answers = await Promise.all(
    ['half', 'fast', 'huge'].map(id => berth.ask('GET', `/v1/fit?flavor=${id}`)),
  )
  for (const { status, json } of answers)
    if (status !== 200) expect([status, json.code]).toEqual([503, 'fit.busy'])
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2)
})
