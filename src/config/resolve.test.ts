import { describe, expect, expectTypeOf, test } from 'vitest'
import { type Config, flagOf, keyNames, keyOf, variableOf } from './keys.ts'
import { originText, problemText, resolveConfig, type Sources } from './resolve.ts'

const NOTHING: Sources = { flags: {}, env: {}, file: null, terminal: false }

function values(sources: Partial<Sources>): Config {
  const resolved = resolveConfig({ ...NOTHING, ...sources })
  if (!resolved.ok) throw new Error(resolved.problems.map(problemText).join('\n'))
  return resolved.values
}

function problems(sources: Partial<Sources>): string[] {
  const resolved = resolveConfig({ ...NOTHING, ...sources })
  return resolved.ok ? [] : resolved.problems.map(problemText)
}

const file = (content: unknown) => ({ path: 'berth.json', content })

describe('where values come from', () => {
  test('with nothing given, every key has its default and says so', () => {
    const resolved = resolveConfig(NOTHING)
    expect(resolved).toMatchObject({
      ok: true,
      values: {
        host: '127.0.0.1',
        port: 8778,
        data_dir: './berth-data',
        only: null,
        auth: 'token',
        rbac: 'secure',
        cors_allowed_origin: [],
        max_body_bytes: 10_485_760,
        max_header_bytes: 65_536,
        max_request_groups: 200,
        max_search_steps: 1_000_000,
        randomize_allocation_candidates: false,
        max_allocation_candidates: -1,
        allocation_candidates_generation_strategy: 'breadth-first',
        allocation_conflict_retry_count: 10,
        incomplete_consumer_project_id: '00000000-0000-0000-0000-000000000000',
        incomplete_consumer_user_id: '00000000-0000-0000-0000-000000000000',
      },
    })
    if (resolved.ok)
      for (const name of keyNames) expect(originText(resolved.origins[name]), name).toBe('default')
  })

  test('a flag wins over the environment, that over the file, that over the default', () => {
    const all = { flags: { port: '1' }, env: { BERTH_PORT: '2' }, file: file({ port: 3 }) }
    expect(values(all).port).toBe(1)
    expect(values({ ...all, flags: {} }).port).toBe(2)
    expect(values({ ...all, flags: {}, env: {} }).port).toBe(3)
    expect(values({}).port).toBe(8778)
  })

  test('the origin names the flag, the variable or the file', () => {
    const resolved = resolveConfig({
      ...NOTHING,
      flags: { port: '9000' },
      env: { BERTH_RBAC: 'open' },
      file: file({ log_level: 'warn' }),
    })
    expect(resolved.ok && [resolved.origins.port, resolved.origins.rbac, resolved.origins.log_level]).toEqual(
      [
        { from: 'flag', name: '--port' },
        { from: 'environment', name: 'BERTH_RBAC' },
        { from: 'file', name: 'berth.json' },
      ],
    )
  })

  test('a variable that is set but empty counts as not set', () => {
    expect(values({ env: { BERTH_PORT: '' }, file: file({ port: 3 }) }).port).toBe(3)
  })

  test('logs are text on a terminal and JSON elsewhere, unless said', () => {
    expect(values({ terminal: true }).log_format).toBe('text')
    expect(values({ terminal: false }).log_format).toBe('json')
    expect(values({ terminal: true, env: { BERTH_LOG_FORMAT: 'json' } }).log_format).toBe('json')
  })

  test('the types of the values are exact', () => {
    expectTypeOf<Config['port']>().toEqualTypeOf<number>()
    expectTypeOf<Config['only']>().toEqualTypeOf<'placement' | 'compute' | 'catalog' | 'share' | null>()
    expectTypeOf<Config['rbac']>().toEqualTypeOf<'legacy' | 'secure' | 'open'>()
    expectTypeOf<Config['log_format']>().toEqualTypeOf<'json' | 'text'>()
    expectTypeOf<Config['cors_allowed_origin']>().toEqualTypeOf<readonly string[]>()
    expectTypeOf<Config['randomize_allocation_candidates']>().toEqualTypeOf<boolean>()
  })
})

describe('reading values', () => {
  test.each(['true', '1', 'yes', 'ON'])('%s is true', text => {
    expect(values({ env: { BERTH_RANDOMIZE_ALLOCATION_CANDIDATES: text } })).toMatchObject({
      randomize_allocation_candidates: true,
    })
  })

  test('a list is split at commas in text and is an array in the file', () => {
    const both = ['http://a.example', 'https://b.example:8443']
    expect(values({ env: { BERTH_CORS_ALLOWED_ORIGIN: both.join(', ') } }).cors_allowed_origin).toEqual(both)
    expect(values({ file: file({ cors_allowed_origin: both }) }).cors_allowed_origin).toEqual(both)
    expect(values({ file: file({ cors_allowed_origin: '*' }) }).cors_allowed_origin).toEqual(['*'])
  })

  test('null in the file leaves an optional key absent', () => {
    expect(values({ file: file({ only: null }) }).only).toBeNull()
  })

  test.each(keyNames)('the default of %s is a value that could be given', name => {
    const key = keyOf(name)
    const value = typeof key.default === 'function' ? key.default({ terminal: true }) : key.default
    expect(key.kind.fromJson(value)).toEqual({ ok: true, value })
  })

  test.each(keyNames)('%s has a flag, a variable and a paragraph that starts with a sentence', name => {
    expect(flagOf(name)).toMatch(/^--[a-z]+(-[a-z]+)*$/)
    expect(variableOf(name)).toMatch(/^BERTH_[A-Z_]+$/)
    expect(keyOf(name).description).toMatch(/^[A-Z].*\.$/)
  })
})

