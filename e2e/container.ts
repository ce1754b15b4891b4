/**
 * Builds and runs the container as its users do: alone, as Kolla-Ansible starts it and as OpenStack-Helm does, with a real Keystone and a
 * real MariaDB, and with the configuration that they render.
 *
 *   node e2e/container.ts [--image NAME] [--archive FILE] [--kolla-ansible CHECKOUT] [--openstack-helm CHECKOUT]
 *
 * Needs root, Debian's buildah, podman, runc, mmdebstrap, mariadb-server and python3-keystone. `--image` takes one that is built; `--archive` keeps the
 * base for the next run. With a checkout, the real templates are rendered too, must give what this repository says they give, and are
 * what is run; those of OpenStack-Helm need golang-go, golang-github-masterminds-sprig-dev and golang-github-ghodss-yaml-dev.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../scripts/free-port.ts'
import { authority, serverCertificate, serverKey } from '../src/store/postgres/certificates.fixture.ts'
import { startMariadb } from '../test/mariadb.ts'
import { Claims } from './claims.ts'
import { findDifferent, type KollaVariables, kollaFiles, kollaPod, renderKolla } from './container/kolla.ts'
import { type ChartValues, chartPods, findDifferentParts, type Probe } from './container/openstack-helm.ts'
import type { Pod } from './container/pod.ts'
import { Podman } from './container/podman.ts'
import { renderChartPods } from './container/render-chart.ts'
import { RealKeystone } from './keystone/real-keystone.ts'

const UID = 42424
const PASSWORD = 'placement-in-keystone'
const START_MS_MAX = 60_000

const { values: options } = parseArgs({
  options: {
    image: { type: 'string' },
    archive: { type: 'string' },
    'kolla-ansible': { type: 'string' },
    'openstack-helm': { type: 'string' },
  },
})

function build(): string {
  const script = fileURLToPath(new URL('../packaging/container/build.sh', import.meta.url))
  const archive = options.archive === undefined ? [] : ['--archive', options.archive]
  execFileSync(script, ['--fast', '--tag', 'berth:proof', ...archive], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return 'localhost/berth:proof'
}

const claims = new Claims(line => console.log(line))
const podman = await Podman.start(options.image ?? build())
const [keystone, mariadb] = await Promise.all([RealKeystone.start(), startMariadb()])
await keystone.addUser('placement', PASSWORD, 'service', 'service')
await keystone.addUser('nova', PASSWORD, 'service', 'service')

/** The database and the user that the deployment creates. */
const addDatabase = async (name: string): Promise<void> => {
  await mariadb.query(
    `CREATE DATABASE ${name}; CREATE USER IF NOT EXISTS placement@'%' IDENTIFIED BY '${PASSWORD}'; ` +
      `GRANT ALL ON ${name}.* TO placement@'%'`,
  )
}

async function waitFor(url: string): Promise<Response> {
  const deadline = Date.now() + START_MS_MAX
  for (;;) {
    const answer = await fetch(url).catch(() => null)
    if (answer !== null || Date.now() > deadline)
      return answer ?? Promise.reject(new Error(`${url} does not answer`))
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

/** Runs the pod, and stops it as the engine does. */
async function whileRunning(pod: Pod, url: string, check: (name: string) => Promise<void>): Promise<void> {
  const name = await podman.begin(pod)
  try {
    await waitFor(url)
    await check(name)
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${(await podman.logs(name)).slice(-2_000)}`)
  }
  assert.equal(await podman.stop(name), 0, 'exit code')
}

const isHealthy = async (url: string): Promise<void> => {
  const answer = await waitFor(url)
  assert.equal(answer.status, 200, url)
  assert.match(await answer.text(), /"max_version"|"alive"|"services"/)
}

/** Nova creates a provider; without a token that is refused. */
async function serves(url: string): Promise<void> {
  const token = await keystone.tokenOf('nova', PASSWORD, 'service')
  const headers = {
    'x-auth-token': token,
    'content-type': 'application/json',
    'openstack-api-version': 'placement 1.39',
  }
  const made = await fetch(`${url}/resource_providers`, { method: 'POST', headers, body: '{"name": "cn1"}' })
  assert.equal(made.status, 200, await made.text())
  assert.equal((await fetch(`${url}/resource_providers`)).status, 401)
}

async function proveAlone(): Promise<void> {
  const port = await freePort()
  const pod: Pod = {
    command: null,
    env: { BERTH_PORT: String(port), BERTH_HOST: '127.0.0.1' },
    user: UID,
    isReadOnly: true,
    volumes: [{ path: '/var/lib/berth', content: {}, mode: 0 }],
  }
  await claims.claim(`alone: read-only root, uid ${UID}, GET / without a token, exit code 0`, () =>
    whileRunning(pod, `http://127.0.0.1:${port}/`, async name => {
      await isHealthy(`http://127.0.0.1:${port}/`)
      const who = await podman.exec(name, ['sh', '-c', 'id -u; touch /x; true'])
      assert.match(who.out, /^42424\n.*Read-only file system/s)
      assert.equal((await podman.exec(name, ['container-health'])).code, 0)
      assert.match((await podman.exec(name, ['berth', 'host', 'list'])).out, /no host/)
    }),
  )
}

