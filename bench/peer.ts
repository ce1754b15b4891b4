/**
 * Berth beside the real Placement: `npm run bench:peer [-- --only flat-1000,wide-10 --seconds 3]`. Needs Debian, root and
 * ../shared/bench. Both are loaded with the same cloud and asked in turns; processor time is that of the server and its
 * database. Writes a table and bench/results/peer.json, where clouds that were not measured stay as they were.
 */
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from '../scripts/built-berth.ts'
import { table } from '../scripts/markdown-table.ts'
import { machine, quantile, syncsPerSecond } from '../sim/figures/machine.ts'
import { BareServer } from './bare-server.ts'
import { BerthProcess } from './berth-process.ts'
import { claimsOn, onAnyHost } from './claims.ts'
import { providersOf } from './clouds.ts'
import { Connection } from './connection.ts'
import { loadByApi, loadInBulk } from './loading.ts'
import { type Figures, itemsOf, measure, type Request, type Target, together } from './measure.ts'
import { RealPlacement } from './real-placement.ts'
import {
  formatNumber,
  isReached,
  type Judged,
  judgedTable,
  keep,
  type PeerResults,
  type PeerScenario,
  readResults,
} from './results.ts'
import { type PeerRun, peerRuns, type ReadScenario, reads, requestsOf } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    turns: { type: 'string', default: '3' },
  },
})
const forMs = Number(values.seconds) * 1_000
const turns = Number(values.turns)
const READY_MS = 1_000
const ONE_READER = { clients: 1, requestsToWarm: 500 }
/** After this many of each kind all code of a request is compiled, and nothing compiles during the measurement. */
const WARM_REQUESTS = 2_000
/** A claim runs far more code, in two threads: before this many, a tenth of the CPU is the compiler's. */
const WARM_CLAIMS = 20_000
/** Code is compiled once it has run often; loading a cloud is one long request, so it takes several. */
const LOADS_TO_WARM = 8
const LOADS_WHEN_WARM = 3
const nameOf = ({ shape, hosts }: PeerRun): string => `${shape}-${hosts}`
const runs = peerRuns.filter(run => values.only === '' || values.only.split(',').includes(nameOf(run)))

const http = new BareServer('http')
const socket = new BareServer('socket')
const say = (line = ''): unknown => process.stdout.write(`${line}\n`)
const scenarios: PeerScenario[] = []
const judged: Judged[] = []

/** Both, in turns; each begins equally often. */
async function inTurns(
  peer: Target,
  berth: Target,
  next: () => Request,
  { clients, requestsToWarm }: { clients: number; requestsToWarm: number },
): Promise<{ readonly peer: Figures; readonly berth: Figures }> {
  const of = { peer: [] as Figures[], berth: [] as Figures[] }
  await measure(peer, next, { clients, forMs: 1, requestsMin: 2 })
  await measure(berth, next, { clients: 8, forMs, requestsMin: requestsToWarm })
  for (let turn = 0; turn < turns; turn++)
    for (const who of turn % 2 === 0 ? (['peer', 'berth'] as const) : (['berth', 'peer'] as const))
      of[who].push(await measure(who === 'peer' ? peer : berth, next, { clients, forMs, requestsMin: 3 }))
  return { peer: together(of.peer), berth: together(of.berth) }
}

/** The lower bound: the same number of bytes from servers that have them ready. */
async function readyAnswers(bytes: number): Promise<NonNullable<PeerScenario['ready']>> {
  const of = { http: [] as Figures[], socket: [] as Figures[] }
  for (const server of [http, socket]) await server.figures(bytes, READY_MS)
  for (let turn = 0; turn < turns; turn++) {
    of.http.push(await http.figures(bytes, READY_MS))
    of.socket.push(await socket.figures(bytes, READY_MS))
  }
  return { http: together(of.http), socket: together(of.socket) }
}

function note(
  run: PeerRun,
  scenario: string,
  items: readonly [number, number],
  figures: Pick<PeerScenario, 'peer' | 'berth' | 'ready'>,
) {
  const { peer, berth } = figures
  scenarios.push({ shape: run.shape, hosts: run.hosts, scenario, items, ...figures })
  say(
    `${nameOf(run).padEnd(12)}${scenario.padEnd(16)}${items.join('/').padStart(10)}  CPU ms ${formatNumber(peer.cpuMs).padStart(7)} ` +
      `${formatNumber(berth.cpuMs).padStart(7)} ${`${formatNumber(peer.cpuMs / berth.cpuMs)}x`.padStart(8)}  p50 ${formatNumber(peer.p50Ms).padStart(7)} ` +
      `${formatNumber(berth.p50Ms).padStart(7)} ${`${formatNumber(peer.p50Ms / berth.p50Ms)}x`.padStart(8)}  p99 ${formatNumber(peer.p99Ms).padStart(7)} ` +
      `${formatNumber(berth.p99Ms).padStart(7)} ${`${formatNumber(peer.p99Ms / berth.p99Ms)}x`.padStart(8)}`,
  )
}

