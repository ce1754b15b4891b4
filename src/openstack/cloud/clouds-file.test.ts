import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCloudSettings } from './cloud-settings.ts'
import type { CloudPlace } from './clouds-file.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'clouds-'))
  await mkdir(join(directory, 'home/.config/openstack'), { recursive: true })
})
afterEach(() => rm(directory, { recursive: true }))

const place = (env: CloudPlace['env'] = {}): CloudPlace => ({
  env,
  homeDirectory: join(directory, 'home'),
  workingDirectory: join(directory, 'here'),
})

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(directory, path, '..'), { recursive: true })
  await writeFile(join(directory, path), text)
}

const CLOUD = `
clouds:
  prod:
    region_name: North
    interface: internal
    auth:
      auth_url: https://keystone.example.org:5000/v3/
      username: berth
      project_name: service
      user_domain_name: Default
      project_domain_id: default
      password: sesame
`

test('a password of clouds.yaml becomes a sign-in to the project', async () => {
  await write('here/clouds.yaml', CLOUD)
  const settings = await readCloudSettings('prod', place())
  expect(settings).toMatchObject({ name: 'prod', region: 'North', timeoutMs: 60_000 })
  expect(settings.service('compute')).toEqual({ endpoint: null, region: 'North', interface: 'internal' })
  const user = { name: 'berth', domain: { name: 'Default' }, password: 'sesame' }
  expect(settings.auth).toEqual({
    kind: 'keystone',
    url: 'https://keystone.example.org:5000/v3',
    request: {
      identity: { methods: ['password'], password: { user } },
      scope: { project: { name: 'service', domain: { id: 'default' } } },
    },
    who: 'user berth',
  })
})

test('secrets are read from secure.yaml, and the working directory wins over the home directory', async () => {
  await write('home/.config/openstack/clouds.yaml', 'clouds: {other: {}}')
  await write('here/clouds.yaml', CLOUD.replace('      password: sesame\n', ''))
  await write('home/.config/openstack/secure.yaml', 'clouds: {prod: {auth: {password: 12345}}}')
  const { auth, from } = await readCloudSettings('prod', place())
  expect(from).toBe(join(directory, 'here/clouds.yaml'))
  expect(auth).toMatchObject({ request: { identity: { password: { user: { password: '12345' } } } } })
})

test('OS_CLIENT_CONFIG_FILE names another file, OS_CLOUD the cloud', async () => {
  await write('here/clouds.yaml', 'clouds: {}')
  await write('mine.yml', CLOUD)
  const settings = await readCloudSettings(
    undefined,
    place({ OS_CLIENT_CONFIG_FILE: join(directory, 'mine.yml'), OS_CLOUD: 'prod' }),
  )
  expect(settings.name).toBe('prod')
})

test('envvars is the cloud of the OS_* variables', async () => {
  const settings = await readCloudSettings(
    'envvars',
    place({
      OS_AUTH_URL: 'http://keystone:5000',
      OS_USERNAME: 'admin',
      OS_PASSWORD: 'p',
      OS_PROJECT_NAME: 'admin',
      OS_USER_DOMAIN_NAME: 'Default',
      OS_PROJECT_DOMAIN_NAME: 'Default',
      OS_REGION_NAME: 'South',
      OS_ENDPOINT_TYPE: 'internalURL',
    }),
  )
  expect(settings).toMatchObject({ region: 'South', auth: { url: 'http://keystone:5000/v3' } })
  expect(settings.service('image').interface).toBe('internal')
})

test.each([
  [
    'an application credential',
    '{auth_type: v3applicationcredential, auth: {auth_url: "http://k", application_credential_id: a, application_credential_secret: s}}',
    { identity: { methods: ['application_credential'], application_credential: { id: 'a', secret: 's' } } },
  ],
  [
    'a token',
    '{auth_type: token, auth: {auth_url: "http://k", token: t, project_id: p}}',
    { identity: { methods: ['token'], token: { id: 't' } }, scope: { project: { id: 'p' } } },
  ],
  [
    'the scope of the whole system',
    '{auth: {auth_url: "http://k", user_id: u, password: s, system_scope: all}}',
    {
      identity: { methods: ['password'], password: { user: { id: 'u', password: 's' } } },
      scope: { system: { all: true } },
    },
  ],
])('signs in with %s', async (_, cloud, request) => {
  await write('here/clouds.yaml', `clouds: {c: ${cloud}}`)
  expect((await readCloudSettings('c', place())).auth).toMatchObject({ kind: 'keystone', request })
})

test('anchors, merged keys, endpoints of services and a private authority are understood', async () => {
  await write('here/ca.pem', 'PEM')
  await write(
    'here/clouds.yaml',
    `
base: &base {auth_type: admin_token, auth: {token: t}, cacert: ca.pem}
clouds:
  lab:
    <<: *base
    api_timeout: 5
    compute_endpoint_override: http://nova:8774/v2.1/
    shared_file_system_endpoint_override: http://manila:8786/v2
  blind: {auth_type: none, verify: no}
`,
  )
  const lab = await readCloudSettings('lab', place())
  expect(lab).toMatchObject({
    timeoutMs: 5_000,
    auth: { kind: 'fixed', token: 't' },
    trust: { authorities: 'PEM', isBlind: false },
  })
  expect(lab.service('compute').endpoint).toBe('http://nova:8774/v2.1/')
  expect(lab.service('share').endpoint).toBe('http://manila:8786/v2')
  expect((await readCloudSettings('blind', place())).trust.isBlind).toBe(true)
})

test('a profile of clouds-public.yaml lies below the cloud', async () => {
  await write('here/clouds-public.yaml', 'public-clouds: {acme: {auth: {auth_url: "https://acme"}}}')
  await write(
    'here/clouds.yaml',
    'clouds: {c: {profile: acme, auth: {user_id: u, password: p, project_id: x}}}',
  )
  expect((await readCloudSettings('c', place())).auth).toMatchObject({ url: 'https://acme/v3' })
})

test.each([
  ['an unknown cloud', 'clouds: {a: {}, b: {}}', /there is no cloud named prod: .*clouds\.yaml has a, b/],
  ['no user', 'clouds: {prod: {auth: {auth_url: "http://k"}}}', /cloud prod .* has no username below auth/],
  [
    'no project',
    'clouds: {prod: {auth: {auth_url: "http://k", username: u, password: p}}}',
    /names no project/,
  ],
  [
    'another way to sign in',
    'clouds: {prod: {auth_type: v3oidcpassword}}',
    /has auth_type v3oidcpassword: password/,
  ],
  ['a list', 'clouds: {prod: [1]}', /cloud prod in .* is not a mapping/],
  ['no YAML', 'clouds: {prod: {auth: {password: secret-word', /is not YAML/],
  [
    'a strange timeout',
    'clouds: {prod: {auth_type: none, api_timeout: -1}}',
    /api_timeout = -1: write seconds/,
  ],
  [
    'a missing authority',
    'clouds: {prod: {auth_type: none, cacert: no.pem}}',
    /cacert of cloud prod .*ENOENT/,
  ],
])('%s is refused in one line', async (_, text, message) => {
  await write('here/clouds.yaml', text)
  const failure = await readCloudSettings('prod', place()).catch(error => error)
  expect(failure.name).toBe('SettingsRefused')
  expect(failure.message).toMatch(message)
  expect(failure.message).not.toMatch(/\n|secret-word/)
})

test('without any file it says where it looked', async () => {
  await expect(readCloudSettings('prod', place())).rejects.toThrow(/no clouds\.yaml in the working directory/)
})
