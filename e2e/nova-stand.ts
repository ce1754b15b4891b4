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
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBuiltBerthWith } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { RealKeystone } from './keystone/real-keystone.ts'

const CACHE_S = 10
const BERTH_PASSWORD = 'placement-in-keystone'
const NOVA_PASSWORD = 'nova-in-keystone'
const STAND_PASSWORD = 'stand-in-keystone'
const FAILURES_SHOWN = 4_000

const { values: options, positionals: sections } = parseArgs({
  allowPositionals: true,
  options: {
    stand: { type: 'string', default: fileURLToPath(new URL('../../shared/stands/nova', import.meta.url)) },
    computes: { type: 'string', default: '4' },
    logs: { type: 'string' },
  },
})
const stand = options.stand
if (!existsSync(join(stand, 'up.sh'))) {
  console.error(`there is no stand at ${stand}: name its directory with --stand`)
  process.exit(2)
}

const claims = new Claims(line => console.log(line))
const runDirectory = await mkdtemp(join(tmpdir(), 'nova-stand-'))
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

let running: ChildProcess | null = null
// The stand's own script stops below what it started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running?.kill())

async function runScript(name: string, ...args: readonly string[]): Promise<{ code: number; out: string }> {
  const child = spawn(join(stand, name), args, {
    env: {
      ...process.env,
      STAND_RUN: runDirectory,
      ...Object.fromEntries(
        Object.entries(signIn).map(([option, value]) => [`OS_PLACEMENT__${option}`, value]),
      ),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running = child
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    process.stdout.write(text)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? 1, out }
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
    const up = await runScript(
      'up.sh',
      ...['--placement-url', berth.url, '--placement-token', standToken, '--computes', options.computes],
    )
    assert.equal(up.code, 0)
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
  await claims.claim('the stand passes', async () => {
    const { code, out } = await runScript('check.sh', ...sections)
    const last = out.trimEnd().split('\n').at(-1) ?? ''
    assert.match(last, /^[1-9]\d* passed, 0 failed$/, out.slice(-FAILURES_SHOWN))
    assert.equal(code, 0)
  })
  await claims.claim('a user who is disabled in Keystone is refused once the cache expires', async () => {
    const token = await tokenOfNova()
    assert.equal(await statusOf(token), 200)
    await keystone.ask('PATCH', `/users/${novaId}`, { user: { enabled: false } })
    await new Promise(resolve => setTimeout(resolve, CACHE_S * 1000 + 500))
    assert.equal(await statusOf(token), 401)
  })
  process.exitCode = claims.end()
} finally {
  if (options.logs !== undefined) await cp(join(runDirectory, 'log'), options.logs, { recursive: true })
  await runScript('down.sh')
  await berth.stop()
  await keystone.end()
  await rm(runDirectory, { recursive: true, force: true })
}
