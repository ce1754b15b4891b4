/** Whatever comes in: a clear 4xx in the API's format, never a 500, never a hang, nothing half-written. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, Berth, uuid } from './running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ max_body_bytes: 200_000, max_search_steps: 100_000 })
  await berth.ask('POST', '/resource_providers', { body: { name: 'host', uuid: uuid(1) } })
  await berth.ask('POST', `/resource_providers/${uuid(1)}/inventories`, {
    body: { resource_class: 'VCPU', total: 8 },
  })
})
afterAll(() => berth.end())

const P = `/resource_providers/${uuid(1)}`
const C = `/allocations/${uuid(500)}`
const candidates = (query: string) => `/allocation_candidates?${query}`
const many = (count: number, of: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => of(n)).join('&')

/** Method, path, how it is asked, and what the answer must say. */
const cases: readonly (readonly [string, string, Ask, number, RegExp])[] = [
  ['POST', '/resource_providers', { raw: '{' }, 400, /Malformed JSON/],
  ['POST', '/resource_providers', { raw: '' }, 400, /Malformed JSON/],
  ['POST', '/resource_providers', { raw: new Uint8Array([0x22, 0xff, 0x22]) }, 400, /not UTF-8/],
  ['POST', '/resource_providers', { raw: '{"name": "\\ud800"}' }, 400, /surrogate/],
  ['POST', '/resource_providers', { raw: '{"name": "a\\u0000b"}' }, 400, /U\+0000/],
  [
    'POST',
    '/resource_providers',
    { raw: '['.repeat(30_000) + ']'.repeat(30_000) },
    400,
    /nested more than 100 deep/,
  ],
  [
    'POST',
    '/resource_providers',
    { raw: `{"name":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}` },
    400,
    /nested more than 100 deep/,
  ],
  ['POST', '/resource_providers', { raw: `"${'x'.repeat(300_000)}"` }, 413, /too large/],
  ['POST', '/resource_providers', { body: { name: 'x'.repeat(201) } }, 400, /maxLength/],
  ['POST', '/resource_providers', { body: { name: '' } }, 400, /name is required|minLength/],
  ['POST', '/resource_providers', { body: { name: 5 } }, 400, /5 is not of type 'string'/],
  ['POST', '/resource_providers', { body: { name: 'a', uuid: 'nope' } }, 400, /'nope' is not a 'uuid'/],
  ['POST', '/resource_providers', { body: { name: 'a', colour: 'red' } }, 400, /'colour' was unexpected/],
  [
    'POST',
    '/resource_providers',
    { raw: '{"name":"a","__proto__":{"x":1}}' },
    400,
    /'__proto__' was unexpected/,
  ],
  [
    'POST',
    `${P}/inventories`,
    { body: { resource_class: 'VCPU', total: 2 ** 31 } },
    400,
    /greater than the maximum/,
  ],
  [
    'POST',
    `${P}/inventories`,
    { raw: '{"resource_class":"DISK_GB","total":1e400}' },
    400,
    /JSON does not validate/,
  ],
  [
    'POST',
    '/reshaper',
    {
      minor: 37,
      raw: `{"allocations":{},"inventories":{"${uuid(1)}":{"resource_provider_generation":1,"inventories":{"VCPU":{"total":1,"allocation_ratio":-1e400}}}}}`,
    },
    400,
    /-inf is less than the minimum/,
  ],
  [
    'POST',
    `${P}/inventories`,
    { body: { resource_class: 'DISK_GB', total: 1.5 } },
    400,
    /1.5 is not of type 'integer'/,
  ],
  [
    'POST',
    `${P}/inventories`,
    { body: { resource_class: 'DISK_GB', total: 1, reserved: 2 } },
    400,
    /reserved value/,
  ],
  [
    'PUT',
    `${P}/inventories`,
    { body: { resource_provider_generation: 1, inventories: { disk: null } } },
    400,
    /resource class disk/,
  ],
  [
    'PUT',
    `${P}/inventories`,
    { body: { resource_provider_generation: 'x', inventories: {} } },
    400,
    /not of type 'integer'/,
  ],
  [
    'PUT',
    `${P}/inventories/NOPE`,
    { body: { resource_provider_generation: 1, total: 1 } },
    404,
    /No such resource class NOPE/,
  ],
  [
    'PUT',
    `${P}/traits`,
    { minor: 6, body: { resource_provider_generation: 1, traits: ['CUSTOM_NOPE'] } },
    400,
    /CUSTOM_NOPE/,
  ],
  ['PUT', '/traits/lower_case', { minor: 6 }, 400, /The trait is invalid/],
  ['PUT', `/traits/CUSTOM_${'A'.repeat(300)}`, { minor: 6 }, 400, /no longer than 255/],
  ['PUT', `/resource_classes/CUSTOM_${'A'.repeat(300)}`, { minor: 7 }, 400, /maxLength/],
  [
    'PUT',
    `${P}/aggregates`,
    { minor: 19, body: { aggregates: ['x'], resource_provider_generation: 1 } },
    400,
    /'x' is not a 'uuid'/,
  ],
  ['PUT', `${P}/aggregates`, { minor: 1, body: [uuid(7), uuid(7)] }, 400, /non-unique/],
  ['PUT', '/allocations/not-a-uuid', { minor: 28, body: {} }, 400, /Malformed consumer_uuid: not-a-uuid/],
  ['PUT', C, { minor: 28, body: {} }, 400, /'allocations' is a required property/],
  [
    'PUT',
    C,
    {
      minor: 28,
      body: {
        allocations: { [uuid(1)]: { resources: { VCPU: 1e300 } } },
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
      },
    },
    409,
    /violate inventory constraints/,
  ],
  [
    'PUT',
    C,
    {
      minor: 28,
      body: {
        allocations: { [uuid(9)]: { resources: { VCPU: 1 } } },
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
      },
    },
    400,
    /does not exist/,
  ],
  [
    'PUT',
    C,
    {
      minor: 28,
      body: {
        allocations: { [uuid(1)]: { resources: { VCPU: 1 } } },
        project_id: '\u0001'.repeat(256),
        user_id: 'u',
        consumer_generation: null,
      },
    },
    400,
    /maxLength/,
  ],
  [
    'POST',
    '/reshaper',
    { minor: 30, body: { inventories: {}, allocations: {} } },
    400,
    /enough properties|non-empty/,
  ],
  ['GET', candidates(''), { minor: 10 }, 400, /'resources' is a required property/],
  ['GET', candidates('resources='), { minor: 10 }, 400, /Got: empty string/],
  ['GET', candidates('resources=VCPU:0'), { minor: 10 }, 400, /requires amount >= 1. Got: 0/],
  ['GET', candidates('resources=VCPU:one'), { minor: 10 }, 400, /Got: one/],
  ['GET', candidates('resources=VCPU:1:2'), { minor: 10 }, 400, /Got: VCPU:1:2/],
  ['GET', candidates('resources=BOGUS:1'), { minor: 10 }, 400, /No such resource class BOGUS/],
  [
    'GET',
    candidates('resources=VCPU:1&colour=red'),
    { minor: 40 },
    400,
    /'colour' does not match any of the regexes/,
  ],
  ['GET', candidates('resources=VCPU:1&limit=0'), { minor: 40 }, 400, /'0' does not match/],
  [
    'GET',
    candidates('resources=VCPU:1&limit=x&limit=1'),
    { minor: 40 },
    400,
    /limit must be a whole number.*Got: x/,
  ],
  ['GET', candidates('resources=VCPU:1&in_tree=tree'), { minor: 40 }, 400, /Got: tree/],
  ['GET', candidates('resources=VCPU:1&member_of=aggregate'), { minor: 40 }, 400, /Got: aggregate/],
  ['GET', candidates('resources=VCPU:1&required=%ff'), { minor: 40 }, 400, /./],
  [
    'GET',
    candidates('resources=VCPU:1&group_policy=some'),
    { minor: 40 },
    400,
    /'some' is not one of \['none', 'isolate'\]/,
  ],
  [
    'GET',
    candidates(`${many(3_000, n => `resources${n + 1}=VCPU:1`)}&group_policy=none`),
    { minor: 40 },
    400,
    /up to 200/,
  ],
  [
    'GET',
    candidates(`${many(10_000, n => `resources${n + 1}=VCPU:1`)}&group_policy=none`),
    { minor: 40 },
    431,
    /at most/,
  ],
  ['GET', '/resource_providers?uuid=x', {}, 400, /'x' is not a 'uuid'/],
  ['GET', '/resource_providers?colour=red', {}, 400, /'colour' was unexpected/],
  ['GET', '/usages', { minor: 9 }, 400, /'project_id' is a required property/],
  ['GET', '/traits?name=nope', { minor: 6 }, 400, /Badly formatted name parameter/],
  [
    'GET',
    '/resource_providers',
    { headers: { 'openstack-api-version': 'placement 9.9' } },
    406,
    /Unacceptable version header: 9.9/,
  ],
  [
    'GET',
    '/resource_providers',
    { headers: { 'openstack-api-version': 'placement x' } },
    400,
    /invalid version string: x/,
  ],
  ['GET', `/resource_providers/${'x'.repeat(2_000)}`, {}, 404, /No resource provider/],
  ['GET', '/resource_providers/%00', {}, 404, /No resource provider/],
  ['PATCH', '/resource_providers', { raw: '{}' }, 405, /PATCH/],
  ['GET', '/nothing/here', {}, 404, /could not be found/],
]