async function kollaVariables(isTls: boolean): Promise<KollaVariables> {
  return {
    api_interface_address: '127.0.0.1',
    placement_api_listen_port: String(await freePort()),
    keystone_internal_url: keystone.url,
    keystone_public_url: keystone.url,
    placement_keystone_password: PASSWORD,
    placement_database_password: PASSWORD,
    placement_database_address: `127.0.0.1:${mariadb.port}`,
    placement_enable_tls_backend: isTls,
    kolla_copy_ca_into_containers: isTls,
  }
}

const CERTIFICATES = {
  'placement-cert.pem': serverCertificate,
  'placement-key.pem': serverKey,
  'ca-certificates/own.crt': authority,
}

/** A cloud that has run Placement and names the same database: Berth must write nothing into it. */
async function proveOldDatabase(files: Readonly<Record<string, string>>): Promise<void> {
  await mariadb.query('CREATE TABLE placement.alembic_version (version_num VARCHAR(32))')
  await mariadb.query('CREATE TABLE placement.resource_providers (id INT PRIMARY KEY, uuid VARCHAR(36))')
  const { code, out } = await podman.finish(kollaPod(files, { KOLLA_BOOTSTRAP: '' }))
  assert.equal(code, 1, out)
  assert.match(out, /placement-manage: /)
  const [count] = await mariadb.query(
    "SELECT COUNT(*) AS count FROM information_schema.tables WHERE table_schema = 'placement'",
  )
  assert.equal(Number(count?.count), 2, out)
  await mariadb.query('DROP TABLE placement.alembic_version, placement.resource_providers')
}

