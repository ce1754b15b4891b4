import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Berth } from '../../../test/running-berth.ts'
import { ALL_FILTERS, ALL_WEIGHERS, DEFAULT_FILTERS } from '../../scheduling/hosts/registry.ts'

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start()
})
afterAll(() => berth.end())

const evaluate = (filter: string, body: unknown, headers: Record<string, string> = {}) =>
  berth.ask('POST', `/v1/filters/${filter}/evaluate`, { body, headers })

const FILTER = 'AggregateInstanceTypeFilter'

describe('trying a filter out', () => {
  test('verdicts come in order, each reason with code, facts and words', async () => {
    const { status, json } = await evaluate(FILTER, {
      items: [
        { extra_specs: { ssd: '*' }, aggregates: [{ ssd: 'nvme' }] },
        { extra_specs: { ssd: '*' }, aggregates: [{ rack: '7' }] },
        { extra_specs: { 'hw:x': '1' } },
      ],
    })
    expect(status).toBe(200)
    expect(json.results).toMatchObject([
      { passes: true, reasons: [], notes: [] },
      {
        passes: false,
        reasons: [
          {
            code: 'extra-spec.missing',
            facts: { direction: 'flavor-to-host', key: 'ssd', requirement: '*', meaning: 'any-value' },
            text: 'the flavor asks for ssd = "*" (any value, if the key is there), but no aggregate of the host has it.',
          },
        ],
        notes: [],
      },
      {
        passes: true,
        reasons: [],
        notes: [
          {
            code: 'key.skipped',
            facts: { key: 'hw:x', because: 'optional-and-absent' },
            text: 'hw:x was skipped: it is optional, and no aggregate of the host has it.',
          },
        ],
      },
    ])
  })

  test('a filter that is not in the list of the server can be tried too', async () => {
    const items = [{ flavor: 'small', aggregates: [{ instance_type: 'large' }] }]
    const { json } = await evaluate('AggregateTypeAffinityFilter', { items })
    expect(json.results[0].reasons[0].code).toBe('flavor.not-listed')
  })

  test('takes ten thousand items at once, and not one more', async () => {
    const items = Array.from({ length: 10_000 }, (_, at) =>
      at < 5_000 ? { extra_specs: { n: '>= 5' } } : {},
    )
    const { json } = await evaluate(FILTER, { items })
    expect(json.results.map((one: { passes: boolean }) => one.passes)).toEqual(
      items.map((_, at) => at >= 5_000),
    )
    const refused = await evaluate(FILTER, { items: [...items, {}] })
    expect(refused.status).toBe(413)
    expect(refused.json).toMatchObject({
      code: 'filters.too-many',
      field: 'items',
      count: 10_001,
      max: 10_000,
    })
  })

  test('a filter that does not exist is 404 with the names of those that do', async () => {
    const { status, json } = await evaluate('RamFilter', { items: [] })
    expect(status).toBe(404)
    expect(json).toMatchObject({
      code: 'filters.unknown',
      name: 'RamFilter',
      names: ALL_FILTERS.map(({ name }) => name),
      detail: expect.stringContaining('There is no filter RamFilter; the filters are ComputeFilter, '),
    })
  })

  test.each([
    ['no body at all', undefined, ''],
    ['no items', {}, ''],
    ['an item that is no object', { items: [{}, 'x'] }, 'items.1'],
    ['an unknown field', { items: [{ extra_spec: {} }] }, 'items.0'],
    ['a value that is a number', { items: [{}, { extra_specs: { a: 1 } }] }, 'items.1.extra_specs.a'],
    ['metadata that is no object', { items: [{ aggregates: [{}, []] }] }, 'items.0.aggregates.1'],
    ['a policy that is none', { items: [{ server_group: { policy: 'x' } }] }, 'items.0.server_group.policy'],
    ['less than no instances', { items: [{ host: { num_instances: -1 } }] }, 'items.0.host.num_instances'],
    [
      'a setting that no filter reads',
      { items: [{ settings: { host_subset_size: 1 } }] },
      'items.0.settings',
    ],
  ])('%s is refused, and the item is named', async (_, body, field) => {
    const { status, json } = await evaluate(FILTER, body)
    expect(status).toBe(400)
    expect(json).toMatchObject({ code: 'request.invalid', field })
  })

  test('values nested beyond reason are refused', async () => {
    const raw = `{"items": [{}, {"hints": {"query": ${'['.repeat(50_000)}${']'.repeat(50_000)}}}]}`
    const { status, json } = await berth.ask('POST', '/v1/filters/JsonFilter/evaluate', { raw })
    expect(status).toBe(400)
    expect(json).toMatchObject({
      code: 'request.invalid',
      detail: 'Malformed JSON: it is nested more than 100 deep',
    })
  })

  test('keys that every object inherits are keys like others', async () => {
    const raw =
      '{"items": [{"extra_specs": {"__proto__": "1", "constructor": "2"}, "aggregates": [{"__proto__": "1"}]}]}'
    const { json } = await berth.ask('POST', `/v1/filters/${FILTER}/evaluate`, { raw })
    expect(json.results[0].reasons.map((one: { facts: { key: string } }) => one.facts.key)).toEqual([
      'constructor',
    ])
  })

  test('an item has at most 32,768 characters, 500 specs and 200 aggregates', async () => {
    const refused = async (item: object) => (await evaluate(FILTER, { items: [{}, item] })).json
    expect(await refused({ host: { attributes: { a: 'x'.repeat(32_768) } } })).toMatchObject({
      status: 400,
      code: 'filters.item-too-large',
      field: 'items.1',
      max: 32_768,
    })
    const specs = Object.fromEntries(Array.from({ length: 501 }, (_, nth) => [`k${nth}`, 'v']))
    expect((await refused({ extra_specs: specs })).detail).toBe(
      'items.1.extra_specs: has 501 members, and at most 500 are allowed',
    )
    expect((await refused({ aggregates: Array(201).fill({}) })).detail).toBe(
      'items.1.aggregates: has 201 items, and at most 200 are allowed',
    )
  })

  test('a reader of a project may ask; others may not', async () => {
    const status = async (token: string) =>
      (await evaluate(FILTER, { items: [] }, { 'x-auth-token': token })).status
    expect(await status('u:p:reader')).toBe(200)
    expect(await status('u:p:nobody')).toBe(403)
    expect((await evaluate(FILTER, { items: [] }, { 'x-auth-token': '' })).status).toBe(401)
  })
})