async function providersIn(target: Target): Promise<number> {
  const connection = new Connection(target.url)
  const { body } = await connection.send('GET', '/resource_providers', null, true)
  connection.close()
  return JSON.parse(body).resource_providers.length
}

async function loadBoth(run: PeerRun, peer: RealPlacement, berth: BerthProcess): Promise<void> {
  const { shape, hosts } = run
  const wanted = Iterator.from(providersOf(shape, hosts)).reduce(sum => sum + 1, 0)
  let there = await providersIn(peer)
  if (there !== 0 && there !== wanted) {
    // An earlier run was stopped while it was loaded.
    peer.start({ isFresh: true })
    there = 0
  }
  const peerMs =
    there === 0 ? await loadByApi(peer, shape, hosts, { clients: 8, progress: progressOf(hosts) }) : null
  const firstMs = await loadInBulk(berth.origin, shape, hosts)
  say(
    `${nameOf(run)}: Placement ${peerMs === null ? 'was loaded' : `${formatNumber(peerMs / 1_000)} s`}, bulk ${formatNumber(firstMs)} ms`,
  )
  if (run.loading === undefined || peerMs === null) return
  const ways = [
    {
      way: 'by the API',
      min: run.loading.apiMin,
      load: (other: BerthProcess, from: number) => loadByApi(other, shape, hosts, { clients: 8, from }),
    },
    {
      way: 'in bulk',
      min: run.loading.bulkMin,
      load: (other: BerthProcess, from: number) => loadInBulk(other.origin, shape, hosts, from),
    },
  ]
  for (const { way, min, load } of ways) {
    const { cold, warm } = await loadedColdAndWarm(hosts, load)
    const what = `loading ${hosts.toLocaleString('en')} hosts ${way}`
    const note = `${formatNumber(peerMs / cold)}x by a server that was started just now`
    judged.push({ what, figure: peerMs / warm, unit: 'x', bound: { min }, note })
    say(
      `${what}: Placement ${formatNumber(peerMs)} ms, Berth ${formatNumber(warm)} ms, ${formatNumber(cold)} ms when started just now`,
    )
  }
}

/** How long it takes a fresh server, and one whose code is compiled: the median of three servers. */
async function loadedColdAndWarm(
  hosts: number,
  load: (berth: BerthProcess, from: number) => Promise<number>,
): Promise<{ readonly cold: number; readonly warm: number }> {
  const cold: number[] = []
  const warm: number[] = []
  for (let time = 0; time < 3; time++) {
    const berth = new BerthProcess()
    try {
      await berth.start()
      const times: number[] = []
      for (let nth = 0; nth < LOADS_TO_WARM + LOADS_WHEN_WARM; nth++)
        times.push(await load(berth, nth * hosts))
      cold.push(times[0] as number)
      warm.push(...times.slice(LOADS_TO_WARM))
    } finally {
      await berth.remove()
    }
  }
  return { cold: quantile(cold, 0.5), warm: quantile(warm, 0.5) }
}

function progressOf(hosts: number): (done: number) => void {
  let toldMs = performance.now()
  return done => {
    if (performance.now() - toldMs < 20_000) return
    toldMs = performance.now()
    say(`  ${done} of ${hosts}`)
  }
}

async function compareClaims(run: PeerRun, peer: Target, berth: Target): Promise<void> {
  for (const clients of run.claims?.clients ?? []) {
    const next = claimsOn(onAnyHost(run.hosts), clients)
    const both = await inTurns(peer, berth, next, { clients, requestsToWarm: WARM_CLAIMS })
    note(run, `claims-${clients}`, [0, 0], { ...both, ready: null })
    const { rateMin, cpuMin } = run.claims as NonNullable<PeerRun['claims']>
    const syncs = syncsPerSecond(1_000)
    const rates = `${formatNumber(both.berth.perSecond)} a second against ${formatNumber(both.peer.perSecond)}; ${formatNumber(syncs)} syncs a second`
    judged.push(
      {
        what: `claims a second, ${clients} clients`,
        figure: both.berth.perSecond / both.peer.perSecond,
        unit: 'x',
        bound: { min: rateMin },
        note: rates,
      },
      {
        what: `CPU of a claim, ${clients} clients`,
        figure: both.peer.cpuMs / both.berth.cpuMs,
        unit: 'x less',
        bound: { min: cpuMin },
      },
    )
  }
}

/** Requests that Placement does not finish. */
async function measureAlone(run: PeerRun, berth: Target): Promise<void> {
  for (const scenario of reads[run.shape]) {
    const max = run.aloneMsMax?.[scenario.name]
    if (max === undefined) continue
    const next = requestsOf(scenario, run.hosts)
    await measure(berth, next, { clients: 8, forMs, requestsMin: 500 })
    const { p50Ms, cpuMs } = await measure(berth, next, { clients: 1, forMs })
    const what = `${nameOf(run)} ${scenario.name}: ${scenario.about}`
    judged.push({ what, figure: p50Ms, unit: 'ms', bound: { max }, note: `${formatNumber(cpuMs)} ms of CPU` })
    say(`${what}: p50 ${formatNumber(p50Ms)} ms`)
  }
}

