/**
 * `berth reconcile` on a real Nova: boots, resizes, moves, evacuates, then damages the ledger in thirty ways. All of it must be found
 * and nothing else; beside it, what `nova-manage placement audit` and `heal_allocations` find. Repairs, undoes, repairs again, and
 * works with the cloud afterwards.
 *
 *   node e2e/reconcile.ts [--stand DIRECTORY] [--logs DIRECTORY]
 *
 * Needs the stand of ../shared, which installs Debian's Nova, MariaDB and RabbitMQ where they are missing; `npm run build` before. It takes some
 * minutes, and ports from STAND_PORT_BASE (18800) on.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBuiltBerth, withoutOurVariables } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import { Nova } from './nova-plugin/nova.ts'
import { Preparation, type StandCloud } from './reconcile/cloud.ts'
import { addForeign, type Damage, Damager, type Finding } from './reconcile/damages.ts'
import { LedgerApi } from './reconcile/ledger.ts'

const COMPUTES = 7
const UP_MS = 180_000
/** Kinds that show nothing in the stand: it has no volumes, and its Nova does not show properties of images. */
const KINDS_MIN = 20

const { values: options } = parseArgs({
  options: {
    stand: { type: 'string', default: fileURLToPath(new URL('../../shared/stands/nova', import.meta.url)) },
    logs: { type: 'string' },
  },
})
const { stand } = options
if (!existsSync(join(stand, 'up.sh'))) {
  console.error(`there is no stand at ${stand}: name its directory with --stand`)
  process.exit(2)
}

const claims = new Claims(line => console.log(line))
const runDirectory = await mkdtemp(join(tmpdir(), 'reconcile-'))
const berth = await startBuiltBerth()
const ledger = new LedgerApi(berth)
const program = fileURLToPath(new URL('../bin/berth', import.meta.url))

let running: ChildProcess | null = null
// What the script started is stopped below, by the stand's own script.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running?.kill())

interface Ended {
  readonly code: number
  readonly out: string
}

