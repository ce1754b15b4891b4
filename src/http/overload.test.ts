import { afterEach, expect, test } from 'vitest'
import type { AdmissionLimits } from './request/admission.ts'
import { ask, type Toy, toyServer } from './toy-service.fixture.ts'

let toy: Toy

afterEach(() => toy.server.drain())

const AS_ADMIN = { 'x-auth-token': 'admin' }

function start(admission: Partial<AdmissionLimits>): void {
  toy = toyServer([''], { admission })
}

const get = (url: string) => ask(toy.server, { url, headers: AS_ADMIN })

const put = (url: string) =>
  ask(toy.server, {
    method: 'PUT',
    url,
    headers: { ...AS_ADMIN, 'content-type': 'application/json' },
    payload: '{}',
  })

const waiting = (kind: string): number =>
  Number(new RegExp(`requests_waiting\\{kind="${kind}"\\} (\\d+)`).exec(toy.metrics.render())?.[1])

test('past the limit a change gets 503 in the form of the API, and reads go on', async () => {
  start({ changesAtOnceMax: 1, waitingMax: 1 })
  const first = put('/slow')
  await toy.gate.arrived
  const second = put('/things/2')
  await expect.poll(() => waiting('change')).toBe(1)
  const third = await put('/things/3')
  expect([third.statusCode, third.headers['retry-after']]).toEqual([503, '1'])
  expect(third.json().errors[0]).toMatchObject({ status: 503, title: 'Service Unavailable' })
  expect(third.json().errors[0].detail).toContain('more requests than it can answer')
  expect((await get('/things')).statusCode).toBe(200)
  toy.gate.open()
  expect([(await first).statusCode, (await second).statusCode]).toEqual([204, 200])
  expect(toy.metrics.render()).toContain(
    'berth_requests_refused_total{service="toy",reason="server.overloaded"} 1',
  )
})

test('health checks and metrics are answered while no request gets a turn', async () => {
  start({ perTurn: { change: 0, read: 0 }, waitMsMax: 60_000 })
  const read = get('/things')
  await expect.poll(() => waiting('read')).toBe(1)
  for (const url of ['/healthz', '/readyz', '/healthcheck', '/metrics'])
    expect((await ask(toy.server, url)).statusCode, url).toBe(200)
  expect(waiting('read')).toBe(1)
  toy.server.http.closeAllConnections()
  await expect(read).rejects.toThrow()
})
