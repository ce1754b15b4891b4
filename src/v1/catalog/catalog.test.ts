import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ catalog_builtin: true })
  const body = {
    namespace: 'Acme::Secret',
    visibility: 'private',
    resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'acme:' }],
    properties: { tier: { title: 'Tier', type: 'string', enum: ['gold'] } },
  }
  await berth.ask('POST', '/v1/catalog/import', { body })
})
afterAll(() => berth.end())

const FLAVOR = 'OS::Nova::Flavor'
const check = (body: unknown, headers: Record<string, string> = {}) =>
  berth.ask('POST', '/v1/catalog/check', { body, headers })

describe('check', () => {
  test('tells of each key where it is defined, who reads it, and what is wrong', async () => {
    const specs = {
      'hw:cpu_policy': 'dedicated',
      'capabilities:cpu_info:features': '<in> aes',
      'hw:cpu_threads': '0',
      'hw:cpu_polcy': 'shared',
    }
    const { status, json } = await check({ resource_type: FLAVOR, specs })
    expect(status).toBe(200)
    expect(json).toMatchObject({ resource_type: FLAVOR, ok: false, missing: [] })
    expect(json.keys[0]).toEqual({
      key: 'hw:cpu_policy',
      value: 'dedicated',
      ok: true,
      defined: [
        { namespace: 'Berth::Guest::CPUPolicy', object: null, property: 'cpu_policy', prefix: 'hw:' },
      ],
      reader: {
        name: 'the compute service, when it makes the guest',
        dialect: null,
        operators: [],
        sentinels: false,
      },
      operator: null,
      operator_allowed: null,
      value_allowed: true,
      findings: [],
      near: [],
    })
    expect(json.keys.slice(1)).toMatchObject([
      {
        operator: '<in>',
        operator_allowed: false,
        value_allowed: true,
        findings: [
          { code: 'operator-undeclared', text: 'cpu_info:features declares only <or> <all-in>, not <in>.' },
        ],
      },
      { operator: null, operator_allowed: null, value_allowed: false, findings: [{ code: 'value-range' }] },
      { value_allowed: null, defined: [], near: ['hw:cpu_policy'], findings: [{ code: 'key-undefined' }] },
    ])
  })

  test('metadata of an aggregate and a share type', async () => {
    const aggregate = await check({
      resource_type: 'OS::Nova::Aggregate',
      metadata: { availability_zone: 'west' },
    })
    expect(aggregate.json.ok).toBe(true)
    const type = await check({ resource_type: 'OS::Manila::ShareType', specs: { dedupe: '<is> True' } })
    expect(type.json).toMatchObject({
      ok: false,
      missing: ['driver_handles_share_servers'],
      keys: [{ ok: true }],
    })
  })

  test('counts only namespaces that the caller sees', async () => {
    const specs = { 'acme:tier': 'gold' }
    const defined = async (headers: Record<string, string>) =>
      (await check({ resource_type: FLAVOR, specs }, headers)).json.keys[0].defined.length
    expect(await defined({})).toBe(1)
    expect(await defined({ 'x-roles': 'reader', 'x-project-id': 'others' })).toBe(0)
  })

  test.each([
    ['no type', { specs: {} }, ''],
    ['an empty type', { resource_type: '', specs: {} }, 'resource_type'],
    ['neither specs nor metadata', { resource_type: FLAVOR }, 'specs'],
    ['both', { resource_type: FLAVOR, specs: {}, metadata: {} }, 'metadata'],
    ['a value that is a number', { resource_type: FLAVOR, specs: { a: 4 } }, 'specs.a'],
    ['specs that are a list', { resource_type: FLAVOR, specs: [] }, 'specs'],
  ])('%s is refused with the field', async (_, body, field) => {
    const { status, json } = await check(body)
    expect(status).toBe(400)
    expect(json).toMatchObject({ code: 'request.invalid', field })
  })

  test('a pattern that would keep a backtracking engine busy is decided', async () => {
    const body = {
      namespace: 'Acme::Slow',
      visibility: 'public',
      resource_type_associations: [{ name: 'OS::Nova::Flavor', prefix: 'slow:' }],
      properties: { p: { title: 'P', type: 'string', pattern: '^(a+)+$' } },
    }
    await berth.ask('POST', '/v1/catalog/import', { body })
    const specs = { 'slow:p': `${'a'.repeat(60)}!` }
    expect((await check({ resource_type: FLAVOR, specs })).json).toMatchObject({
      keys: [{ findings: [{ code: 'value-pattern' }] }],
    })
    const flavors = [{ name: 'm1', extra_specs: specs }]
    const drift = await berth.ask('POST', '/v1/catalog/drift', { body: { flavors } })
    expect(drift.json).toMatchObject({ checked: { flavor: 1 }, findings: [{ code: 'value-pattern' }] })
  })

  test('a thousand keys are taken, and not one more', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']))
    expect((await check({ resource_type: FLAVOR, specs: many(1_000) })).status).toBe(200)
    const refused = await check({ resource_type: FLAVOR, specs: many(1_001) })
    expect(refused.status).toBe(413)
    expect(refused.json).toMatchObject({ code: 'catalog.too-many', count: 1_001, max: 1_000 })
  })
})

