import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type KeyName, keyOf } from '../keys.ts'
import { problemText } from '../resolve.ts'
import { parseIni } from './ini.ts'
import type { OsloOption } from './option.ts'
import { namesOf, optionGroups } from './options.ts'
import { translate } from './translate.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'berth-oslo-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

function translated(text: string, env: Record<string, string> = {}) {
  const files = [{ path: 'placement.conf', assignments: parseIni(text) }]
  return translate({ files, env, directories: [directory] })
}
const keysOf = (text: string) => Object.fromEntries(translated(text).content)
const wrongs = (text: string) => translated(text).problems.map(problemText)

/** The translation of every option that sets keys. */
const EXAMPLES: Readonly<
  Record<string, readonly [written: string, keys: Readonly<Partial<Record<KeyName, unknown>>>][]>
> = {
  '[DEFAULT] debug': [
    ['True', { log_level: 'debug' }],
    ['no', { log_level: 'info' }],
  ],
  '[DEFAULT] log_file': [['/var/log/placement/api.log', { log_file: '/var/log/placement/api.log' }]],
  '[DEFAULT] log_dir': [['/var/log/placement', { log_file: '/var/log/placement/placement-api.log' }]],
  '[DEFAULT] use_json': [
    ['true', { log_format: 'json' }],
    ['false', { log_format: 'text' }],
  ],
  '[DEFAULT] state_path': [['/var/lib/placement', { data_dir: '/var/lib/placement' }]],
  '[api] auth_strategy': [
    ['noauth2', { auth: 'noauth2' }],
    ['keystone', { auth: 'keystone' }],
  ],
  '[placement_database] connection': [
    ['postgresql+psycopg2://p:x@db/placement', { database: 'postgresql://p:x@db/placement' }],
    ['sqlite:////srv/placement/placement.db', { data_dir: '/srv/placement' }],
  ],
  '[placement_database] connection_parameters': [['sslmode=require', {}]],
  '[keystone_authtoken] auth_url': [['http://k:5000', { keystone_url: 'http://k:5000' }]],
  '[keystone_authtoken] username': [['placement', { keystone_username: 'placement' }]],
  '[keystone_authtoken] password': [['s3cret', { keystone_password: 's3cret' }]],
  '[keystone_authtoken] project_name': [['services', { keystone_project: 'services' }]],
  '[keystone_authtoken] user_domain_name': [['Users', { keystone_user_domain: 'Users' }]],
  '[keystone_authtoken] user_domain_id': [['default', { keystone_user_domain_id: 'default' }]],
  '[keystone_authtoken] project_domain_name': [['Ps', { keystone_project_domain: 'Ps' }]],
  '[keystone_authtoken] project_domain_id': [['default', { keystone_project_domain_id: 'default' }]],
  '[keystone_authtoken] default_domain_name': [
    ['D', { keystone_user_domain: 'D', keystone_project_domain: 'D' }],
  ],
  '[keystone_authtoken] default_domain_id': [
    ['d', { keystone_user_domain_id: 'd', keystone_project_domain_id: 'd' }],
  ],
  '[keystone_authtoken] identity_uri': [['http://k:35357/v2.0', { keystone_url: 'http://k:35357' }]],
  '[keystone_authtoken] www_authenticate_uri': [
    ['https://k.example', { keystone_public_url: 'https://k.example', keystone_url: 'https://k.example' }],
  ],
  '[keystone_authtoken] cafile': [['/etc/ssl/ca.pem', { keystone_ca_file: '/etc/ssl/ca.pem' }]],
  '[keystone_authtoken] insecure': [['True', { keystone_insecure: true }]],
  '[keystone_authtoken] token_cache_time': [
    ['300', { keystone_cache_s: 300 }],
    ['-1', { keystone_cache_s: 0 }],
    ['86400', { keystone_cache_s: 3_600 }],
  ],
  '[keystone_authtoken] http_connect_timeout': [['7', { keystone_timeout_ms: 7_000 }]],
  '[keystone_authtoken] service_token_roles': [
    ['service,glue', { keystone_service_token_roles: ['service', 'glue'] }],
    ['a,,b', { keystone_service_token_roles: ['a', 'b'] }],
    ['', { keystone_service_token_roles: [] }],
  ],
  '[keystone_authtoken] service_token_roles_required': [
    ['False', { keystone_service_token_roles_required: false }],
  ],
  '[placement] randomize_allocation_candidates': [['on', { randomize_allocation_candidates: true }]],
  '[placement] incomplete_consumer_project_id': [['p', { incomplete_consumer_project_id: 'p' }]],
  '[placement] incomplete_consumer_user_id': [['u', { incomplete_consumer_user_id: 'u' }]],
  '[placement] allocation_conflict_retry_count': [['20', { allocation_conflict_retry_count: 20 }]],
  '[placement] max_allocation_candidates': [['100000', { max_allocation_candidates: 100_000 }]],
  '[placement] allocation_candidates_generation_strategy': [
    ['depth-first', { allocation_candidates_generation_strategy: 'depth-first' }],
  ],
  '[oslo_policy] policy_file': [],
  '[oslo_policy] enforce_new_defaults': [
    ['False', { rbac: 'legacy' }],
    ['True', { rbac: 'secure' }],
  ],
  '[oslo_middleware] enable_proxy_headers_parsing': [['True', { trust_proxy: true }]],
  '[oslo_middleware] max_request_body_size': [['114688', { max_body_bytes: 114_688 }]],
  '[cors] allowed_origin': [
    [
      'http://a.example, https://b.example',
      { cors_allowed_origin: ['http://a.example', 'https://b.example'] },
    ],
  ],
  '[healthcheck] backends': [['disable_by_file', {}]],
  '[healthcheck] disable_by_file_path': [
    ['/run/off\nbackends = disable_by_file', { healthcheck_disable_files: ['/run/off'] }],
  ],
  '[healthcheck] disable_by_file_paths': [
    ['8778:/run/off\nbackends = disable_by_files_ports', { healthcheck_disable_files: ['/run/off'] }],
  ],
  '[healthcheck] enable_by_file_paths': [
    ['/run/on\nbackends = enable_by_files', { healthcheck_enable_files: ['/run/on'] }],
  ],
  '[healthcheck] detailed': [['True', { healthcheck_detailed: true }]],
}

