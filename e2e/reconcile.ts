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
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBuiltBerth } from '../scripts/built-berth.ts'
import { Claims } from './claims.ts'
import type { Nova } from './nova-plugin/nova.ts'
import { Preparation, type StandCloud } from './reconcile/cloud.ts'
import { addForeign, type Damage, Damager, type Finding } from './reconcile/damages.ts'
import { LedgerApi } from './reconcile/ledger.ts'
import { Stand, standOption } from './stand.ts'

const COMPUTES = 7
const UP_MS = 180_000
/** Kinds that show nothing in the stand: it has no volumes, and its Nova does not show properties of images. */
const KINDS_MIN = 20

const { values: options } = parseArgs({
  options: {
    stand: standOption,
    logs: { type: 'string' },
  },
})
const stand = await Stand.open(options.stand, { PYTHONWARNINGS: 'ignore' })
const { runDirectory } = stand
const claims = new Claims(line => console.log(line))
const berth = await startBuiltBerth()
const ledger = new LedgerApi(berth)
const program = fileURLToPath(new URL('../bin/berth', import.meta.url))

const control = async (...words: string[]): Promise<void> =>
  assert.equal((await stand.runScript('ctl.sh', words)).code, 0, words.join(' '))

const runBerth = (args: readonly string[], isShown = false) =>
  stand.run(program, ['reconcile', ...args], {
    isShown,
    env: {
      BERTH_URL: berth.url,
      BERTH_TOKEN: berth.token,
      OS_CLIENT_CONFIG_FILE: join(runDirectory, 'clouds.yaml'),
    },
  })

// biome-ignore lint/suspicious/noExplicitAny: the output of --json
async function reconcile(...more: readonly string[]): Promise<{ code: number; report: any }> {
  const { code, out } = await runBerth(['--cloud', 'stand', '--json', '--settle', '2', ...more])
  return { code, report: JSON.parse(out) }
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

/** Compares with what Nova's own commands find, damaged or not. */
async function compareWithNova(
  damages: readonly Damage[],
  foreign: readonly string[],
  /** The migration that holds the allocations of a server, as part of a damage. */
  swapped: string,
): Promise<void> {
  const manage = (...words: string[]) =>
    stand.runScript('ctl.sh', ['manage', 'placement', ...words], { isShown: false })
  const audit = await manage('audit', '--verbose')
  const heal = await manage('heal_allocations', '--dry-run', '--verbose')
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

/** The hosts come back, and every operation that the damage blocked succeeds. */
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
  const nova = await stand.start(berth, COMPUTES)
  await stand.writeCloudsYaml(nova)
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
  await stand.end(options.logs)
  await berth.stop()
}
