/**
 * `berth pull` from a real Manila.
 *
 *   node e2e/pull-shares.ts [--stand DIRECTORY]
 *
 * Needs the stand of ../shared, and Debian's manila-api, manila-scheduler, manila-share, mariadb-server and python3-pymysql; `npm run build`
 * before. It takes about two minutes.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { backendOf, Manila } from './manila-plugin/manila.ts'

const { values: options } = parseArgs({
  options: {
    stand: { type: 'string', default: fileURLToPath(new URL('../../shared/stands/manila', import.meta.url)) },
  },
})
if (!existsSync(join(options.stand, 'manila_aio.py'))) {
  console.error(`there is no stand at ${options.stand}: name its directory with --stand`)
  process.exit(2)
}

const claims = new Claims(line => console.log(line))
const work = await mkdtemp(join(tmpdir(), 'pull-shares-'))
const stand = join(work, 'stand')
/** The stand keeps its database there. */
const SOCKET = '/dev/shm/manila-db/s.sock'
const hadDatabase = existsSync(SOCKET)
const program = fileURLToPath(new URL('../bin/berth', import.meta.url))
const STEP_MS = 120_000

await cp(options.stand, stand, { recursive: true })
for (const script of ['db_up.sh', 'make_template.sh']) {
  const { status, stderr } = spawnSync(join(stand, script), { encoding: 'utf8', cwd: work })
  assert.equal(status, 0, `${script}: ${stderr}`)
}
const berth = await startBuiltBerth()