const everyOption = optionGroups.flatMap(({ group, options }) => options.map(option => ({ group, option })))
const label = (group: string, { name }: OsloOption) => `[${group}] ${name}`

test('every option that sets keys has an example', () => {
  const setting = everyOption.filter(({ option }) => option.becomes.length > 0)
  expect(Object.keys(EXAMPLES)).toEqual(setting.map(({ group, option }) => label(group, option)))
})

const examples = everyOption.flatMap(({ group, option }) =>
  (EXAMPLES[label(group, option)] ?? []).flatMap(([written, keys]) =>
    namesOf(group, option).map(([g, name]) => ({ text: `[${g}]\n${name} = ${written}`, option, keys })),
  ),
)

test.each(examples)('$text becomes $keys', ({ text, option, keys }) => {
  const { content, problems, unknown, meaningless } = translated(text)
  expect({ problems, unknown, meaningless }).toEqual({ problems: [], unknown: [], meaningless: [] })
  const { only, auth, ...set } = Object.fromEntries(content)
  expect([only, 'auth' in keys ? auth : 'keystone']).toEqual(['placement', keys.auth ?? 'keystone'])
  expect({ ...set, ...('auth' in keys ? { auth } : {}) }).toEqual(keys)
  for (const [key, value] of content) expect(keyOf(key).kind.fromJson(value)).toMatchObject({ ok: true })
  expect(Object.keys(keys).filter(key => !option.becomes.includes(key as KeyName))).toEqual([])
})

const without = everyOption.filter(({ option }) => option.becomes.length === 0 && option.apply === undefined)

test.each(without)(
  'an option without a meaning is named with the reason: $group $option.name',
  ({ group, option }) => {
    const { content, meaningless, unknown, problems } = translated(`[${group}]\n${option.name} = $anything`)
    expect([unknown, problems, [...content.keys()]]).toEqual([[], [], ['only', 'auth']])
    expect(meaningless).toEqual([
      {
        option: label(group, option),
        origin: { from: 'file', name: 'placement.conf', option: label(group, option), line: 2 },
        text: option.says,
      },
    ])
  },
)

