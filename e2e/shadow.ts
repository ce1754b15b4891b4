/**
 * Random requests of several clients at once through a Berth that shadows Debian's real Placement: no answer differs, but for known
 * errors of Placement; neither `kill -9` of Berth nor of Placement loses anything.
 *
 *   node e2e/shadow.ts [--requests 3000] [--clients 6] [--seed N] [--sweep 10] [--scale 1] [--placement real]
 *
 * Needs python3-placement, python3-pymysql and mariadb-server (without it Placement runs on SQLite), and `npm run build` before.
 * 200,000 requests take some hours on two cores, most of it in Placement; `--seed N --requests 10000` with other seeds are parts of them. With
 * `--placement berth` another Berth is the Placement, which speaks the same API and is killed in the same way: many more requests in
 * the same time.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { hasMariadb, startMariadb } from '../test/mariadb.ts'
import { Claims } from './claims.ts'
import { Program, runBerth } from './shadow/programs.ts'
import { type RandomRequest, RandomRequests } from './shadow/random-requests.ts'

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '3000' },
    clients: { type: 'string', default: '6' },
    sweep: { type: 'string', default: '10' },
    scale: { type: 'string', default: '1' },
    placement: { type: 'string', default: 'real' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const total = Number(options.requests)
/** Then nothing is sent for a moment: reads that differed are asked again. */
const ROUND = 300

const claims = new Claims(line => console.log(line))
const isReal = options.placement === 'real'
assert.ok(isReal || options.placement === 'berth', '--placement takes real or berth')
const mariadb = isReal && hasMariadb ? await startMariadb() : null
const database =
  mariadb === null ? null : (await mariadb.newDatabase()).replace('mysql://', 'mysql+pymysql://')
const placement = isReal
  ? await Program.placement(database)
  : await Program.berth('--only', 'placement', '--rbac', 'legacy')
const berth = await Program.berth(
  ...['--only', 'placement', '--rbac', 'legacy', '--shadow-of', placement.url],
  ...['--shadow-sweep-per-second', options.sweep],
)
const standIn = isReal ? `Placement on ${database === null ? 'SQLite' : 'MariaDB'}` : 'a Berth as Placement'
console.log(`seed ${options.seed}, ${standIn}`)

interface Shadow {
  readonly differences: number
  readonly known: number
  readonly repairs: number
  readonly orphaned: number
  readonly backlog: Readonly<Record<string, number>>
  readonly sweep: { readonly hurry: string | null }
  readonly counts: readonly { readonly outcome: string; readonly count: number }[]
}

const headers = { 'x-auth-token': 'admin', 'content-type': 'application/json' }
const toll = new Map<string, number>()
const outcomes = new Map<string, number>()
let foreign = 0