describe('the list of filters', () => {
  test('has every filter, with what it reads and its place in the list', async () => {
    const { status, json } = await berth.ask('GET', '/v1/filters')
    expect(status).toBe(200)
    expect(json.filters.map((one: { name: string }) => one.name)).toEqual(ALL_FILTERS.map(({ name }) => name))
    const placed = json.filters.filter((one: { enabled: boolean }) => one.enabled)
    expect(placed.map((one: { name: string; place: number }) => [one.name, one.place])).toEqual(
      DEFAULT_FILTERS.map(({ name }, at) => [name, at + 1]),
    )
    expect(json.filters.find((one: { name: string }) => one.name === 'AggregateNumInstancesFilter')).toEqual({
      name: 'AggregateNumInstancesFilter',
      summary: expect.any(String),
      enabled: false,
      place: null,
      reads: {
        host: ['number of instances'],
        metadata: ['max_instances_per_host'],
        settings: ['max_instances_per_host'],
      },
      on_rebuild: false,
    })
  })

  test('has every weigher with its multiplier, and the prefilters', async () => {
    const { json } = await berth.ask('GET', '/v1/filters')
    expect(json.weighers.map((one: { name: string }) => one.name)).toEqual(
      ALL_WEIGHERS.map(({ name }) => name),
    )
    expect(json.weighers[0]).toMatchObject({
      name: 'RAMWeigher',
      enabled: true,
      place: 1,
      multiplier_key: 'ram_weight_multiplier',
      multiplier: 1,
      multiplier_default: 1,
      negated: false,
    })
    expect(json.prefilters).toContainEqual({ name: 'isolate_aggregates', summary: expect.any(String) })
  })
})

test('the lists, multipliers and limits of the configuration count', async () => {
  const other = await Berth.start({
    enabled_filters: ['JsonFilter', 'ComputeFilter'],
    weight_classes: ['CPUWeigher'],
    weight_multipliers: { cpu_weight_multiplier: -2.5 },
    max_instances_per_host: 3,
  })
  try {
    const { json } = await other.ask('GET', '/v1/filters')
    const placesOf = (parts: { name: string; place: number | null }[]) =>
      parts.filter(({ place }) => place !== null).map(({ name, place }) => [name, place])
    expect(placesOf(json.filters)).toEqual([
      ['ComputeFilter', 2],
      ['JsonFilter', 1],
    ])
    expect(placesOf(json.weighers)).toEqual([['CPUWeigher', 1]])
    expect(json.weighers.find((one: { name: string }) => one.name === 'CPUWeigher').multiplier).toBe(-2.5)
    const items = [{ host: { num_instances: 2 } }, { host: { num_instances: 3 } }]
    const verdicts = await other.ask('POST', '/v1/filters/NumInstancesFilter/evaluate', { body: { items } })
    expect(verdicts.json.results.map((one: { passes: boolean }) => one.passes)).toEqual([true, false])
  } finally {
    await other.end()
  }
})

test('both filters of extra specs together are worth a line in the log of the start, the defaults none', async () => {
  expect(berth.logLines.filter(line => line.includes('doubtful configuration'))).toEqual([])
  const other = await Berth.start({
    enabled_filters: ['AggregateInstanceExtraSpecsFilter', FILTER, FILTER],
  })
  await other.end()
  const warned = other.logLines.map(line => JSON.parse(line)).filter(({ level }) => level === 'warn')
  expect(warned.map(({ text }) => text)).toEqual([
    'enabled_filters names AggregateInstanceTypeFilter twice; it counts once',
    expect.stringMatching(
      /both AggregateInstanceTypeFilter and AggregateInstanceExtraSpecsFilter: they read/,
    ),
  ])
})