test('no name belongs to two options', () => {
  const names = everyOption.flatMap(({ group, option }) =>
    namesOf(group, option).map(([g, n]) => `[${g}] ${n}`),
  )
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('unknown options and groups are named, with the option that was likely meant', () => {
  const { unknown, meaningless } = translated(
    '[placement]\nmax_allocation_candidate = 1\n[nova]\nx = 1\n[profiler]\nenabled = 1',
  )
  expect(unknown.map(({ option, text }) => [option, text])).toEqual([
    [
      '[placement] max_allocation_candidate',
      'Placement has no such option. Did you mean max_allocation_candidates?',
    ],
    ['[nova] x', 'Placement has no group [nova].'],
  ])
  expect(meaningless.map(({ option }) => option)).toEqual(['[profiler] enabled'])
})

test.each([
  [
    '[api]\nauth_strategy = none',
    '[api] auth_strategy = none (file placement.conf:2) is not one of keystone, noauth2; allowed: keystone, noauth2',
  ],
  [
    '[placement]\nmax_allocation_candidates = many',
    '[placement] max_allocation_candidates = many (file placement.conf:2) is not a whole number; write a whole number',
  ],
  [
    '[DEFAULT]\ndebug = perhaps',
    '[DEFAULT] debug = perhaps (file placement.conf:2) is neither true nor false; write true or false',
  ],
  [
    '[keystone_authtoken]\nauth_type = v3kerberos',
    '[keystone_authtoken] auth_type = v3kerberos (file placement.conf:2) is not a way that Berth can sign in to Keystone; allowed: password, v3password',
  ],
  [
    '[keystone_authtoken]\nuser_id = abc',
    '[keystone_authtoken] user_id = abc (file placement.conf:2) is not supported; set username and user_domain_name or user_domain_id',
  ],
  [
    '[keystone_authtoken]\npassword = pa$word',
    '[keystone_authtoken] password (file placement.conf:2) refers to $word, which is not set; a dollar sign is written $$; correct it',
  ],
  [
    '[placement_database]\nconnection = oracle://p:x@db/placement',
    '[placement_database] connection (file placement.conf:2) is not a database URL that Berth knows; allowed: sqlite:////PATH, postgresql://USER:PASSWORD@HOST/NAME, mysql+pymysql://USER:PASSWORD@HOST/NAME',
  ],
  [
    '[oslo_policy]\npolicy_file = rules.yaml',
    '[oslo_policy] policy_file = rules.yaml (file placement.conf:2) does not exist; correct the path, or remove the option',
  ],
])('%j is one line with file, section, option and value', (text, line) => {
  expect(wrongs(text)).toEqual([line])
})

test('a policy file is looked for beside the configuration, and one that is there is taken', () => {
  expect(keysOf('').policy_file).toBeUndefined()
  writeFileSync(join(directory, 'policy.json'), '{}')
  expect(keysOf('').policy_file).toBe(join(directory, 'policy.json'))
  writeFileSync(join(directory, 'policy.yaml'), '')
  expect(keysOf('').policy_file).toBe(join(directory, 'policy.yaml'))
  mkdirSync(join(directory, 'sub'))
  writeFileSync(join(directory, 'sub', 'p.yaml'), '')
  expect(keysOf('[oslo_policy]\npolicy_file = sub/p.yaml').policy_file).toBe(join(directory, 'sub', 'p.yaml'))
  expect(keysOf(`[DEFAULT]\npolicy_file = ${directory}/sub/p.yaml`).policy_file).toBe(
    join(directory, 'sub', 'p.yaml'),
  )
})

test('auth_url wins over identity_uri, that over www_authenticate_uri', () => {
  const all =
    '[keystone_authtoken]\nauth_uri = http://c:5000/v2.0\nidentity_uri = http://b:35357\nauth_url = http://a:5000/v3'
  expect(keysOf(all)).toMatchObject({
    keystone_url: 'http://a:5000/v3',
    keystone_public_url: 'http://c:5000/v2.0',
  })
  expect(keysOf(all.replace(/\nauth_url.*/, ''))).toMatchObject({ keystone_url: 'http://b:35357' })
  expect(keysOf(all.replace(/\nidentity_uri.*/s, ''))).toMatchObject({ keystone_url: 'http://c:5000' })
})

test('auth_section says where the user is', () => {
  const { content, unknown } = translated(
    '[keystone_authtoken]\nauth_section = service_user\ncafile = /ca.pem\nusername = not-this\n[service_user]\nusername = placement\npassword = x\nauth_url = http://k',
  )
  expect(Object.fromEntries(content)).toMatchObject({
    keystone_username: 'placement',
    keystone_url: 'http://k',
    keystone_ca_file: '/ca.pem',
  })
  expect(unknown).toEqual([])
})

test('a SQLite file wins over state_path, a PostgreSQL leaves it', () => {
  const state = '[DEFAULT]\nstate_path = /var/lib/placement\n[placement_database]\nconnection = '
  expect(keysOf(`${state}sqlite:////srv/p.db`)).toMatchObject({ data_dir: '/srv' })
  expect(keysOf(`${state}postgresql://db/p`)).toMatchObject({
    data_dir: '/var/lib/placement',
    database: 'postgresql://db/p',
  })
})

test('values refer to others, and log_file is in log_dir', () => {
  expect(
    keysOf(
      '[DEFAULT]\nstate_path = /s\nlog_dir = $state_path/log\nlog_file = api.log\n[placement_database]\nconnection = sqlite:///$state_path/p.db',
    ),
  ).toMatchObject({ log_file: '/s/log/api.log', data_dir: '/s' })
})

test('an option without a value is not set', () => {
  expect(keysOf('[DEFAULT]\ndebug =\n[keystone_authtoken]\ncafile =\n[api]\nauth_strategy =')).toEqual({
    only: 'placement',
    auth: 'keystone',
  })
})

test('the environment wins over the file', () => {
  const { content, origins } = translated('[api]\nauth_strategy = keystone', {
    OS_API__AUTH_STRATEGY: 'noauth2',
  })
  expect(content.get('auth')).toBe('noauth2')
  expect(origins.get('auth')).toEqual({ from: 'environment', name: 'OS_API__AUTH_STRATEGY' })
})

test('files of the health check count where their backend is named, and say so where it is not', () => {
  const files = (text: string) => keysOf(`[healthcheck]\n${text}`)
  expect(files('backends = disable_by_file\ndisable_by_file_path = /run/off')).toMatchObject({
    healthcheck_disable_files: ['/run/off'],
  })
  expect(
    files('backends = disable_by_files_ports\ndisable_by_file_paths = 8778:/run/off, 80:/run/too'),
  ).toMatchObject({ healthcheck_disable_files: ['/run/off', '/run/too'] })
  expect(files('backends = enable_by_files\nenable_by_file_paths = /a, /b')).toMatchObject({
    healthcheck_enable_files: ['/a', '/b'],
  })
  const unnamed = translated('[healthcheck]\nbackends = other\ndisable_by_file_path = /run/off')
  expect(unnamed.content.has('healthcheck_disable_files')).toBe(false)
  expect(unnamed.meaningless.map(({ option, text }) => `${option}: ${text}`)).toEqual([
    '[healthcheck] backends: Berth has no backend other.',
    '[healthcheck] disable_by_file_path: backends does not name disable_by_file.',
  ])
  expect(
    wrongs(
      '[healthcheck]\nbackends = disable_by_file, enable_by_files\ndisable_by_file_path = /a\nenable_by_file_paths = /b',
    ),
  ).toMatchObject([expect.stringContaining('names disable_by_file and enable_by_files')])
})

test('options of the time before auth_url are refused without it, and named with it', () => {
  expect(wrongs('[keystone_authtoken]\nauth_host = k\nauth_port = 35357')).toEqual([
    expect.stringMatching(/auth_host.*is not supported.*set auth_url/),
    expect.stringMatching(/auth_port.*is not supported.*set auth_url/),
  ])
  expect(wrongs('[keystone_authtoken]\nadmin_token = sesame').join()).not.toContain('sesame')
  const named = translated('[keystone_authtoken]\nauth_host = k\nauth_url = http://k')
  expect(named.meaningless.map(({ option }) => option)).toEqual(['[keystone_authtoken] auth_host'])
})
