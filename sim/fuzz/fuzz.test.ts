import { expect, test } from 'vitest'
import { Chance } from './chance.ts'
import { bodiesFor } from './examples.ts'
import { Ids } from './ids.ts'
import { faultOf } from './judge.ts'
import { makeRequest } from './request.ts'
import { everyRoute } from './routes.ts'
import { chooseStyle, sendingOf } from './sending.ts'
import type { WireAnswer } from './wire.ts'

test('every route that takes a body has an example or a schema to start from', () => {
  const lacking = everyRoute()
    .filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method))
    // A route of /v1 says what body it takes; without that it takes none.
    .filter(({ service, rawBody }) => service !== 'v1' || rawBody !== undefined)
    .filter(({ method, path }) => bodiesFor(method, path) === undefined)
    .map(({ method, path }) => `${method} ${path}`)
  expect(lacking).toEqual([])
})

test('a seed gives the same bytes again', () => {
  const routes = everyRoute()
  const role = { name: 'admin', token: 'token', userId: 'user', projectId: 'project' } as const
  const bytes = () => {
    const chance = new Chance(7)
    const ids = new Ids(new Chance(8))
    return Array.from({ length: 500 }, () => {
      const request = makeRequest(chance, chance.pick(routes), role, ids)
      return Buffer.concat(sendingOf(chance, chooseStyle(chance), [request]).pieces).toString('latin1')
    })
  }
  expect(bytes()).toEqual(bytes())
})

const answerOf = (status: number, body: unknown, type = 'application/json'): WireAnswer => ({
  status,
  headers: new Map([
    ['content-type', type],
    ['x-content-type-options', 'nosniff'],
    ['x-openstack-request-id', 'req-1'],
  ]),
  body: Buffer.from(JSON.stringify(body)),
  isEndless: false,
})

test.each([
  ['placement', answerOf(500, { errors: [] }), 'status 500'],
  [
    'compute',
    answerOf(404, { errors: [{ status: 404, title: '', detail: '', request_id: '' }] }),
    'not of the form of compute',
  ],
  ['compute', answerOf(404, { itemNotFound: { code: 404, message: 'no' } }), null],
  [
    'identity',
    answerOf(400, { error: { code: 404, message: 'no', title: 'No' } }),
    'not of the form of identity',
  ],
  [
    'v1',
    answerOf(
      503,
      { title: '', status: 503, code: '', detail: '', request_id: '' },
      'application/problem+json',
    ),
    null,
  ],
  ['v1', { ...answerOf(200, {}), headers: new Map() }, 'without the safety headers'],
] as const)('an answer of %s is judged', (service, answer, fault) => {
  const found = faultOf({ answer, service, method: 'GET', isBroken: false })
  if (fault === null) expect(found).toBeNull()
  else expect(found).toContain(fault)
})
