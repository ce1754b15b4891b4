import { once } from 'node:events'
import { readFileSync, renameSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Berth, uuid } from '../../test/running-berth.ts'

// biome-ignore lint/suspicious/noExplicitAny: events are looked at field by field
type Event = any

const linesOf = (path: string): Event[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

const makeProvider = (berth: Berth, number: number) =>
  berth.ask('POST', '/resource_providers', { minor: 20, body: { name: `p${number}`, uuid: uuid(number) } })

test('a change is one event in the file, with who, what and the request; a refusal or a read is none', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-cadf-'))
  const path = join(directory, 'audit.json')
  const berth = await Berth.start({ audit_cadf_file: path, audit: false })
  const answer = await makeProvider(berth, 1)
  await makeProvider(berth, 1)
  await berth.ask('GET', '/resource_providers', { minor: 20 })
  await berth.end()
  const events = linesOf(path)
  expect(events).toHaveLength(1)
  const { id, eventTime, ...event } = events[0]
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(eventTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+0000$/)
  expect(event).toEqual({
    typeURI: 'http://schemas.dmtf.org/cloud/audit/1.0/event',
    eventType: 'activity',
    action: 'create',
    outcome: 'success',
    initiator: {
      typeURI: 'service/security/account/user',
      id: 'admin',
      name: 'admin',
      project_id: 'admin',
      host: { address: '127.0.0.1' },
      credential: { token: '***', identity_status: 'Confirmed', roles: expect.arrayContaining(['admin']) },
    },
    target: {
      typeURI: 'service/placement/resource_providers',
      id: '/placement/resource_providers',
      name: 'placement',
    },
    observer: { id: 'target' },
    reason: { policyType: 'oslo.policy', policyId: 'placement:resource_providers:create' },
    requestPath: '/placement/resource_providers',
    tags: [`correlation_id?value=${answer.headers.get('x-openstack-request-id')}`],
    attachments: [
      {
        typeURI: 'application/json',
        name: 'change',
        content: {
          command: 'placement:create-provider',
          revision: expect.any(Number),
          rows: 1,
          generations: [{ provider: uuid(1), before: null, after: 0 }],
        },
      },
    ],
  })
  await rm(directory, { recursive: true })
})

test('a rotated file is opened again, and no event is lost', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-cadf-'))
  const path = join(directory, 'audit.json')
  const berth = await Berth.start({ audit_cadf_file: path })
  await makeProvider(berth, 1)
  await vi.waitFor(() => expect(linesOf(path)).toHaveLength(1))
  renameSync(path, `${path}.1`)
  let made = 1
  await vi.waitFor(
    async () => {
      await makeProvider(berth, ++made)
      expect(linesOf(path).length).toBeGreaterThan(0)
    },
    { timeout: 20_000 },
  )
  await berth.end()
  expect(linesOf(`${path}.1`).length + linesOf(path).length).toBe(made)
  await rm(directory, { recursive: true })
})

test('a webhook that is away gets the events later, in order, with its headers', async () => {
  const events: Event[] = []
  let isAway = true
  const headers: unknown[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    if (!isAway) events.push(...JSON.parse(text).events)
    headers.push(request.headers.authorization)
    response.writeHead(isAway ? 503 : 200, isAway ? { 'retry-after': '0.01' } : {}).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const berth = await Berth.start({
    audit_cadf_webhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cadf`,
    audit_cadf_webhook_headers: ['authorization=Bearer%20one'],
  })
  for (const number of [1, 2, 3]) expect((await makeProvider(berth, number)).status).toBe(200)
  await vi.waitFor(() => expect(headers.length).toBeGreaterThan(1), { timeout: 10_000 })
  isAway = false
  await vi.waitFor(() => expect(events).toHaveLength(3), { timeout: 10_000 })
  expect(events.map(({ attachments }) => attachments[0].content.generations[0].provider)).toEqual(
    [1, 2, 3].map(uuid),
  )
  expect(headers[0]).toBe('Bearer one')
  const metrics = await (await fetch(`${berth.server.url}/metrics`)).text()
  expect(metrics).toContain('berth_cadf_events_delivered_total{to="webhook"} 3')
  await berth.end()
  server.closeAllConnections()
  server.close()
})

test('a full queue loses events and counts them, and writes go on', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const berth = await Berth.start({
    audit_cadf_webhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    audit_cadf_queue_max: 2,
  })
  for (const number of [1, 2, 3, 4, 5]) expect((await makeProvider(berth, number)).status).toBe(200)
  const metrics = await (await fetch(`${berth.server.url}/metrics`)).text()
  expect(metrics).toContain('berth_cadf_events_lost_total{to="webhook",reason="queue-full"} 3')
  const audit = await berth.ask('GET', '/v1/audit')
  expect(audit.status).toBe(200)
  server.closeAllConnections()
  server.close()
  await berth.end()
})

test('a file that cannot be opened stops the start, and the setting is named', async () => {
  await expect(Berth.start({ audit_cadf_file: '/nowhere/at/all' })).rejects.toThrow(
    'audit_cadf_file = /nowhere/at/all cannot be opened (its directory does not exist)',
  )
})