async function proveKolla(): Promise<void> {
  await addDatabase('placement')
  const plain = await kollaVariables(false)
  const secure = await kollaVariables(true)
  const checkout = options['kolla-ansible']
  const render = (variables: KollaVariables) =>
    checkout === undefined ? kollaFiles(variables) : renderKolla(checkout, variables)
  if (checkout !== undefined)
    await claims.claim('Kolla-Ansible: its templates give what is run here', async () => {
      for (const one of [plain, secure])
        assert.deepEqual(findDifferent(kollaFiles(one), renderKolla(checkout, one)), [])
    })
  const files = render(plain)
  const url = `http://127.0.0.1:${plain.placement_api_listen_port}`
  await claims.claim(
    'Kolla-Ansible: a database with the tables of Placement is refused and left as it is',
    () => proveOldDatabase(files),
  )
  await claims.claim(
    'Kolla-Ansible: the bootstrap container makes the tables and ends with 0, again too',
    async () => {
      for (const variable of ['KOLLA_BOOTSTRAP', 'KOLLA_UPGRADE', 'KOLLA_OSM', 'KOLLA_BOOTSTRAP']) {
        const { code, out } = await podman.finish(kollaPod(files, { [variable]: '' }))
        assert.equal(code, 0, out)
        if (variable !== 'KOLLA_UPGRADE') assert.match(out, /set_root_provider_ids/)
      }
    },
  )
  await claims.claim(
    'Kolla-Ansible: kolla_start serves config.json, its health check and its check of files are content',
    () =>
      whileRunning(kollaPod(files), `${url}/`, async name => {
        await isHealthy(`${url}/`)
        await serves(url)
        assert.equal((await podman.exec(name, ['sh', '-c', `healthcheck_curl ${url}`])).code, 0)
        const check = () => podman.exec(name, ['/usr/local/bin/kolla_set_configs', '--check'], 'root')
        assert.deepEqual(await check(), { code: 0, out: '' })
        await podman.exec(name, ['sh', '-c', 'echo >>/etc/placement/placement.conf'], 'root')
        assert.equal((await check()).code, 1)
        const log = await podman.exec(name, ['cat', '/var/log/kolla/placement/placement-api.log'])
        assert.match(log.out, /"msg":"serving"/)
        assert.equal((await podman.exec(name, ['id', '-un'])).out, 'placement\n')
      }),
  )
  await claims.claim(
    'Kolla-Ansible: with TLS in the back end it speaks HTTPS with Kolla’s certificate and trusts its authority',
    async () => {
      const pod = kollaPod({ ...render(secure), ...CERTIFICATES })
      const name = await podman.begin(pod)
      const https = `https://127.0.0.1:${secure.placement_api_listen_port}`
      const deadline = Date.now() + START_MS_MAX
      let code = 1
      while (code !== 0 && Date.now() < deadline)
        ({ code } = await podman.exec(name, ['healthcheck_curl', https]))
      assert.equal(code, 0, await podman.logs(name))
      const trusted = await podman.exec(name, ['cat', '/etc/ssl/certs/ca-certificates.crt'])
      assert.ok(trusted.out.includes(authority.trim()))
      assert.equal(await podman.stop(name), 0)
    },
  )
}

const CHART_DATABASE = 'placement_chart'

async function proveChart(): Promise<void> {
  await addDatabase(CHART_DATABASE)
  const { hostname, port } = new URL(keystone.url)
  const values: ChartValues = {
    apiPort: await freePort(),
    statsPort: await freePort(),
    keystoneHost: hostname,
    keystonePort: Number(port),
    keystonePassword: PASSWORD,
    domain: 'Default',
    databaseHost: '127.0.0.1',
    databasePort: mariadb.port,
    databasePassword: PASSWORD,
    databaseName: CHART_DATABASE,
  }
  const ours = chartPods(values)
  const checkout = options['openstack-helm']
  const pods = checkout === undefined ? ours : renderChartPods(checkout, values)
  if (checkout !== undefined)
    await claims.claim('OpenStack-Helm: its templates give what is run here', async () =>
      assert.deepEqual(findDifferentParts(ours, pods), []),
    )
  await claims.claim(
    'OpenStack-Helm: the job db-sync makes the tables and ends with 0, again too',
    async () => {
      for (const _ of [1, 2]) {
        const { code, out } = await podman.finish(pods.sync)
        assert.equal(code, 0, out)
      }
    },
  )
  const url = (probe: Probe) => `http://127.0.0.1:${probe.port}${probe.path}`
  await claims.claim(
    `OpenStack-Helm: read-only root, uid ${UID}, both probes content, Nova's token taken`,
    () =>
      whileRunning(pods.api, url(pods.readiness), async name => {
        await isHealthy(url(pods.readiness))
        await isHealthy(url(pods.liveness))
        await serves(`http://127.0.0.1:${pods.readiness.port}`)
        assert.match(
          (await podman.exec(name, ['sh', '-c', 'id -u; touch /x; true'])).out,
          /^42424\n.*Read-only/s,
        )
      }),
  )
}

try {
  await proveAlone()
  await proveKolla()
  await proveChart()
  process.exitCode = claims.end()
} finally {
  await podman.end()
  await keystone.end()
  await mariadb.remove()
}