test.each(
  cases.map(
    one =>
      [`${one[0]} ${one[1].slice(0, 70)} ${JSON.stringify(one[2]).slice(0, 60)} is ${one[3]}`, one] as const,
  ),
)('%s', async (_, [method, path, ask, status, text]) => {
  const revision = (await berth.ask('POST', '/v1/verify')).json.revision
  const answer = await berth.ask(method, path, ask)
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.anything()])
  expect(answer.json.errors[0]).toMatchObject({
    status,
    title: expect.any(String),
    request_id: expect.stringMatching(/^req-/),
  })
  expect(answer.json.errors[0].detail).toMatch(text)
  expect((await berth.ask('POST', '/v1/verify')).json).toMatchObject({ revision, differences_total: 0 })
})

test('none of it was an error of the server', () => {
  expect(berth.logLines.filter(line => line.includes('"level":"error"'))).toEqual([])
})

test('a query that would take for ever is answered with what was found in time', async () => {
  for (let n = 0; n < 12; n++) {
    const provider = uuid(700 + n)
    await berth.ask('POST', '/resource_providers', {
      minor: 14,
      body: { name: `d${n}`, uuid: provider, parent_provider_uuid: uuid(1) },
    })
    await berth.ask('POST', `/resource_providers/${provider}/inventories`, {
      body: { resource_class: 'DISK_GB', total: 1000 + n * 7 },
    })
  }
  const groups = many(30, n => `resources${n + 1}=DISK_GB:${395 + ((n * 37) % 23)}`)
  const answer = await berth.ask('GET', candidates(`${groups}&group_policy=none`), { minor: 40 })
  expect(answer.status).toBe(200)
  expect(Number(answer.headers.get('berth-search-exhausted'))).toBeGreaterThan(0)
})
