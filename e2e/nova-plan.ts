/**
 * A drain plan of Berth on a real Nova, whose Placement is a built Berth: `berth plan drain`, then the printed commands, run by the real
 * openstack client.
 *
 *   node e2e/nova-plan.ts [--stand DIRECTORY]
 *
 * Needs the stand of ../shared, which installs Debian's Nova, MariaDB and RabbitMQ where they are missing; `npm run build` before. It takes some
 * minutes, and ports from STAND_PORT_BASE (18800) on.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { Nova } from './nova-plugin/nova.ts'

const { values: options } = parseArgs({
  options: {
    stand: { type: 'string', default: fileURLToPath(new URL('../../shared/stands/nova', import.meta.url)) },
  },
})
const { stand } = options
if (!existsSync(join(stand, 'up.sh'))) {
  console.error(`there is no stand at ${stand}: name its directory with --stand`)
  process.exit(2)
}

const claims = new Claims(line => console.log(line))
const directory = await mkdtemp(join(tmpdir(), 'nova-plan-'))
const berth = await startBuiltBerth()
const program = fileURLToPath(new URL('../bin/berth', import.meta.url))
const file = join(directory, 'plan.json')
let script = ''
/** Servers that are to leave their host, and the place of that host in the list. */
const SERVERS = 4
const DRAINED = 4

interface Move {
  readonly instance: string
  readonly from: string
  readonly to: string
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const ran = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } })
  return { code: ran.status ?? 1, out: ran.stdout, err: ran.stderr }
}

const runScript = (name: string, ...args: readonly string[]) =>
  run(join(stand, name), args, { STAND_RUN: join(directory, 'stand') })

function runBerth(...args: readonly string[]) {
  const ran = run(program, [...args, '--url', berth.url, '--token', berth.token], {
    OS_CLIENT_CONFIG_FILE: join(directory, 'clouds.yaml'),
  })
  console.log(`\n$ berth ${args.join(' ')}\n${ran.out}${ran.err}`)
  return ran
}

/** What `berth plan apply --openstack` printed. */
function runMoves(script: string) {
  const ran = run('sh', ['-c', script], {
    OS_CLIENT_CONFIG_FILE: join(directory, 'clouds.yaml'),
    OS_CLOUD: 'stand',
  })
  console.log(`\n$ sh drain.sh\n${ran.out}${ran.err}`)
  return ran
}

const readPlan = async () => (JSON.parse(await readFile(file, 'utf8')) as { moves: Move[] }).moves

async function whereIs(nova: Nova, instance: string): Promise<string> {
  const { server } = await nova.ask('GET', `/servers/${instance}`)
  return server['OS-EXT-SRV-ATTR:host']
}

try {
  const placement = ['--placement-url', `${berth.url}/placement`, '--placement-token', berth.token]
  const up = runScript('up.sh', ...placement, '--computes', '6')
  assert.equal(up.code, 0, `${up.out}${up.err}`)
  const stood = JSON.parse(await readFile(join(directory, 'stand', 'stand.json'), 'utf8'))
  const nova = new Nova(stood.nova, stood.hosts, berth)
  await writeFile(
    join(directory, 'clouds.yaml'),
    `clouds:\n  stand:\n    auth_type: admin_token\n    auth: {token: "admin:demo", endpoint: "${stood.nova}"}\n    compute_endpoint_override: ${stood.nova}\n`,
  )
  await nova.waitForScheduler()
  const flavor = await nova.makeFlavor({})
  const { server_group: apart } = await nova.ask('POST', '/os-server-groups', {
    server_group: { name: 'apart', policy: 'anti-affinity' },
  })
  const from = nova.hosts[DRAINED] as string
  const booted = [await nova.boot(flavor, { host: nova.hosts[0] }, { group: apart.id })]
  for (let nth = 0; nth < SERVERS; nth++)
    booted.push(await nova.boot(flavor, { host: from }, nth === 0 ? { group: apart.id } : undefined))
  for (const { status } of await nova.settle(booted)) assert.equal(status, 'ACTIVE')

  await claims.claim('a drain plan names a new host for each server of the host', async () => {
    assert.equal(runBerth('pull', '--cloud', 'stand').code, 0)
    assert.equal(runBerth('plan', 'drain', from, '--at-once', '2', '--out', file).code, 0)
    const moves = await readPlan()
    assert.equal(moves.length, SERVERS)
    assert.ok(moves.every(move => move.from === from && move.to !== from))
    // The other member of its group is there.
    assert.ok(moves.every(({ instance, to }) => instance !== booted[1] || to !== nova.hosts[0]))
  })
  await claims.claim('it is printed as commands for Nova, which alone may move its servers', async () => {
    const printed = runBerth('plan', 'apply', file, '--openstack')
    assert.match(printed.out, /server migrate --live-migration --wait --host cn\d/)
    script = printed.out
    const refused = runBerth('plan', 'apply', file)
    assert.notEqual(refused.code, 0)
    assert.match(refused.err, /belongs to cloud stand/)
  })
  await claims.claim('run by the openstack client, they leave every server where the plan said', async () => {
    assert.equal(runMoves(script).code, 0)
    for (const { instance, to } of await readPlan()) assert.equal(await whereIs(nova, instance), to)
    const left = runBerth('plan', 'apply', file)
    assert.equal(left.code, 0)
    assert.match(left.err, new RegExp(`${SERVERS} of ${SERVERS} moves are done`))
  })
  await claims.claim(
    'run again, they move nothing, and say that the server is not where it was',
    async () => {
      const again = runMoves(script)
      assert.equal(again.code, 1)
      assert.match(again.err, new RegExp(`is on cn\\d, not on ${from}`))
      for (const { instance, to } of await readPlan()) assert.equal(await whereIs(nova, instance), to)
    },
  )
  process.exitCode = claims.end()
} finally {
  runScript('down.sh')
  await berth.stop()
  await rm(directory, { recursive: true, force: true })
}