describe('drift', () => {
  test('of a server without flavors, aggregates and share types there is none', async () => {
    const { status, json } = await berth.ask('GET', '/v1/catalog/drift')
    expect(status).toBe(200)
    expect(json).toEqual({
      checked: { flavor: 0, aggregate: 0, 'share-type': 0 },
      counts: {},
      findings: [],
      truncated: false,
    })
  })

  test('in the request is reported', async () => {
    const body = {
      flavors: [{ name: 'm1', extra_specs: { 'quota:cpu_share': '5' } }],
      aggregates: [{ name: 'a', metadata: { max_io_ops_per_host: '8' } }],
      share_types: [{ name: 's', extra_specs: { snapshot_support: 'maybe' } }],
    }
    const { json } = await berth.ask('POST', '/v1/catalog/drift', { body })
    expect(json.checked).toEqual({ flavor: 1, aggregate: 1, 'share-type': 1 })
    expect(json.counts).toEqual({ 'key-undefined': 1, 'value-type': 1, 'key-missing': 1 })
    expect(json.findings[0]).toEqual({
      kind: 'flavor',
      name: 'm1',
      key: 'quota:cpu_share',
      value: '5',
      code: 'key-undefined',
      text: 'Nothing defines "quota:cpu_share"; quota:cpu_shares is defined.',
      namespace: null,
      suggestion: 'quota:cpu_shares',
    })
  })

  test('in existing share types is reported', async () => {
    const extra_specs = { driver_handles_share_servers: 'False', snapshot_suport: 'True' }
    const { status } = await fetch(`${berth.server.url}/share/v2/types`, {
      method: 'POST',
      headers: { 'x-auth-token': 'admin', 'content-type': 'application/json' },
      body: JSON.stringify({ share_type: { name: 'slow', extra_specs } }),
    })
    expect(status).toBe(200)
    const { json } = await berth.ask('GET', '/v1/catalog/drift')
    expect(json.checked['share-type']).toBe(1)
    expect(json.findings).toMatchObject([{ kind: 'share-type', name: 'slow', key: 'snapshot_suport' }])
  })

  test('is reported by name and kind', async () => {
    const flavor = (name: string) => ({
      name,
      id: name,
      vcpus: 1,
      ram: 1,
      disk: 0,
      extra_specs: { colour: 'red' },
    })
    const body = {
      flavors: [flavor('zeta'), flavor('alpha')],
      aggregates: [{ name: 'm', metadata: { colour: 'red' }, hosts: [] }],
    }
    expect((await berth.ask('POST', '/v1/apply', { body })).status).toBe(200)
    const { json } = await berth.ask('GET', '/v1/catalog/drift')
    const told = json.findings.map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`)
    expect(told.slice(0, 3)).toEqual(['flavor alpha', 'flavor zeta', 'aggregate m'])
  })

  test('is for operators', async () => {
    expect((await berth.ask('GET', '/v1/catalog/drift', { headers: { 'x-roles': 'reader' } })).status).toBe(
      403,
    )
  })

  test('a flavor without a name is refused with the field', async () => {
    const { status, json } = await berth.ask('POST', '/v1/catalog/drift', {
      body: { flavors: [{ extra_specs: {} }] },
    })
    expect(status).toBe(400)
    expect(json.field).toBe('flavors.0')
  })
})
