/**
 * A built Berth that checks tokens with a real Keystone, driven with the real `openstack` client. Needs python3-keystone,
 * python3-openstackclient and python3-osc-placement, and `npm run build` before.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { ADMIN_PASSWORD, RealKeystone } from './keystone/real-keystone.ts'
import { Openstack } from './real-client/openstack.ts'
import { blockOf } from './real-client/replacing.ts'

const CACHE_S = 1
const SHORT_TOKEN_S = 2
const SERVICE_PASSWORD = 'berth-in-keystone'
const REPLACING = new URL('../docs/how-to/replace-placement.md', import.meta.url)

const claims = new Claims(line => console.log(line))
const claim = (what: string, check: () => Promise<void>) => claims.claim(what, check)

const keystone = await RealKeystone.start()
const berth = await startBuiltBerth(
  ...['--auth', 'keystone', '--keystone-url', keystone.url, '--keystone-username', 'berth'],
  ...['--keystone-cache-s', String(CACHE_S), '--keystone-password', SERVICE_PASSWORD],
  // It hashes passwords slowly, and more slowly on a busy machine.
  ...['--keystone-timeout-ms', '30000'],
)

async function clientOf(username: string, password: string, project: string): Promise<Openstack> {
  const cloudsFile = join(berth.directory, `${username}.yaml`)
  const auth = [
    ...[
      `auth_url: "${keystone.url}"`,
      `username: ${username}`,
      `password: ${password}`,
      `project_name: ${project}`,
    ],
    ...['user_domain_name: Default', 'project_domain_name: Default'],
  ]
  const lines = [
    'clouds:',
    '  real:',
    '    region_name: RegionOne',
    '    auth:',
    ...auth.map(one => `      ${one}`),
  ]
  await writeFile(cloudsFile, `${lines.join('\n')}\n`)
  return new Openstack({ cloud: 'real', cloudsFile }, '1.39')
}

const statusOf = async (token: string, path = '/placement/resource_providers'): Promise<number> =>
  (await fetch(`${berth.url}${path}`, { headers: { 'x-auth-token': token } })).status

const pastCache = () => new Promise(resolve => setTimeout(resolve, CACHE_S * 1000 + 200))

const adminToken = () => keystone.tokenOf('admin', ADMIN_PASSWORD, 'admin')
const clients: Openstack[] = []

try {
  await claim('without its service user every token is refused with 503', async () => {
    assert.equal(await statusOf(await adminToken()), 503)
  })
  await keystone.addUser('berth', SERVICE_PASSWORD, 'service', 'admin')
  await keystone.addUser('ray', 'ray-ray-ray', 'lab', 'member')
  await keystone.addService('placement', `${berth.url}/placement`)
  await keystone.addService('compute', `${berth.url}/compute/v2.1`)

  await claim('the admin of Keystone uses Placement and compute through its catalog', async () => {
    const client = await clientOf('admin', ADMIN_PASSWORD, 'admin')
    clients.push(client)
    await client.json('resource provider create by-keystone')
    assert.deepEqual(
      (await client.json('resource provider list')).map((one: { name: string }) => one.name),
      ['by-keystone'],
    )
    await client.json('flavor create small --ram 512 --disk 1 --vcpus 1')
  })
  await claim('a member has the rights of members, and no more', async () => {
    const client = await clientOf('ray', 'ray-ray-ray', 'lab')
    clients.push(client)
    assert.equal((await client.json('flavor list')).length, 1)
    assert.match(await client.refused('resource provider list'), /403/)
  })
  await claim('the settings of replace-placement.md lead Nova to Berth through Keystone', async () => {
    await keystone.addUser('nova', 'nova-nova-nova', 'services', 'service')
    const file = join(berth.directory, 'nova.conf')
    const filledIn = blockOf(await readFile(REPLACING, 'utf8'), 'ini', 'username = nova')
      .replace(/^auth_url = .*$/m, `auth_url = ${keystone.url}`)
      .replace(/^password = .*$/m, 'password = nova-nova-nova')
      .replace(/^project_name = .*$/m, 'project_name = services')
    // The catalog of this Keystone is empty.
    const placed = `${filledIn}endpoint_override = ${berth.url}/placement\n`
    await writeFile(file, placed, { mode: 0o600 })
    const script = fileURLToPath(new URL('real-client/as-nova.py', import.meta.url))
    const { stdout } = await promisify(execFile)('/usr/bin/python3', [script, file])
    assert.deepEqual(JSON.parse(stdout).adapter, ['by-keystone'])
    assert.deepEqual(JSON.parse(stdout).sdk, ['by-keystone'])
  })
  await claim('the audit log has the ids of Keystone', async () => {
    const answer = await fetch(`${berth.url}/v1/audit`, { headers: { 'x-auth-token': berth.token } })
    const { entries } = (await answer.json()) as { entries: { user: string; command: string }[] }
    const made = entries.find(({ command }) => command === 'placement:create-provider')
    assert.equal(made?.user, (await keystone.ask('GET', '/users?name=admin')).users[0].id)
  })
  await claim(
    'a user signs in through this server, lists the projects, and scopes to one by its id',
    async () => {
      const identity = `${berth.url}/identity/v3/auth`
      const issue = (proof: object, scope: object | string) =>
        fetch(`${identity}/tokens`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ auth: { identity: proof, scope } }),
        })
      const projectsOf = async (token: string) => {
        const answer = await fetch(`${identity}/projects`, { headers: { 'x-auth-token': token } })
        return ((await answer.json()) as { projects: { id: string; name: string }[] }).projects
      }
      const byPassword = (password: string) => {
        const user = { name: 'ray', domain: { name: 'Default' }, password }
        return issue({ methods: ['password'], password: { user } }, 'unscoped')
      }
      assert.equal((await byPassword('wrong')).status, 401)
      const unscoped = await byPassword('ray-ray-ray')
      assert.equal(unscoped.status, 201)
      // Although the user has a default project, which Keystone would use.
      assert.equal(((await unscoped.json()) as { token: { project?: object } }).token.project, undefined)
      const first = unscoped.headers.get('x-subject-token') as string
      const [lab, ...others] = await projectsOf(first)
      assert.deepEqual([lab?.name, others], ['lab', []])
      const entered = await issue({ methods: ['token'], token: { id: first } }, { project: { id: lab?.id } })
      assert.equal(entered.status, 201)
      const who = await fetch(`${berth.url}/v1/whoami`, {
        headers: { 'x-auth-token': entered.headers.get('x-subject-token') as string },
      })
      assert.equal(((await who.json()) as { project_id: string }).project_id, lab?.id)
      assert.deepEqual(await projectsOf(berth.token), [])
    },
  )
  await claim('a token that Keystone does not know is 401, and no headers help', async () => {
    assert.equal(await statusOf('gAAAAAB-not-a-token'), 401)
    const headers = {
      'x-auth-token': 'nothing',
      'x-roles': 'admin',
      'x-project-id': 'admin',
      'x-identity-status': 'Confirmed',
    }
    assert.equal((await fetch(`${berth.url}/placement/resource_providers`, { headers })).status, 401)
  })
  await claim('a token that was revoked in Keystone is refused once the cache expires', async () => {
    const id = await adminToken()
    assert.equal(await statusOf(id), 200)
    await keystone.ask('DELETE', '/auth/tokens', undefined, { 'x-subject-token': id })
    await pastCache()
    assert.equal(await statusOf(id), 401)
  })
  await claim('while Keystone is down the answer is 503, never access; later tokens work again', async () => {
    const id = await adminToken()
    assert.equal(await statusOf(id), 200)
    await keystone.down()
    await pastCache()
    assert.equal(await statusOf(id), 503)
    assert.equal(await statusOf(id, '/v1/fleet'), 503)
    assert.equal(await statusOf('gAAAAAB-not-a-token'), 503)
    assert.equal(await statusOf(berth.token), 200)
    await keystone.up(SHORT_TOKEN_S)
    assert.equal(await statusOf(id), 200)
  })
  await claim('an expired token is accepted with a service token, and only then', async () => {
    const short = await keystone.tokenOf('ray', 'ray-ray-ray', 'lab')
    await keystone.down()
    await keystone.up()
    const service = await keystone.tokenOf('nova', 'nova-nova-nova', 'services')
    await new Promise(resolve => setTimeout(resolve, SHORT_TOKEN_S * 1000))
    const beside = async (serviceToken: string) => {
      const headers = { 'x-auth-token': short, 'x-service-token': serviceToken }
      return (await fetch(`${berth.url}/compute/v2.1/flavors`, { headers })).status
    }
    assert.equal(await statusOf(short, '/compute/v2.1/flavors'), 401)
    assert.equal(await beside(service), 200)
    assert.equal(await beside(await keystone.tokenOf('ray', 'ray-ray-ray', 'lab')), 401)
    assert.equal(await beside('gAAAAAB-not-a-token'), 401)
  })
  process.exitCode = claims.end()
} catch (error) {
  console.log(await keystone.lastWords())
  throw error
} finally {
  await Promise.all(clients.map(client => client.close()))
  await berth.stop()
  await keystone.end()
}
