import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth, uuid } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ max_body_bytes: 4096 })
})
afterAll(() => berth.end())

const send = (body: string) =>
  berth.ask('POST', '/v1/import', { raw: body, headers: { 'content-type': 'application/x-ndjson' } })

const line = (value: unknown) => `${JSON.stringify(value)}\n`
const trait = (name: string | number) => line({ trait: { name: `CUSTOM_${name}` } })
const host = (number: number, more = {}) =>
  line({
    provider: {
      uuid: uuid(number),
      name: `host-${number}`,
      generation: 0,
      parent_provider_uuid: null,
      inventories: {},
      traits: [],
      aggregates: [],
      ...more,
    },
  })
const hasTrait = async (name: string | number) =>
  (await berth.ask('GET', `/traits/CUSTOM_${name}`, { minor: 6 })).status === 204

const counts = (created: number, updated = 0, unchanged = 0) => ({ created, updated, unchanged, removed: 0 })

test('lines are taken in, and the answer counts what came of them', async () => {
  const body = trait('A') + trait('A') + host(1) + host(1, { name: 'renamed' })
  const { status, json } = await send(`${body}\n  \r\n`)
  expect(status).toBe(200)
  expect(json).toEqual({
    resource_classes: counts(0),
    traits: counts(1, 0, 1),
    providers: counts(1, 1),
    consumers: counts(0),
    rows: {},
    lines: 4,
    notes: [],
  })
})

test('a body larger than any other request may be is no problem', async () => {
  const many = Array.from({ length: 2_000 }, (_, number) => trait(`MANY_${number}`)).join('')
  expect((await send(many)).json.traits).toEqual(counts(2_000))
})

test.each<[string, string, Record<string, unknown>]>([
  ['what is not JSON', '{"trait":', { code: 'import.bad-line', line: 2 }],
  ['what is no UTF-8', '{"trait":{"name":"\uFFFD"}}', { code: 'import.bad-line', line: 2 }],
  ['a kind that nobody knows', '{"pony":{}}', { code: 'import.bad-line', line: 2 }],
  ['a name of an object', '{"toString":{}}', { code: 'import.bad-line', line: 2 }],
  ['a list', '[]', { code: 'import.bad-line', line: 2 }],
  ['a wrong value', '{"trait":{"name":7}}', { code: 'import.bad-line', line: 2, field: 'trait.name' }],
  ['a value too many', '{"trait":{"name":"CUSTOM_A"},"x":1}', { code: 'import.bad-line', line: 2 }],
  ['another version', '{"berth_export":3}', { code: 'import.bad-line', line: 2 }],
  ['a head that is not first', '{"berth_export":1}', { code: 'import.bad-line', line: 2 }],
  ['a text that none may be', '{"trait":{"name":"\\u0000"}}', { code: 'import.bad-line', line: 2 }],
  ['a line too long', `"${'x'.repeat(4 * 1024 * 1024)}"`, { code: 'import.line-too-long', line: 2 }],
])('%s is 400 with its line; the lines before it stay', async (what, bad, problem) => {
  const before = trait(`BEFORE_${what.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`)
  const raw = Buffer.from(`${before}${bad}\n${trait('NEVER')}`.replaceAll('\uFFFD', '\u0080'), 'latin1')
  const headers = { 'content-type': 'application/x-ndjson' }
  const { status, json } = await berth.ask('POST', '/v1/import', { raw, headers })
  expect([status, json]).toEqual([400, expect.objectContaining(problem)])
  expect(json.done.traits).toEqual(counts(1))
  expect(await hasTrait('NEVER')).toBe(false)
})

test('a line that does not fit is 409 with its line, the reason and what was done; empty lines count', async () => {
  const many = Array.from({ length: 600 }, (_, number) => trait(`FIT_${number}`)).join('')
  const { status, json } = await send(`${many}\n\n${host(5, { traits: ['CUSTOM_NO'] })}${trait('NEVER')}`)
  expect(status).toBe(409)
  expect(json).toMatchObject({
    code: 'import.refused',
    line: 603,
    reason: 'trait-missing',
    name: 'CUSTOM_NO',
    detail: 'Line 603: there is no trait CUSTOM_NO.',
    done: { traits: counts(600), providers: counts(0) },
  })
  expect([await hasTrait('FIT_599'), await hasTrait('NEVER')]).toEqual([true, false])
})

test('of two wrong lines the first is reported', async () => {
  const { json } = await send(`${host(6, { traits: ['CUSTOM_NO'] })}{"pony":{}}\n`)
  expect(json).toMatchObject({ code: 'import.refused', line: 1 })
})

test('a client that is still sending when its line is refused gets to see the answer', async () => {
  async function* endless() {
    yield Buffer.from(host(7, { traits: ['CUSTOM_NO'] }))
    for (let number = 0; number < 3_000; number++) yield Buffer.from(trait(`LATE_${number}`).repeat(20))
  }
  const answer = await fetch(`${berth.server.url}/v1/import`, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/x-ndjson' },
    body: endless() as never,
    duplex: 'half',
  } as RequestInit)
  expect(answer.status).toBe(409)
  expect(await hasTrait('LATE_0')).toBe(false)
})

test('where the head of an export comes first its end must come last and be right', async () => {
  const head = line({ berth_export: 1, revision: 7 })
  const end = (traits: number) => line({ end: { resource_classes: 0, traits, providers: 0, consumers: 0 } })
  const answered = async (body: string) => {
    const { status, json } = await send(body)
    return [status, json.code ?? json.lines]
  }
  expect(await answered(head + trait('WHOLE') + end(1))).toEqual([200, 3])
  expect(await answered(head + trait('WHOLE'))).toEqual([400, 'import.cut-short'])
  expect(await answered(head + trait('WHOLE') + end(2))).toEqual([400, 'import.bad-line'])
  expect(await answered(head + end(0) + trait('WHOLE'))).toEqual([400, 'import.bad-line'])
  expect(await answered(trait('WHOLE'))).toEqual([200, 1])
})

test('another media type is 415, and only admins and services may', async () => {
  const json = { 'content-type': 'application/json' }
  expect((await berth.ask('POST', '/v1/import', { raw: trait('A'), headers: json })).status).toBe(415)
  const reader = { 'content-type': 'application/x-ndjson', 'x-roles': 'reader' }
  const refused = await berth.ask('POST', '/v1/import', { raw: trait('A'), headers: reader })
  expect([refused.status, refused.json.operation]).toEqual([403, 'berth:import'])
})

/** Without the head, and without the times at which each server created its built-in rows. */
const cloudIn = (text: string) =>
  text
    .split('\n')
    .slice(1)
    .map(one => one.replaceAll(/"(created_at|updated_at|loaded_at)":\d+/g, '"$1":0'))

test('an export of a running server imports into an empty one and comes out the same', async () => {
  const other = await Berth.start()
  try {
    const { text, headers } = await berth.ask('GET', '/v1/export')
    expect(JSON.parse(text.split('\n')[0] as string)).toEqual({
      berth_export: 2,
      revision: Number(headers.get('berth-revision')),
    })
    const ndjson = { 'content-type': 'application/x-ndjson' }
    const taken = await other.ask('POST', '/v1/import', { raw: text, headers: ndjson })
    expect(taken.json.lines).toBe(text.trimEnd().split('\n').length)
    const again = await other.ask('GET', '/v1/export')
    expect(cloudIn(again.text)).toEqual(cloudIn(text))
    expect((await other.ask('POST', '/v1/verify')).json).toMatchObject({
      differences_total: 0,
      problems_total: 0,
    })
  } finally {
    await other.end()
  }
})
