/**
 * Berth beside the real Placement: `npm run bench:peer [-- --placement-checkout DIR --only flat-1000,wide-10]`. Needs
 * Debian, root and ../shared/bench; with a checkout of openstack/placement, upstream's newest is measured too. All are
 * loaded with the same cloud and asked in turns; processor time is that of the server and its database. Writes a table
 * and bench/results/peer.json, where clouds that were not measured stay as they were.
 */
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from '../scripts/built-berth.ts'
import { table } from '../scripts/markdown-table.ts'
import { machine, quantile, syncsPerSecond } from '../sim/figures/machine.ts'
import { BareServer } from './bare-server.ts'
import { BerthProcess } from './berth-process.ts'
import { claimsOn, onAnyHost } from './claims.ts'
import { loadInBulk } from './loading.ts'
import { type Figures, itemsOf, measure, type Request, type Target, together } from './measure.ts'
import { NewestPlacement } from './newest-placement.ts'
import { loadPeer, measureLoading } from './peer-loading.ts'
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
  type Side,
} from './results.ts'
import { newestGoals, type PeerRun, peerRuns, type ReadScenario, reads, requestsOf } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    turns: { type: 'string', default: '3' },
    'placement-checkout': { type: 'string' },
  },
})
const forMs = Number(values.seconds) * 1_000
const turns = Number(values.turns)
const checkout = values['placement-checkout'] === undefined ? null : resolve(values['placement-checkout'])
const newestVersion = checkout === null ? null : NewestPlacement.versionOf(checkout)
const READY_MS = 1_000
/** The `cloud` of what is judged over all of them. */
const ALL = 'all'
const ONE_READER = { clients: 1, requestsToWarm: 500 }
/** After this many of each kind all code of a request is compiled, and nothing compiles during the measurement. */
const WARM_REQUESTS = 2_000
/** A claim runs far more code, in two threads: before this many, a tenth of the CPU is the compiler's. */
const WARM_CLAIMS = 20_000
const nameOf = ({ shape, hosts }: PeerRun): string => `${shape}-${hosts}`
const runs = peerRuns.filter(run => values.only === '' || values.only.split(',').includes(nameOf(run)))

const http = new BareServer('http')
const socket = new BareServer('socket')
const say = (line = ''): unknown => process.stdout.write(`${line}\n`)
const scenarios: PeerScenario[] = []
const judged: Judged[] = []

/** The servers of one cloud; null: not measured. */
interface Sides {
  readonly peer: RealPlacement | null
  readonly newest: NewestPlacement | null
  readonly berth: BerthProcess
  /** With other settings. */
  readonly besides: BerthProcess | null
}

type SideFigures = Readonly<Record<keyof Sides, Figures | null>>

