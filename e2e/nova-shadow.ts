/**
 * A cloud moves from Placement to Berth and back while it works: Debian's real Nova talks to a Berth that shadows Debian's real
 * Placement on MariaDB. After each step of docs/how-to/replace-placement.md the checks of the stand pass and both ledgers are equal.
 *
 *   node e2e/nova-shadow.ts [--stand DIRECTORY] [SECTION...]
 *
 * Needs the stand of ../shared, which installs Debian's Nova, MariaDB and RabbitMQ where they are missing, and `npm run build` before.
 * One round of checks takes about five minutes, and there are five. Ports are from STAND_PORT_BASE (18800) on.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Claims } from './claims.ts'
import { Program, runBerth } from './shadow/programs.ts'

const SHOWN = 6_000
const DISCOVERY_MS = 10_000
const base = Number(process.env.STAND_PORT_BASE ?? 18_800)
const placementUrl = `http://127.0.0.1:${base + 10}`
const database = `mysql+pymysql://root@127.0.0.1:${base + 5}/placement`

const { values: options, positionals: sections } = parseArgs({
  allowPositionals: true,
  options: {
    stand: { type: 'string', default: fileURLToPath(new URL('../../shared/stands/nova', import.meta.url)) },
  },
})
const { stand } = options
if (!existsSync(join(stand, 'up.sh'))) {
  console.error(`there is no stand at ${stand}: name its directory with --stand`)
  process.exit(2)
}

const claims = new Claims(line => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`))
const runDirectory = await mkdtemp(join(tmpdir(), 'nova-shadow-'))

async function runScript(name: string, ...args: readonly string[]): Promise<{ code: number; out: string }> {
  const child = spawn(join(stand, name), args, {
    env: { ...process.env, STAND_RUN: runDirectory },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    process.stdout.write(text)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? 1, out }
}

/** Runs a command of `berth` and shows it as a transcript does. */
async function command(...args: readonly string[]): Promise<readonly [number, string]> {
  const [code, out] = await runBerth(berth.url, ...args)
  console.log(`$ berth ${args.join(' ')}\n${out.trimEnd().slice(0, SHOWN)}`)
  return [code, out]
}

/**
 * A section that fails is run once more, by itself. Two upstream errors make sections fail on a loaded machine, with Placement alone too:
 * Placement accepts claims beyond capacity when several for the same host cross (section capacity; docs/how-to/replace-placement.md);
 * and Nova frees the allocations of an evacuated server a moment before it completes the migration, and refuses to put the host up in
 * between, when the check does so (section evacuate).
 */
async function checkNova(): Promise<void> {
  const { code, out } = await runScript('check.sh', ...sections)
  const failed = new Set(Array.from(out.matchAll(/^FAILED (\w+):/gm), ([, section = '']) => section))
  if (failed.size === 0) return expectPassed(code, out)
  console.log(`run once more: ${[...failed].join(' ')}`)
  await forceUp()
  const again = await runScript('check.sh', ...failed)
  expectPassed(again.code, again.out)
}

function expectPassed(code: number, out: string): void {
  const last = out.trimEnd().split('\n').at(-1) ?? ''
  assert.match(last, /^[1-9]\d* passed, 0 failed$/, out.slice(-SHOWN))
  assert.equal(code, 0)
}

async function forceUp(): Promise<void> {
  const url = `http://127.0.0.1:${base}/v2.1/os-services`
  const headers = {
    'x-auth-token': 'admin:demo',
    'content-type': 'application/json',
    'openstack-api-version': 'compute 2.90',
  }
  const { services } = (await (await fetch(url, { headers })).json()) as {
    services: { id: string; forced_down: boolean }[]
  }
  for (const { id } of services.filter(({ forced_down }) => forced_down)) {
    const body = JSON.stringify({ forced_down: false })
    const answer = await fetch(`${url}/${id}`, { method: 'PUT', headers, body })
    assert.equal(answer.status, 200, await answer.text())
  }
}

interface Backlog {
  readonly backlog: Readonly<Record<string, number>>
  readonly sweep: { readonly hurry: string | null; readonly failure: string | null }
}