async function read(child: ChildProcess) {
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

const spawnBerth = (...args: readonly string[]) =>
  spawn(program, [...args, '--url', berth.url, '--token', berth.token], {
    env: { ...process.env, OS_CLIENT_CONFIG_FILE: join(work, 'clouds.yaml') },
  })

async function run(...args: readonly string[]) {
  const ran = await read(spawnBerth(...args))
  console.log(`\n$ berth ${args.join(' ')}\n${ran.out}${ran.err}`)
  return ran
}

const pull = (...args: readonly string[]) => run('pull', '--cloud', 'stand', ...args)

async function ask(path: string) {
  const answer = await fetch(`${berth.url}${path}`, {
    headers: { 'x-auth-token': berth.token, 'x-openstack-manila-api-version': '2.65' },
  })
  return { status: answer.status, json: JSON.parse(await answer.text()) }
}

async function waitFor(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + STEP_MS
  while (!(await isSo())) {
    assert.ok(Date.now() < untilMs, what)
    await sleep(1_000)
  }
}

const getHere = async (id: string) => (await ask(`/share/v2/shares/${id}`)).json.share
const countWritten = (out: string) =>
  JSON.parse(out)
    .kinds.map(
      (kind: Record<string, number>) => Number(kind.created) + Number(kind.updated) + Number(kind.removed),
    )
    .reduce((sum: number, count: number) => sum + count, 0)

let manila: Manila | null = null
try {
  manila = await Manila.start(stand, join(work, 'manila'), work, [])
  const real = manila
  await writeFile(
    join(work, 'clouds.yaml'),
    `clouds:\n  stand:\n    auth_type: admin_token\n    auth: {token: "admin:ops"}\n    shared_file_system_endpoint_override: ${real.url}\n`,
  )
  const first = await real.create({}, 'on-a1')
  const apart = await real.create({ different_host: first.id })
  const near = await real.create({ same_host: first.id })

  await claims.claim('a dry run lists shares and writes nothing', async () => {
    const { code, out } = await pull('--dry-run')
    assert.equal(code, 0)
    assert.match(out, new RegExp(`\\+ shares ${first.id}`))
    assert.deepEqual((await ask('/v1/pull')).json, { clouds: [] })
  })
  await claims.claim('a pull brings all of it, and a second one writes nothing', async () => {
    assert.equal((await pull()).code, 0)
    const { code, out } = await pull('--json')
    assert.equal(code, 0)
    assert.equal(countWritten(out), 0)
  })
  await claims.claim(
    'Berth shows services, pools with their free space, and shares with hints as Manila does',
    async () => {
      const expected = (await real.ask('GET', '/services?binary=manila-share')).json.services
      const services = (await ask('/share/v2/services')).json.services
      const names = (all: { host: string; status: string }[]) =>
        all.map(({ host, status }) => `${host} ${status}`).sort()
      assert.deepEqual(names(services), names(expected))
      // Manila's scheduler may show the space of new shares late, so that free space follows from the shares that it lists.
      const { pools } = (await ask('/share/v2/scheduler-stats/pools/detail')).json
      const places = [first, apart, near].map(({ place }) => place)
      for (const { name, capabilities } of pools) {
        const taken = places.filter(place => place === name).length
        assert.equal(capabilities.free_capacity_gb, capabilities.total_capacity_gb - taken, name)
      }
      assert.equal(pools.length, (await real.ask('GET', '/scheduler-stats/pools')).json.pools.length)
      for (const { id } of [first, apart, near]) {
        const [here, there] = [await getHere(id), await real.get(id)]
        for (const field of ['host', 'size', 'status', 'share_type_name', 'metadata', 'share_proto'])
          assert.deepEqual(here[field], there[field], `${field} of ${id}`)
      }
    },
  )
  await claims.claim('explain says that the hints hold, and keeps them', async () => {
    const { hints, explanation } = (await ask(`/v1/explain/share/${apart.id}`)).json
    // Manila itself compares pools, so that it may have put both on one back end.
    const isBroken = backendOf(apart.place) === backendOf(first.place)
    assert.deepEqual(hints, [{ kind: 'different_host', share: first.id, same_back_end: isBroken }])
    assert.notEqual(backendOf(explanation.pool), backendOf(first.place))
    assert.equal((await run('explain', 'share', near.id)).code, 0)
  })
  await claims.claim('--follow sees a new share, a moved one and a deleted one', async () => {
    const following = spawnBerth('pull', '--cloud', 'stand', '--follow', '--interval', '5')
    const ended = read(following)
    const added = await real.create({}, 'on-c1')
    await waitFor('the new share does not come', async () => (await getHere(added.id))?.host === added.place)
    const target = ['farm@beta#b1', 'farm@gamma#c1'].find(pool => pool !== apart.place) as string
    assert.equal(await real.move(apart.id, target), 'migration_success')
    await waitFor('the moved share stays', async () => (await getHere(apart.id))?.host === target)
    await real.remove([added.id])
    await waitFor(
      'the deleted share stays',
      async () => (await ask(`/share/v2/shares/${added.id}`)).status === 404,
    )
    following.kill('SIGINT')
    const { code, out, err } = await ended
    console.log(`\n$ berth pull --cloud stand --follow --interval 5\n${out}${err}`)
    assert.equal(code, 0)
  })
  await claims.claim('a disabled service is disabled here, and keeps its pools', async () => {
    await real.ask('PUT', '/services/disable', { host: 'farm@alpha', binary: 'manila-share' })
    await waitFor('it stays enabled', async () => {
      await pull()
      const { services } = (await ask('/share/v2/services')).json
      return services.some(
        ({ host, status }: { host: string; status: string }) =>
          host === 'farm@alpha' && status === 'disabled',
      )
    })
    assert.equal((await getHere(first.id)).host, first.place)
  })
  await claims.claim('--forget takes it back', async () => {
    assert.equal((await pull('--forget')).code, 0)
    assert.deepEqual((await ask('/v1/pull')).json, { clouds: [] })
    assert.deepEqual((await ask('/share/v2/services')).json.services, [])
  })
  process.exitCode = claims.end()
} finally {
  await manila?.stop()
  await berth.stop()
  if (!hadDatabase) spawnSync('mariadb-admin', ['-S', SOCKET, '-uroot', 'shutdown'])
  await rm(work, { recursive: true, force: true })
}