async function run(command: string, args: readonly string[], env: object, isShown: boolean): Promise<Ended> {
  const child = spawn(command, args, {
    env: { ...withoutOurVariables(), ...env } as NodeJS.ProcessEnv,
    cwd: runDirectory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running = child
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    if (isShown) process.stdout.write(text)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? 1, out }
}

const runScript = (name: string, args: readonly string[], isShown = true) =>
  run(join(stand, name), args, { STAND_RUN: runDirectory, PYTHONWARNINGS: 'ignore' }, isShown)

const control = async (...words: string[]): Promise<void> =>
  assert.equal((await runScript('ctl.sh', words)).code, 0, words.join(' '))

const runBerth = (args: readonly string[], isShown = false) =>
  run(
    program,
    ['reconcile', ...args],
    {
      BERTH_URL: berth.url,
      BERTH_TOKEN: berth.token,
      OS_CLIENT_CONFIG_FILE: join(runDirectory, 'clouds.yaml'),
    },
    isShown,
  )

// biome-ignore lint/suspicious/noExplicitAny: the output of --json
async function reconcile(...more: readonly string[]): Promise<{ code: number; report: any }> {
  const { code, out } = await runBerth(['--cloud', 'stand', '--json', '--settle', '2', ...more])
  return { code, report: JSON.parse(out) }
}

async function up(): Promise<Nova> {
  const at = ['--placement-url', `${berth.url}/placement`, '--placement-token', berth.token]
  assert.equal((await runScript('up.sh', [...at, '--computes', String(COMPUTES)])).code, 0)
  const { nova, hosts } = JSON.parse(await readFile(join(runDirectory, 'stand.json'), 'utf8'))
  const auth = `{token: 'admin:demo', endpoint: '${nova}'}`
  const cloud = `{auth_type: admin_token, auth: ${auth}, compute_endpoint_override: '${nova}'}`
  await writeFile(join(runDirectory, 'clouds.yaml'), `clouds:\n  stand: ${cloud}\n`)
  return new Nova(nova, hosts, berth)
}

const nameDamage = ({ kind, subject }: Finding) => `${kind} ${subject}`

// biome-ignore lint/suspicious/noExplicitAny: the output of --json
const namesIn = (report: any): string[] =>
  report.findings
    .map((one: { kind: string; subject: { id: string } }) => `${one.kind} ${one.subject.id}`)
    .sort()

async function findAll(damages: readonly Damage[]): Promise<void> {
  assert.ok(new Set(damages.map(({ kind }) => kind)).size >= KINDS_MIN)
  const { code, report } = await reconcile()
  await runBerth(['--cloud', 'stand', '--settle', '2'], true)
  assert.deepEqual(namesIn(report), damages.map(nameDamage).sort())
  assert.equal(code, 1)
}

/** What Nova's own commands say about each damage, and about what is whole. */
async function compareWithNova(
  damages: readonly Damage[],
  foreign: readonly string[],
  /** The migration that holds what is a server's: it is part of that damage. */
  swapped: string,
): Promise<void> {
  const audit = await runScript('ctl.sh', ['manage', 'placement', 'audit', '--verbose'], false)
  const heal = await runScript(
    'ctl.sh',
    ['manage', 'placement', 'heal_allocations', '--dry-run', '--verbose'],
    false,
  )
  const audited = new Set(
    [...audit.out.matchAll(/consumer UUID (\S+) on Resource Provider/g)].map(([, uuid]) => uuid),
  )
  const healed = new Set(
    [...heal.out.matchAll(/(?:Create|Update) allocations for instance (\S+):/g)].map(([, uuid]) => uuid),
  )
  const word = (isSo: boolean) => (isSo ? 'found' : '-').padEnd(7)
  console.log(`\n${'kind'.padEnd(28)}berth   audit   heal_allocations`)
  for (const { kind, subject } of damages)
    console.log(`${kind.padEnd(28)}found   ${word(audited.has(subject))} ${word(healed.has(subject))}`)
  const known = new Set(damages.map(({ subject }) => subject))
  const count = (found: ReadonlySet<string | undefined>) =>
    damages.filter(({ subject }) => found.has(subject)).length
  console.log(`${'in all'.padEnd(28)}${damages.length}      ${count(audited)}       ${count(healed)}`)
  for (const [name, found, code] of [
    ['audit', audited, audit.code],
    ['heal_allocations', healed, heal.code],
  ] as const) {
    const falsely = [...found].filter(uuid => uuid !== undefined && !known.has(uuid) && uuid !== swapped)
    const strangers = falsely.filter(uuid => foreign.includes(uuid as string)).length
    console.log(
      `${name} ends with ${code}; it names ${falsely.length} with which nothing is wrong, ${strangers} of them not Nova's`,
    )
  }
}

async function fixAll(left: readonly Finding[], undoFile: string): Promise<void> {
  const { code, report } = await reconcile('--fix', 'all', '--undo-file', join(runDirectory, undoFile))
  assert.deepEqual(namesIn(report), left.map(nameDamage).sort(), JSON.stringify(report.fixed, null, 1))
  assert.equal(code, 1)
}

async function waitUntilUp(nova: Nova, host: string): Promise<void> {
  const untilMs = Date.now() + UP_MS
  for (;;) {
    const { services } = await nova.ask('GET', `/os-services?binary=nova-compute&host=${host}`)
    if (services[0].state === 'up') return
    assert.ok(Date.now() < untilMs, `${host} does not come up`)
    await sleep(1_000)
  }
}

/** The hosts come back, and every operation that the damage stood in the way of goes through. */
async function useCloud(nova: Nova, { servers }: StandCloud, preparation: Preparation): Promise<void> {
  for (const host of ['cn4', 'cn5', 'cn6', 'cn7']) await control('start', host)
  // Until then Nova does not take the host for up.
  await preparation.untilReleased('leftBehind')
  for (const host of ['cn5', 'cn6'])
    await nova.ask('PUT', `/os-services/${await preparation.serviceOf(host)}`, { forced_down: false })
  await nova.ask('PUT', `/os-services/${await preparation.serviceOf('cn5')}`, { status: 'enabled' })
  for (const host of nova.hosts) await waitUntilUp(nova, host)
  const ids = await Promise.all(nova.hosts.map(host => nova.boot('small', { host })))
  for (const server of await nova.settle(ids)) assert.equal(server.status, 'ACTIVE', server.fault?.message)
  await nova.ask('POST', `/servers/${servers.unheld}/action`, { revertResize: null })
  await nova.ask('POST', `/servers/${servers.waiting}/action`, { confirmResize: null })
  await nova.ask('POST', `/servers/${servers.shelved}/action`, { unshelve: null })
  const untilMs = Date.now() + UP_MS
  for (const name of ['unheld', 'waiting', 'shelved'] as const)
    for (;;) {
      const { server } = await nova.ask('GET', `/servers/${servers[name]}`)
      if (server.status === 'ACTIVE' && server['OS-EXT-STS:task_state'] === null) break
      assert.ok(Date.now() < untilMs, `${name} is ${server.status}`)
      await sleep(500)
    }
  const { report } = await reconcile()
  assert.deepEqual(namesIn(report), [])
  const { servers: all } = await nova.ask('GET', '/servers?all_tenants=1')
  await nova.remove(all.map(({ id }: { id: string }) => id))
}

try {
  const nova = await up()
  const preparation = new Preparation({ nova, ledger, runDirectory, control })
  const cloud = await preparation.prepare()
  const foreign = await addForeign(ledger)
  await claims.claim(
    'a whole cloud has no finding: servers that wait, that were moved, that lie evacuated',
    async () => {
      const { code, report } = await reconcile()
      assert.deepEqual(namesIn(report), [])
      assert.equal(code, 0)
      const left = report.not_judged.map(({ subject }: { subject: { id: string } }) => subject.id)
      assert.ok(left.includes(cloud.servers.leftBehind), 'the evacuated server')
      assert.ok(left.includes(foreign[1]), 'the consumer without a type')
    },
  )
  const kept = Object.entries(await ledger.everything()).filter(([uuid]) => foreign.includes(uuid))
  const damager = new Damager(ledger, nova, cloud)
  const damages = await damager.damageAll()
  const damaged = await ledger.everything()
  await claims.claim(`${damages.length} kinds of damage are found, and nothing else`, () => findAll(damages))
  await compareWithNova(damages, foreign, await cloud.migrationOf('failed'))
  await claims.claim('--fix all leaves only what nova-compute must do', () =>
    fixAll(damager.left, 'undo-1.ndjson'),
  )
  await claims.claim('--undo restores the damage', async () => {
    const { code, out } = await runBerth(['--undo', join(runDirectory, 'undo-1.ndjson')])
    assert.equal(code, 0, out)
    assert.deepEqual(await ledger.everything(), damaged)
  })
  await claims.claim('--fix all again', () => fixAll(damager.left, 'undo-2.ndjson'))
  await claims.claim('the consumers of others are as they were', async () => {
    const now = await ledger.everything()
    for (const [uuid, one] of kept) assert.deepEqual(now[uuid], one)
  })
  await claims.claim('the cloud works: hosts come back, boots, revert, confirm, unshelve', () =>
    useCloud(nova, cloud, preparation),
  )
  await claims.claim('without servers nothing is held but by others', async () => {
    const { report } = await reconcile()
    assert.deepEqual(namesIn(report), [])
    const now = Object.values(await ledger.everything())
    const holders = now.filter(one => Object.keys(one.allocations ?? {}).length > 0).map(({ uuid }) => uuid)
    assert.deepEqual(holders.sort(), [...foreign].sort())
  })
  process.exitCode = claims.end()
} finally {
  if (options.logs !== undefined) await cp(join(runDirectory, 'log'), options.logs, { recursive: true })
  await runScript('down.sh', [])
  await berth.stop()
  await rm(runDirectory, { recursive: true, force: true })
}