interface Sides {
  readonly peer: RealPlacement
  readonly berth: BerthProcess
  /** With other settings. */
  readonly besides: BerthProcess | null
}

async function compareRead(run: PeerRun, scenario: ReadScenario, min: number, sides: Sides): Promise<void> {
  const { peer, berth, besides } = sides
  const next = requestsOf(scenario, run.hosts)
  const first = next().path
  const items = [await itemsOf(peer, first), await itemsOf(berth, first)] as const
  const both = await inTurns(peer, berth, next, ONE_READER)
  const ready = await readyAnswers(both.berth.bytes)
  note(run, scenario.name, items, { ...both, ready })
  const timesLess = ({ cpuMs }: Figures): string => `${formatNumber(both.peer.cpuMs / cpuMs)}x`
  const notes = [
    `with the answer ready ${timesLess(ready.http)} by Node's HTTP server, ${timesLess(ready.socket)} by a bare socket`,
  ]
  if (besides !== null && run.besides !== undefined) {
    const other = await inTurns(peer, besides, next, ONE_READER)
    const otherItems = [items[0], await itemsOf(besides, first)] as const
    note(run, `${scenario.name}, ${run.besides.name}`, otherItems, {
      ...other,
      ready: await readyAnswers(other.berth.bytes),
    })
    notes.push(`${run.besides.name} ${formatNumber(other.peer.cpuMs / other.berth.cpuMs)}x`)
  }
  judged.push({
    what: `${nameOf(run)} ${scenario.name}`,
    figure: both.peer.cpuMs / both.berth.cpuMs,
    unit: 'x less CPU',
    bound: { min },
    note: notes.join('; '),
  })
  if (items[0] !== items[1]) say(`  ${items[0]} candidates against ${items[1]}`)
}

/** Warms the server up for all scenarios. */
async function warm(run: PeerRun, berth: BerthProcess): Promise<void> {
  for (const scenario of reads[run.shape]) {
    if (run.cpuRatioMin[scenario.name] === undefined) continue
    const next = requestsOf(scenario, run.hosts)
    await measure(berth, next, { clients: 8, forMs, requestsMin: WARM_REQUESTS })
  }
}

async function compare(run: PeerRun): Promise<void> {
  const peer = new RealPlacement(nameOf(run))
  const berth = new BerthProcess()
  const besides = run.besides === undefined ? null : new BerthProcess(run.besides.flags)
  peer.start({ isFresh: run.loading !== undefined })
  try {
    await berth.start()
    await loadBoth(run, peer, berth)
    await warm(run, berth)
    if (besides !== null) {
      await besides.start()
      await loadInBulk(besides.origin, run.shape, run.hosts)
      await warm(run, besides)
    }
    for (const scenario of reads[run.shape]) {
      const min = run.cpuRatioMin[scenario.name]
      if (min !== undefined) await compareRead(run, scenario, min, { peer, berth, besides })
    }
    await compareClaims(run, peer, berth)
    await measureAlone(run, berth)
  } finally {
    await berth.remove()
    await besides?.remove()
    peer.stop()
  }
}

// Also when the run is interrupted; databases stay, so that the next one need not load them.
process.once('exit', () => RealPlacement.stopAll())
buildIfNeeded()
await http.start()
await socket.start()
const syncsBefore = syncsPerSecond()
const load = loadavg()[0] as number
say(`${machine()}; ${formatNumber(syncsBefore)} fdatasync a second; load average ${load.toFixed(1)}`)
const least = await readyAnswers(2)
say(
  `an empty answer: ${formatNumber(least.http.cpuMs)} ms of CPU by Node's HTTP server, ${formatNumber(least.socket.cpuMs)} ms by a bare socket`,
)
for (const run of runs) {
  const from = judged.length
  await compare(run)
  for (const [at, one] of judged.entries()) if (at >= from) judged[at] = { ...one, cloud: nameOf(run) }
  // After each cloud, so that an interrupted run has results.
  keepSoFar(nameOf(run))
}
http.stop()
socket.stop()
say()
say(table(['what', 'figure', 'bound', ''], judgedTable(judged)))
say(`${judged.filter(isReached).length} of ${judged.length} reached`)

/** Keeps results that were not measured this time. */
function keepSoFar(measured: string): void {
  const before = keptPeer()
  const isOther = (cloud: string | undefined) => cloud !== measured
  keep('peer', {
    at: new Date().toISOString(),
    machine: machine(),
    loadAverage: load,
    syncsPerSecond: [syncsBefore, syncsPerSecond()],
    scenarios: [
      ...before.scenarios.filter(({ shape, hosts }) => isOther(`${shape}-${hosts}`)),
      ...scenarios.filter(({ shape, hosts }) => !isOther(`${shape}-${hosts}`)),
    ],
    judged: [
      ...before.judged.filter(({ cloud }) => isOther(cloud)),
      ...judged.filter(({ cloud }) => !isOther(cloud)),
    ],
  })
}

function keptPeer(): Pick<PeerResults, 'scenarios' | 'judged'> {
  return existsSync(new URL('results/peer.json', import.meta.url))
    ? readResults('peer')
    : { scenarios: [], judged: [] }
}