describe('what is wrong', () => {
  test('everything is reported at once, with key, value, origin and remedy', () => {
    const found = problems({
      flags: { port: '70000' },
      env: { BERTH_RBAC: 'strict' },
      file: file({ prot: 1, max_body_bytes: '1 MiB', randomize_allocation_candidates: 'yes' }),
    })
    expect(found).toEqual([
      'prot = 1 (file berth.json) is not a known key; did you mean port?',
      'port = 70000 (flag --port) is not in the range 0 to 65535; allowed: 0 to 65535',
      'rbac = strict (environment variable BERTH_RBAC) is not one of legacy, secure, open; allowed: legacy, secure, open',
      'max_body_bytes = "1 MiB" (file berth.json) is not a JSON number; allowed: 1024 to 1,073,741,824',
      'randomize_allocation_candidates = "yes" (file berth.json) is not a JSON boolean; allowed: true, false',
    ])
  })

  test.each([
    ['port', '80.5', 'is not a whole number'],
    ['port', '0x50', 'is not a whole number'],
    ['port', 'tcp://10.0.0.1:8778', 'is not a whole number'],
    ['port', '-1', 'is not in the range'],
    ['data_dir', '  ', 'is empty'],
    ['only', 'pony', 'is not one of placement'],
    ['cors_allowed_origin', 'https://a.example/', 'must be written https://a.example'],
    ['cors_allowed_origin', 'a.example', 'is not an http or https origin'],
    ['randomize_allocation_candidates', 'maybe', 'is neither true nor false'],
  ] as const)('%s = %s is refused', (name, text, wrong) => {
    expect(problems({ flags: { [name]: text } }).join()).toContain(wrong)
  })

  test.each([[[]], ['text'], [null], [7]])('a file that holds %j is refused as a whole', content => {
    expect(problems({ file: file(content) })).toEqual([
      'file berth.json is not a JSON object; write an object of keys and values, such as {"port": 8778}',
    ])
  })

  test('the error for an unknown key says where all keys are listed', () => {
    expect(problems({ file: file({ telemetry: true }) })).toEqual([
      'telemetry = true (file berth.json) is not a known key; remove it; `berth config` lists the keys',
    ])
  })

  test('names that every object has are no keys', () => {
    expect(problems({ file: file(JSON.parse('{"constructor": 1, "__proto__": 2}')) })).toHaveLength(2)
  })

  test('a long value is shortened and kept on one line', () => {
    const [line] = problems({ flags: { port: `1\n${'2'.repeat(500)}` } })
    expect(line).not.toContain('\n')
    expect(line?.length).toBeLessThan(300)
  })
})

describe('noauth2', () => {
  test.each(['127.0.0.1', '127.8.0.1', 'localhost', '::1', '[::1]'])('is taken on %s', host => {
    expect(values({ flags: { auth: 'noauth2', host } }).auth).toBe('noauth2')
  })

  test.each(['0.0.0.0', '::', '10.0.0.1', 'berth.example.org', '127.0.0.1.example.org'])(
    'is refused on %s',
    host => {
      expect(problems({ flags: { auth: 'noauth2' }, env: { BERTH_HOST: host } })).toEqual([
        `auth = noauth2 (flag --auth) lets everyone in who can reach the host '${host}' (environment variable BERTH_HOST); listen on 127.0.0.1, or set auth to token`,
      ])
    },
  )

  test('on an open host is reported beside other problems', () => {
    expect(problems({ flags: { auth: 'noauth2', host: '0.0.0.0', port: 'x' } })).toHaveLength(2)
  })
})

describe('an address that others can reach', () => {
  const open = { host: '0.0.0.0' }

  test('is refused without TLS, from any source', () => {
    expect(problems({ flags: open })).toEqual([
      expect.stringContaining(
        'host = 0.0.0.0 (flag --host) can be reached by others, who could read tokens and passwords on the way',
      ),
    ])
    expect(problems({ flags: { ...open, auth: 'token' } })).toHaveLength(1)
  })

  test('is taken with TLS, or where a proxy does it', () => {
    expect(values({ flags: { ...open, tls_cert: 'c', tls_key: 'k' } }).host).toBe('0.0.0.0')
    expect(values({ flags: { ...open, behind_proxy: 'true' } }).host).toBe('0.0.0.0')
  })

  test('is always refused with noauth2', () => {
    const flags = { ...open, auth: 'noauth2', tls_cert: 'c', tls_key: 'k', behind_proxy: 'true' }
    expect(problems({ flags })).toEqual([expect.stringContaining('lets everyone in')])
  })
})

test('a certificate needs its key, and the key its certificate', () => {
  expect(problems({ flags: { tls_cert: 'c' } })).toEqual([
    'tls_cert = c (flag --tls-cert) is of no use without tls_key; set tls_key as well',
  ])
  expect(problems({ flags: { tls_key: 'k' } })).toEqual([
    'tls_key = k (flag --tls-key) is of no use without tls_cert; set tls_cert as well',
  ])
})

test('keystone needs an address, a user and a password, which is never shown', () => {
  expect(problems({ flags: { auth: 'keystone' } })).toHaveLength(3)
  const flags = { auth: 'keystone', keystone_url: 'https://k:5000/v3/', keystone_username: 'berth' }
  const env = { BERTH_KEYSTONE_PASSWORD: 'sesame' }
  expect(values({ flags, env })).toMatchObject({ keystone_url: 'https://k:5000/v3', keystone_cache_s: 10 })
  expect(problems({ flags: { ...flags, keystone_url: 'k:5000' }, env })).toEqual([
    expect.stringContaining('is not an http or https address'),
  ])
  expect(problems({ env: { BERTH_KEYSTONE_PASSWORD: ' ' } }).join()).not.toContain('sesame')
})