/** All, in turns; each begins equally often. */
async function inTurns(
  sides: Sides,
  next: () => Request,
  { clients, requestsToWarm }: { clients: number; requestsToWarm: number },
): Promise<SideFigures> {
  const there = (['peer', 'newest', 'berth', 'besides'] as const).filter(who => sides[who] !== null)
  const of: Record<keyof Sides, Figures[]> = { peer: [], newest: [], berth: [], besides: [] }
  for (const who of there) {
    const isOurs = who === 'berth' || who === 'besides'
    const warming = isOurs
      ? { clients: 8, forMs, requestsMin: requestsToWarm }
      : { clients, forMs: 1, requestsMin: 2 }
    await measure(sides[who] as Target, next, warming)
  }
  for (let turn = 0; turn < turns; turn++)
    for (let nth = 0; nth < there.length; nth++) {
      const who = there[(turn + nth) % there.length] as keyof Sides
      of[who].push(await measure(sides[who] as Target, next, { clients, forMs, requestsMin: 3 }))
    }
  const figuresOf = (who: keyof Sides): Figures | null => (of[who].length === 0 ? null : together(of[who]))
  return {
    peer: figuresOf('peer'),
    newest: figuresOf('newest'),
    berth: figuresOf('berth'),
    besides: figuresOf('besides'),
  }
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

function note(run: PeerRun, row: Omit<PeerScenario, 'shape' | 'hosts'>): void {
  scenarios.push({ shape: run.shape, hosts: run.hosts, ...row })
  for (const [name, side] of [['8.0', row.peer] as const, ['newest', row.newest] as const])
    if (side !== null)
      say(
        `${nameOf(run).padEnd(12)}${row.scenario.padEnd(28)}${name.padEnd(8)}${`${side.items}/${row.berth.items}`.padStart(10)}` +
          `  CPU ms ${comparison(side.cpuMs, row.berth.cpuMs)}  p50 ${comparison(side.p50Ms, row.berth.p50Ms)}` +
          `  p99 ${comparison(side.p99Ms, row.berth.p99Ms)}`,
      )
}

const comparison = (theirs: number, ours: number): string =>
  `${formatNumber(theirs).padStart(7)} ${formatNumber(ours).padStart(7)} ${`${formatNumber(theirs / ours)}x`.padStart(8)}`

async function withItems(target: Target | null, figures: Figures | null, path: string): Promise<Side | null> {
  return target === null || figures === null ? null : { ...figures, items: await itemsOf(target, path) }
}

async function compareClaims(run: PeerRun, sides: Sides): Promise<void> {
  for (const clients of run.claims?.clients ?? []) {
    const next = claimsOn(onAnyHost(run.hosts), clients)
    const of = await inTurns({ ...sides, besides: null }, next, { clients, requestsToWarm: WARM_CLAIMS })
    const berth = of.berth as Figures
    const sideOf = (figures: Figures | null): Side | null => figures && { ...figures, items: 0 }
    const scenario = `claims-${clients}`
    note(run, {
      scenario,
      peer: sideOf(of.peer),
      newest: sideOf(of.newest),
      berth: { ...berth, items: 0 },
      ready: null,
    })
    const { rateMin, cpuMin } = run.claims as NonNullable<PeerRun['claims']>
    const { claimMin } = newestGoals
    judgeClaims(`${clients} clients`, of.peer, berth, { rateMin, cpuMin })
    judgeClaims(`${clients} clients, against the newest`, of.newest, berth, {
      rateMin: claimMin,
      cpuMin: claimMin,
    })
  }
}

function judgeClaims(
  what: string,
  theirs: Figures | null,
  ours: Figures,
  { rateMin, cpuMin }: { rateMin: number; cpuMin: number },
): void {
  if (theirs === null) return
  const rates = `${formatNumber(ours.perSecond)} a second against ${formatNumber(theirs.perSecond)}`
  judged.push(
    {
      what: `claims a second, ${what}`,
      figure: ours.perSecond / theirs.perSecond,
      unit: 'x',
      bound: { min: rateMin },
      note: `${rates}; ${formatNumber(syncsPerSecond(1_000))} syncs a second`,
    },
    {
      what: `CPU of a claim, ${what}`,
      figure: theirs.cpuMs / ours.cpuMs,
      unit: 'x less',
      bound: { min: cpuMin },
    },
  )
}

/** Requests that Placement 8.0 does not finish. */
async function compareUnfinished(run: PeerRun, sides: Sides): Promise<void> {
  for (const scenario of reads[run.shape]) {
    const max = run.aloneMsMax?.[scenario.name]
    if (max === undefined) continue
    const berth = await compareRead(run, scenario, { ...sides, peer: null, besides: null })
    const what = `${nameOf(run)} ${scenario.name}: ${scenario.about}`
    const note = `${formatNumber(berth.cpuMs)} ms of CPU; Placement 8.0 does not finish it`
    judged.push({ what, figure: berth.p50Ms, unit: 'ms', bound: { max }, note })
  }
}

/** Returns the figures of Berth. */
async function compareRead(run: PeerRun, scenario: ReadScenario, sides: Sides): Promise<Figures> {
  const next = requestsOf(scenario, run.hosts)
  const { path } = next()
  const of = await inTurns(sides, next, ONE_READER)
  const row = {
    peer: await withItems(sides.peer, of.peer, path),
    newest: await withItems(sides.newest, of.newest, path),
  }
  const berth = (await withItems(sides.berth, of.berth, path)) as Side
  const ready = await readyAnswers(berth.bytes)
  note(run, { scenario: scenario.name, ...row, berth, ready })
  const besides = await withItems(sides.besides, of.besides, path)
  if (besides !== null)
    note(run, {
      scenario: `${scenario.name}, ${run.besides?.name}`,
      ...row,
      berth: besides,
      ready: await readyAnswers(besides.bytes),
    })
  judgeRead(run, scenario, { of, ready })
  return berth
}

function judgeRead(
  run: PeerRun,
  { name }: ReadScenario,
  { of, ready }: { of: SideFigures; ready: NonNullable<PeerScenario['ready']> },
): void {
  const berth = of.berth as Figures
  const min = run.cpuRatioMin[name]
  const what = `${nameOf(run)} ${name}`
  const unit = 'x less CPU'
  for (const [theirs, label, least] of [
    [of.peer, what, min],
    [of.newest, `${what}, against the newest`, newestGoals.candidatesMin],
  ] as const) {
    if (theirs === null || least === undefined) continue
    const timesLess = ({ cpuMs }: Figures): string => `${formatNumber(theirs.cpuMs / cpuMs)}x`
    const notes = [
      `with the answer ready ${timesLess(ready.http)} by Node's HTTP server, ${timesLess(ready.socket)} by a bare socket`,
      ...(of.besides === null ? [] : [`${run.besides?.name} ${timesLess(of.besides)}`]),
    ]
    judged.push({
      what: label,
      figure: theirs.cpuMs / berth.cpuMs,
      unit,
      bound: { min: least },
      note: notes.join('; '),
    })
  }
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
  const newest = checkout === null ? null : new NewestPlacement(checkout, peer)
  const berth = new BerthProcess()
  const besides = run.besides === undefined ? null : new BerthProcess(run.besides.flags)
  const sides: Sides = { peer, newest, berth, besides }
  peer.start({ isFresh: true })
  try {
    await berth.start()
    const peerMs = await loadPeer(run, peer, say)
    await newest?.start()
    await loadInBulk(berth.origin, run.shape, run.hosts)
    judged.push(...(await measureLoading(run, peerMs, say)))
    await warm(run, berth)
    if (besides !== null) {
      await besides.start()
      await loadInBulk(besides.origin, run.shape, run.hosts)
      await warm(run, besides)
    }
    for (const scenario of reads[run.shape])
      if (run.cpuRatioMin[scenario.name] !== undefined) await compareRead(run, scenario, sides)
    await compareClaims(run, sides)
    await compareUnfinished(run, sides)
  } finally {
    await berth.remove()
    await besides?.remove()
    newest?.stop()
    peer.stop()
  }
}

// Also when the run is interrupted.
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
  const all = [
    ...before.scenarios.filter(({ shape, hosts }) => isOther(`${shape}-${hosts}`)),
    ...scenarios.filter(({ shape, hosts }) => !isOther(`${shape}-${hosts}`)),
  ]
  keep('peer', {
    at: new Date().toISOString(),
    machine: machine(),
    loadAverage: load,
    syncsPerSecond: [syncsBefore, syncsPerSecond()],
    newestVersion,
    scenarios: all,
    judged: [
      ...before.judged.filter(({ cloud }) => isOther(cloud) && cloud !== ALL),
      ...judged.filter(({ cloud }) => !isOther(cloud)),
      ...judgeMedian(all),
    ],
  })
}

/** Of all searches for candidates, with the default settings of Berth. */
function judgeMedian(all: readonly PeerScenario[]): Judged[] {
  const ratios = all.flatMap(({ newest, berth, scenario }) =>
    newest !== null && scenario.startsWith('ac-') && !scenario.includes(',')
      ? [newest.cpuMs / berth.cpuMs]
      : [],
  )
  if (ratios.length === 0) return []
  const what = 'the median of all candidates rows, against the newest'
  const figure = quantile(ratios, 0.5)
  return [{ what, figure, unit: 'x less CPU', bound: { min: newestGoals.medianMin }, cloud: ALL }]
}

function keptPeer(): Pick<PeerResults, 'scenarios' | 'judged'> {
  if (!existsSync(new URL('results/peer.json', import.meta.url))) return { scenarios: [], judged: [] }
  return readResults('peer')
}
