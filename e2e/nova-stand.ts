/**
 * A real Nova on a built Berth in the place of Placement, with a real Keystone between them: Berth reads a placement.conf, and Nova
 * signs in as its service user and finds Berth in the catalog.
 *
 *   node e2e/nova-stand.ts [--stand DIRECTORY] [--computes N] [--logs DIRECTORY] [SECTION...]
 *
 * Needs the stand of ../shared, which installs Debian's Nova, MariaDB and RabbitMQ where they are missing, and Debian's
 * python3-keystone; `npm run build` before. It takes some minutes, and ports from STAND_PORT_BASE (18800) on. `--logs`
 * names a directory for the logs of Nova.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { startBuiltBerthWith } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { RealKeystone } from './keystone/real-keystone.ts'
import { Stand, standOption } from './stand.ts'

const CACHE_S = 10
const BERTH_PASSWORD = 'placement-in-keystone'
const NOVA_PASSWORD = 'nova-in-keystone'
const STAND_PASSWORD = 'stand-in-keystone'

const { values: options, positionals: sections } = parseArgs({
  allowPositionals: true,
  options: {
    stand: standOption,
    computes: { type: 'string', default: '4' },
    logs: { type: 'string' },
  },
})
const stand = await Stand.open(options.stand)
const claims = new Claims(line => console.log(line))
const keystone = await RealKeystone.start()
await keystone.addUser('placement', BERTH_PASSWORD, 'service', 'service')
const novaId = await keystone.addUser('nova', NOVA_PASSWORD, 'service', 'service')

const berth = await startBuiltBerthWith(
  dataDirectory => writeFile(confFile(dataDirectory), placementConf(dataDirectory), { mode: 0o600 }),
  ...['--config', 'placement.conf', '--keystone-timeout-ms', '30000'],
)
await keystone.addService('placement', berth.url)
// The stand reads Placement with its own token, so that Nova's requests can be told apart.
await keystone.addUser('stand', STAND_PASSWORD, 'service', 'admin')
const standToken = await keystone.tokenOf('stand', STAND_PASSWORD, 'service')

/** What Nova's [placement] has where there is a Keystone. Variables of oslo.config win over the files that the stand writes. */
const signIn: Readonly<Record<string, string>> = {
  AUTH_TYPE: 'password',
  AUTH_URL: keystone.url,
  USERNAME: 'nova',
  PASSWORD: NOVA_PASSWORD,
  PROJECT_NAME: 'service',
  USER_DOMAIN_NAME: 'Default',
  PROJECT_DOMAIN_NAME: 'Default',
  REGION_NAME: 'RegionOne',
  // Empty: found in Keystone's catalog.
  ENDPOINT_OVERRIDE: '',
}
stand.export(
  Object.fromEntries(Object.entries(signIn).map(([option, value]) => [`OS_PLACEMENT__${option}`, value])),
)

function confFile(dataDirectory: string): string {
  return join(dirname(dataDirectory), 'placement.conf')
}

/** As Kolla-Ansible writes it, for one machine. */
function placementConf(dataDirectory: string): string {
  const groups = {
    DEFAULT: { debug: 'False', state_path: '/var/lib/placement' },
    api: { auth_strategy: 'keystone' },
    placement_database: {
      connection: `sqlite:///${join(dataDirectory, 'placement.sqlite')}`,
      connection_recycle_time: '10',
      max_pool_size: '1',
    },
    oslo_middleware: { enable_proxy_headers_parsing: 'True' },
    keystone_authtoken: {
      service_type: 'placement',
      www_authenticate_uri: keystone.url,
      auth_url: keystone.url,
      auth_type: 'password',
      project_domain_id: 'default',
      user_domain_id: 'default',
      project_name: 'service',
      username: 'placement',
      password: BERTH_PASSWORD,
      region_name: 'RegionOne',
      token_cache_time: String(CACHE_S),
      memcache_security_strategy: 'ENCRYPT',
      memcache_secret_key: 'not-used-here',
      memcached_servers: '127.0.0.1:11211',
    },
  }
  const lines = Object.entries(groups).flatMap(([group, values]) => [
    `[${group}]`,
    ...Object.entries(values).map(([name, value]) => `${name} = ${value}`),
  ])
  return `${lines.join('\n')}\n`
}

const tokenOfNova = () => keystone.tokenOf('nova', NOVA_PASSWORD, 'service')

const ask = (path: string, token: string) =>
  fetch(`${berth.url}${path}`, { headers: { 'x-auth-token': token } })

const statusOf = async (token: string): Promise<number> => (await ask('/resource_providers', token)).status

async function get(path: string, token: string): Promise<Record<string, unknown>> {
  const answer = await ask(path, token)
  assert.equal(answer.status, 200, `GET ${path}`)
  return (await answer.json()) as Record<string, unknown>
}

try {
  await claims.claim('Berth asks Keystone about tokens: nova may, a stranger may not', async () => {
    assert.equal(await statusOf(await tokenOfNova()), 200)
    assert.equal(await statusOf('gAAAAAB-not-a-token'), 401)
  })
  await claims.claim('the hosts of Nova register themselves', async () => {
    await stand.start(berth, Number(options.computes), { url: berth.url, token: standToken })
  })
  await claims.claim('they did so as the service user of Nova', async () => {
    const providers = await get('/resource_providers', standToken)
    const names = (providers.resource_providers as { name: string }[]).map(({ name }) => name)
    const { entries } = await get(`/v1/audit?user=${novaId}&limit=1000`, berth.token)
    const made = (entries as { command: string }[]).filter(
      ({ command }) => command === 'placement:create-provider',
    )
    assert.equal(made.length, names.length, `of ${names.join(', ')} nova made ${made.length}`)
  })
  await claims.claim('the stand passes', () => stand.check(sections))
  await claims.claim('a user who is disabled in Keystone is refused once the cache expires', async () => {
    const token = await tokenOfNova()
    assert.equal(await statusOf(token), 200)
    await keystone.ask('PATCH', `/users/${novaId}`, { user: { enabled: false } })
    await new Promise(resolve => setTimeout(resolve, CACHE_S * 1000 + 500))
    assert.equal(await statusOf(token), 401)
  })
  process.exitCode = claims.end()
} finally {
  await stand.end(options.logs)
  await berth.stop()
  await keystone.end()
}
