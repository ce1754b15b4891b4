/**
 * Drives a built Berth with the real `openstack` and `glance` clients and a clouds.yaml that Berth prints: by password, and by
 * application credential. Needs python3-openstackclient, python3-osc-placement, python3-manilaclient and python3-glanceclient, and
 * `npm run build` before.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startBuiltBerth, withoutOurVariables } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { admin, credential, member, type Story } from './identity-client/stories.ts'
import { Openstack } from './real-client/openstack.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../bin/berth', import.meta.url))
const server = await startBuiltBerth()
const port = new URL(server.url).port
const claims = new Claims(line => console.log(line))
const clients: Openstack[] = []

/** The output of a command of Berth, run where the server runs. */
async function berth(...args: readonly string[]): Promise<string> {
  const env = { ...withoutOurVariables(), BERTH_PORT: port }
  const { stdout } = await run(program, args, { cwd: server.directory, env })
  return stdout
}

/** The client with the output of `berth clouds-yaml`, and nothing else. */
async function clientOf(name: string, ...flags: readonly string[]): Promise<Openstack> {
  const cloudsFile = join(server.directory, `${name}.yaml`)
  await writeFile(cloudsFile, await berth('clouds-yaml', '--cloud', name, ...flags), { mode: 0o600 })
  const client = new Openstack(
    { cloud: name, cloudsFile, variables: { OS_COMPUTE_API_VERSION: '2.92' } },
    '1.39',
  )
  clients.push(client)
  return client
}

async function glance(cloudsFile: string): Promise<string> {
  const yaml = cloudsFile
  const of = (key: string) => new RegExp(`${key}: "(.*)"`).exec(yaml)?.[1] ?? ''
  const { stdout } = await run('glance', ['md-namespace-list'], {
    env: {
      ...process.env,
      PYTHONWARNINGS: 'ignore',
      OS_AUTH_URL: of('auth_url'),
      OS_USERNAME: of('username'),
      OS_PASSWORD: of('password'),
      OS_PROJECT_NAME: of('project_name'),
      OS_USER_DOMAIN_ID: 'default',
      OS_PROJECT_DOMAIN_ID: 'default',
      OS_IDENTITY_API_VERSION: '3',
    },
  })
  return stdout
}

const stories: Readonly<Record<string, () => Promise<Parameters<Story>[0]>>> = {
  'by password': async () => ({ client: await clientOf('berth'), berth, claim }),
  'by application credential': async () => ({
    client: await clientOf('ci', '--credential', 'ci', '--role', 'reader'),
    berth,
    claim,
  }),
  'as a member': async () => ({ client: await memberClient(), berth, claim }),
}

const tellings: readonly Story[] = [admin, credential, member]

async function memberClient(): Promise<Openstack> {
  await berth('project', 'create', 'lab')
  const made = JSON.parse(
    await berth('user', 'create', 'ray', '--project', 'lab', '--role', 'member', '--json'),
  )
  const cloudsFile = join(server.directory, 'ray.yaml')
  await writeFile(
    cloudsFile,
    await berth('clouds-yaml', '--cloud', 'ray', '--user', 'ray', '--project', 'lab'),
  )
  const variables = { OS_PASSWORD: made.password, OS_COMPUTE_API_VERSION: '2.92' }
  const client = new Openstack({ cloud: 'ray', cloudsFile, variables }, '1.39')
  clients.push(client)
  return client
}

const claim = (what: string, check: () => Promise<void>) => claims.claim(what, check)

try {
  for (const [at, [name, parts]] of Object.entries(stories).entries()) {
    console.log(name)
    await claim('ends without an error', async () => (tellings[at] as Story)(await parts()))
  }
  console.log('glance')
  await claim('md-namespace-list signs in and lists the built-in definitions', async () => {
    assert.match(await glance(await berth('clouds-yaml')), /Berth::Flavor::CPU/)
  })
  process.exitCode = claims.end()
} finally {
  await Promise.all(clients.map(client => client.close()))
  await server.stop()
}