async function send({ method, path, minor, body }: RandomRequest, at = berth.url) {
  const answer = await fetch(`${at}${path}`, {
    method,
    headers: { ...headers, 'openstack-api-version': `placement 1.${minor}` },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { answer, text: await answer.text() }
}

async function runClient(requests: RandomRequests, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++) {
    const request = requests.next()
    try {
      const { answer, text } = await send(request)
      toll.set(String(answer.status), (toll.get(String(answer.status)) ?? 0) + 1)
      // Berth's own answers have its security headers, which the real Placement does not send.
      if (isReal && answer.headers.has('x-content-type-options')) foreign++
      if (text.startsWith('{')) requests.learn(request, JSON.parse(text))
    } catch {
      toll.set('none', (toll.get('none') ?? 0) + 1)
      await sleep(200)
    }
  }
}

const status = async (): Promise<Shadow> => {
  const answer = await fetch(`${berth.url}/v1/shadow`, { headers })
  return ((await answer.json()) as { shadow: Shadow }).shadow
}

async function settle(): Promise<Shadow> {
  for (const endMs = Date.now() + 120_000; Date.now() < endMs; await sleep(50)) {
    const shadow = await status()
    if (shadow.orphaned > 0) await restoreConsumers()
    else if (shadow.sweep.hurry === null && Object.values(shadow.backlog).every(count => count === 0))
      return shadow
  }
  throw new Error(`it does not settle: ${JSON.stringify(await status(), null, 1)}`)
}

/** As the manual says where Placement has lost a consumer. */
async function restoreConsumers(): Promise<void> {
  await placement.restoreConsumers()
  outcomes.set('restored', (outcomes.get('restored') ?? 0) + 1)
  const [code, out] = await runBerth(berth.url, 'shadow', 'sweep')
  assert.equal(code, 0, out)
  for (const endMs = Date.now() + 60_000; Date.now() < endMs; await sleep(100))
    if ((await status()).orphaned === 0) return
}

const clients = Array.from(
  { length: Number(options.clients) },
  (_, nth) => new RandomRequests(Number(options.seed) * 100 + nth, Number(options.scale)),
)

let sent = 0

async function runRound(): Promise<void> {
  const each = Math.ceil(ROUND / clients.length)
  await Promise.all(clients.map(one => runClient(one, each)))
  sent += each * clients.length
}

/** Counts of a process end with it. */
async function takeCounts(): Promise<void> {
  const shadow = await settle()
  for (const { outcome, count } of shadow.counts) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count)
  outcomes.set('repairs', (outcomes.get('repairs') ?? 0) + shadow.repairs)
  const [, text] = await runBerth(berth.url, 'shadow', 'differences')
  assert.equal(shadow.differences, 0, text.slice(0, 6_000))
}

async function runUntil(count: number): Promise<void> {
  while (sent < count) {
    await runRound()
    const { differences } = await settle()
    if (sent % 3_000 < ROUND || differences > 0) console.log(`  ${sent} requests, ${differences} differences`)
    if (differences > 0) break
  }
  await takeCounts()
}

/** Kills a program while clients are at work, and starts it again. */
async function killAmid(program: Program): Promise<void> {
  const round = runRound()
  await sleep(400)
  await program.kill9()
  await sleep(300)
  await program.start()
  await round
}

async function expectEqual(): Promise<void> {
  await settle()
  const [code, out] = await runBerth(berth.url, 'compare', '--with', placement.url)
  assert.equal(code, 0, out)
}

try {
  await claims.claim('random requests: no answer differs', () => runUntil(total / 3))
  await claims.claim('kill -9 of Berth amid requests: the ledgers are equal again', async () => {
    await killAmid(berth)
    await expectEqual()
  })
  await claims.claim('no answer differs after that', () => runUntil((2 * total) / 3))
  await claims.claim('kill -9 of Placement amid requests: the ledgers are equal again', async () => {
    await killAmid(placement)
    await expectEqual()
  })
  await claims.claim('no answer differs after that either', async () => {
    await runUntil(total)
    await expectEqual()
  })
  await claims.claim('clients got the answers of Placement only', async () => {
    assert.equal(foreign, 0)
    const requests = new RandomRequests(1)
    for (let left = 100; left > 0; ) {
      const request = requests.next()
      if (request.method !== 'GET') continue
      left--
      const [direct, passed] = [await send(request, placement.url), await send(request)]
      const strip = (text: string) => text.replace(/req-[0-9a-f-]{36}/g, '')
      assert.deepEqual([passed.answer.status, strip(passed.text)], [direct.answer.status, strip(direct.text)])
    }
  })
  await claims.claim(
    'reads, then writes are switched to Berth under load, and back: nothing is lost',
    async () => {
      for (const settings of [['reads=berth'], ['writes=berth'], ['writes=placement'], ['reads=placement']]) {
        const load = runRound()
        await sleep(200)
        const [code, out] = await runBerth(berth.url, 'shadow', 'set', ...settings)
        assert.equal(code, 0, `${settings}: ${out}`)
        await load
        await expectEqual()
      }
      await takeCounts()
    },
  )
  console.log(`${sent} requests; statuses ${JSON.stringify(Object.fromEntries(toll))}`)
  console.log(`comparisons ${JSON.stringify(Object.fromEntries(outcomes))}`)
  process.exitCode = claims.end()
} finally {
  await berth.remove()
  await placement.remove()
  await mariadb?.remove()
}
