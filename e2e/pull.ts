/**
 * `berth pull` from a real Nova whose Placement is a built Berth.
 *
 *   node e2e/pull.ts [--stand DIRECTORY]
 *
 * Needs the stand of ../shared, which installs Debian's Nova, MariaDB and RabbitMQ where they are missing; `npm run build` before. It takes some
 * minutes, and ports from STAND_PORT_BASE (18800) on.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { Stand, standOption } from './stand.ts'

const { values: options } = parseArgs({ options: { stand: standOption } })
const stand = await Stand.open(options.stand)
const claims = new Claims(line => console.log(line))
const berth = await startBuiltBerth()
const program = fileURLToPath(new URL('../bin/berth', import.meta.url))
const STEP_MS = 60_000

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function read(child: ChildProcess): Promise<Ran> {
  let [out, err] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? 1, out, err }
}

let cloudsYaml = ''

const spawnPull = (...args: readonly string[]) =>
  spawn(program, ['pull', '--cloud', 'stand', '--url', berth.url, '--token', berth.token, ...args], {
    env: { ...process.env, OS_CLIENT_CONFIG_FILE: cloudsYaml },
  })

async function pull(...args: readonly string[]): Promise<Ran> {
  const ran = await read(spawnPull(...args))
  console.log(`\n$ berth pull --cloud stand ${args.join(' ')}\n${ran.out}${ran.err}`)
  return ran
}

async function ask(method: string, path: string, body?: object) {
  const answer = await fetch(`${berth.url}${path}`, {
    method,
    headers: {
      'x-auth-token': berth.token,
      'content-type': 'application/json',
      'openstack-api-version': 'compute 2.93',
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, json: text === '' ? null : JSON.parse(text) }
}

try {
  const nova = await stand.start(berth, 4)
  cloudsYaml = await stand.writeCloudsYaml(nova)
  await nova.waitForScheduler()
  const [first, second] = await nova.makeAggregates([{ ssd: 'true' }, {}])
  const flavor = await nova.makeFlavor({ 'aggregate_instance_extra_specs:ssd': 'true' })
  const plain = await nova.makeFlavor({})
  const { server_group: group } = await nova.ask('POST', '/os-server-groups', {
    server_group: { name: 'apart', policy: 'anti-affinity' },
  })
  const servers = await nova.settle([
    await nova.boot(plain, {}, { group: group.id }),
    await nova.boot(plain, {}, { group: group.id }),
  ])
  const ids = servers.map(({ id }) => id as string)
  const compute = '/compute/v2.1'

  await claims.claim('a dry run lists what differs and writes nothing', async () => {
    const { code, out } = await pull('--dry-run')
    assert.equal(code, 0)
    assert.match(out, new RegExp(`\\+ flavors ${flavor}`))
    assert.deepEqual((await ask('GET', '/v1/pull')).json, { clouds: [] })
  })
  await claims.claim('a pull brings all of it, and a second one writes nothing', async () => {
    assert.equal((await pull()).code, 0)
    const { code, out } = await pull('--json')
    assert.equal(code, 0)
    for (const kind of JSON.parse(out).kinds)
      assert.equal(kind.created + kind.updated + kind.removed, 0, `${kind.kind} is not in step`)
  })
  await claims.claim('Berth shows what Nova shows', async () => {
    const shown = (await ask('GET', `${compute}/flavors/${flavor}`)).json.flavor
    assert.deepEqual(shown.extra_specs, { 'aggregate_instance_extra_specs:ssd': 'true' })
    const { aggregates } = (await ask('GET', `${compute}/os-aggregates`)).json
    assert.deepEqual(
      aggregates.map(({ hosts }: { hosts: string[] }) => hosts),
      [[first?.host], [second?.host]],
    )
    const { server_group } = (await ask('GET', `${compute}/os-server-groups/${group.id}`)).json
    assert.deepEqual([...server_group.members].sort(), [...ids].sort())
    for (const { id, ...there } of servers) {
      const { server } = (await ask('GET', `${compute}/servers/${id}`)).json
      assert.equal(server.flavor.original_name, plain)
      assert.equal(server['OS-EXT-SRV-ATTR:host'], there['OS-EXT-SRV-ATTR:host'])
    }
  })
  await claims.claim(
    'a what-if asks with the flavor of the cloud: only the host with ssd passes',
    async () => {
      const { status, json } = await ask('POST', '/v1/schedule', { flavor, dry_run: true })
      assert.equal(status, 200, JSON.stringify(json))
      assert.equal(json.placed[0].host, first?.host)
    },
  )
  await claims.claim('--follow sees a compute that is disabled and a server that is new', async () => {
    const following = spawnPull('--follow', '--interval', '5')
    const ended = read(following)
    const { services } = await nova.ask('GET', `/os-services?host=${first?.host}`)
    await nova.ask('PUT', `/os-services/${services[0].id}`, { status: 'disabled', disabled_reason: 'fan' })
    const [added] = await nova.settle([await nova.boot(plain)])
    const untilMs = Date.now() + STEP_MS
    for (;;) {
      const host = (await ask('GET', `/v1/hosts/${first?.host}`)).json
      const { server } = (await ask('GET', `${compute}/servers/${added.id}`)).json
      if (host.disabled_reason === 'fan' && server?.flavor.original_name === plain) break
      assert.ok(Date.now() < untilMs, 'it does not follow')
      await sleep(1_000)
    }
    following.kill('SIGINT')
    const { code, out, err } = await ended
    console.log(`\n$ berth pull --cloud stand --follow --interval 5\n${out}${err}`)
    assert.equal(code, 0)
  })
  await claims.claim('--forget takes it back; the ledger stays', async () => {
    assert.equal((await pull('--forget')).code, 0)
    assert.deepEqual((await ask('GET', '/v1/pull')).json, { clouds: [] })
    assert.equal((await ask('GET', '/placement/resource_providers')).json.resource_providers.length > 3, true)
  })
  process.exitCode = claims.end()
} finally {
  await stand.end()
  await berth.stop()
}