/** Computes go on writing, so it is a moment that is waited for. */
async function expectEqual(): Promise<void> {
  for (const endMs = Date.now() + 120_000; Date.now() < endMs; await sleep(500)) {
    const [, out] = await runBerth(berth.url, 'shadow', 'status', '--json')
    const { backlog, sweep } = JSON.parse(out) as Backlog
    if (sweep.hurry === null && Object.values(backlog).every(count => count === 0)) break
  }
  const [code, out] = await command('compare', '--with', placementUrl)
  assert.equal(code, 0, out)
  const [differing, found] = await command('shadow', 'differences')
  assert.equal(differing, 0, found.slice(0, SHOWN))
}

/** Another Berth, which is empty and shadows nothing, follows the database of Placement while servers come and go. */
async function importWhileNovaWorks(): Promise<void> {
  const copy = await Program.berth('--only', 'placement', '--rbac', 'legacy')
  const runImport = async () => {
    const [code, out] = await runBerth(copy.url, 'import', 'placement', '--from', database, '--mirror')
    assert.equal(code, 0, out)
    const [, read = '', written = ''] = /^(consumers +\d+)[\s\S]*^(to write .*)$/m.exec(out) ?? []
    console.log(`while Nova works: ${read}, ${written}`)
    return Number(read.replace(/\D/g, ''))
  }
  try {
    let isWorking = true
    let most = 0
    // What it finds counts in the rounds that follow.
    const work = runScript('check.sh', 'boot_and_delete', 'resize').finally(() => {
      isWorking = false
    })
    while (isWorking) {
      most = Math.max(most, await runImport())
      await sleep(1_000)
    }
    await work
    assert(most > 0, 'no import met a server')
    await runImport()
    const [code, out] = await runBerth(copy.url, 'compare', '--with', database)
    assert.equal(code, 0, out)
    console.log(out.trimEnd())
  } finally {
    await copy.remove()
  }
}

async function set(...settings: readonly string[]): Promise<void> {
  const [code, out] = await command('shadow', 'set', ...settings)
  assert.equal(code, 0, out)
}

let berth = null as unknown as Program
try {
  assert.equal((await runScript('real-placement.sh', 'up')).code, 0)
  berth = await Program.berth('--only', 'placement', '--rbac', 'legacy', '--shadow-of', placementUrl)
  await claims.claim('Nova starts with Berth as its Placement, and Placement answers', async () => {
    const up = await runScript('up.sh', '--placement-url', berth.url, '--placement-token', 'admin')
    assert.equal(up.code, 0)
    // The scheduler looks for new computes every few seconds.
    await sleep(DISCOVERY_MS)
  })
  await claims.claim('an empty Berth takes the ledger over while Nova works', importWhileNovaWorks)
  await claims.claim('a shadow that was started empty has the ledger too', async () => {
    await berth.restartEmpty()
    const [code, out] = await command('import', 'placement', '--from', database, '--mirror')
    assert.equal(code, 0, out)
    await expectEqual()
  })
  await claims.claim('in the shadow, Nova has no complaint', checkNova)
  await claims.claim('in the shadow, no answer differed and the ledgers are equal', expectEqual)
  await claims.claim('reads=berth: Nova has no complaint', async () => {
    await set('reads=berth')
    await checkNova()
  })
  await claims.claim('reads=berth: no answer differed and the ledgers are equal', expectEqual)
  await claims.claim('writes=berth: Nova has no complaint', async () => {
    await set('writes=berth')
    await checkNova()
  })
  await claims.claim('writes=berth: Placement refused nothing and the ledgers are equal', expectEqual)
  await claims.claim('back to Placement: Nova has no complaint', async () => {
    await set('writes=placement', 'reads=placement')
    await checkNova()
  })
  await claims.claim('back at Placement: no answer differed and the ledgers are equal', expectEqual)
  await command('shadow', 'status')
  process.exitCode = claims.end()
} finally {
  await runScript('down.sh')
  await runScript('real-placement.sh', 'down')
  await berth?.remove()
  await rm(runDirectory, { recursive: true, force: true })
}
