/**
 * Berth under load: `npm run bench:load [-- --sizes 1000,100000 --seconds 3]`. Reads beside claims from 64 clients, and
 * requests at three times what it can answer. Writes tables and bench/results/load.json.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from '../scripts/built-berth.ts'
import { table } from '../scripts/markdown-table.ts'
import { machine, quantile, syncsPerSecond } from '../sim/figures/machine.ts'
import { BerthProcess } from './berth-process.ts'
import { claimsOn, onAnyHost } from './claims.ts'
import { Connection } from './connection.ts'
import { loadInBulk } from './loading.ts'
import type { LoopDelay } from './loop-delay.ts'
import { type Figures, measure, measureBoth, type Request, together } from './measure.ts'
import { type Stream, sendAll } from './open-loop.ts'
import { formatNumber, type Judged, judgedTable, keep, type LoadResults } from './results.ts'
import { loadGoals, type ReadScenario, reads, requestsOf } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: loadGoals.sizes.join() },
    seconds: { type: 'string', default: '3' },
  },
})
const sizes = values.sizes.split(',').map(Number)
const forMs = Number(values.seconds) * 1_000
const TURNS = 3
/** Half of them ask for candidates, half claim. */
const CLIENTS = 64
const OVERLOAD_MS = 20_000
const say = (line = ''): unknown => process.stdout.write(`${line}\n`)
const candidates = reads.flat.find(({ name }) => name === 'ac-nova') as ReadScenario

class LoadedBerth extends BerthProcess {
  readonly #file = join(this.directory, 'loop-delay.json')

  async startWith(hosts: number): Promise<void> {
    const preload = fileURLToPath(new URL('loop-delay.ts', import.meta.url))
    await this.start(['--import', preload], { LOOP_DELAY_FILE: this.#file })
    await loadInBulk(this.origin, 'flat', hosts)
  }

  /** How late its event loop was since the last call. */
  async takeLoopDelay(): Promise<LoopDelay> {
    process.kill(this.pids()[0] as number, 'SIGUSR2')
    while (!existsSync(this.#file)) await sleep(5)
    const delay = JSON.parse(readFileSync(this.#file, 'utf8'))
    rmSync(this.#file)
    return delay
  }
}

const KINDS = ['readsAlone', 'claimsAlone', 'reads', 'claims', 'readsApart', 'claimsApart'] as const

/** `other` has the same cloud: with the reads there, two processes are as fast as they can be, because none follows. */
async function readsBesideClaims(
  berth: LoadedBerth,
  other: LoadedBerth,
  hosts: number,
): Promise<LoadResults['mixed'][number]> {
  const read = requestsOf(candidates, hosts)
  const claim = claimsOn(onAnyHost(hosts), hosts)
  const options = { clients: CLIENTS / 2, forMs }
  for (const one of [berth, other]) await measure(one, read, { clients: 8, forMs, requestsMin: 1_000 })
  await measure(berth, claim, { ...options, requestsMin: 5_000 })
  const of = Object.fromEntries(KINDS.map(kind => [kind, []])) as unknown as Record<
    (typeof KINDS)[number],
    Figures[]
  >
  const delays: LoopDelay[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    of.readsAlone.push(await measure(berth, read, options))
    of.claimsAlone.push(await measure(berth, claim, options))
    await berth.takeLoopDelay()
    const [reads, claims] = await measureBoth([berth, berth], [read, claim], options)
    delays.push(await berth.takeLoopDelay())
    of.reads.push(reads)
    of.claims.push(claims)
    const [readsApart, claimsApart] = await measureBoth([other, berth], [read, claim], options)
    of.readsApart.push(readsApart)
    of.claimsApart.push(claimsApart)
  }
  const figures = Object.fromEntries(KINDS.map(kind => [kind, together(of[kind])])) as Record<
    (typeof KINDS)[number],
    Figures
  >
  for (const kind of KINDS) {
    const { perSecond, p50Ms, p99Ms, cpuMs } = figures[kind]
    say(
      `${String(hosts).padStart(7)} ${kind.padEnd(12)} ${formatNumber(perSecond).padStart(7)} a second  p50 ${formatNumber(p50Ms)} ms  ` +
        `p99 ${formatNumber(p99Ms)} ms  CPU ${formatNumber(cpuMs)} ms`,
    )
  }
  return { hosts, ...figures, loopDelay: slowestOf(delays) }
}

const slowestOf = (delays: readonly LoopDelay[]): LoopDelay => ({
  p50Ms: quantile(
    delays.map(({ p50Ms }) => p50Ms),
    0.5,
  ),
  p99Ms: Math.max(...delays.map(({ p99Ms }) => p99Ms)),
  maxMs: Math.max(...delays.map(({ maxMs }) => maxMs)),
})

/** Health checks on a connection of their own, until `isOver`. */
async function checkHealth(berth: BerthProcess, isOver: () => boolean): Promise<number[]> {
  const connection = new Connection(berth.origin)
  const times: number[] = []
  while (!isOver()) {
    const sentMs = performance.now()
    const { status } = await connection.send('GET', '/readyz')
    if (status !== 200) throw new Error(`/readyz was answered with ${status}`)
    times.push(performance.now() - sentMs)
    await sleep(20)
  }
  connection.close()
  return times
}

async function overload(berth: BerthProcess, hosts: number, capacity: number) {
  const streamsOf = (caller: string, perSecond: number): Stream[] => {
    const token = `${caller}:bench:admin`
    const nexts: readonly (readonly [string, () => Request])[] = [
      ['claims', claimsOn(onAnyHost(hosts), perSecond)],
      ['candidates', requestsOf(candidates, hosts)],
    ]
    return nexts.map(([kind, next]) => ({ name: `${caller} ${kind}`, token, perSecond: perSecond / 2, next }))
  }
  const { factor, modestShare } = loadGoals.overload
  const streams = [
    ...streamsOf('greedy', capacity * (factor - modestShare)),
    ...streamsOf('modest', capacity * modestShare),
  ]
  const residentBefore = berth.residentBytes()
  let isOver = false
  let residentMax = 0
  const watching = setInterval(() => {
    residentMax = Math.max(residentMax, berth.residentBytes())
  }, 100)
  const health = checkHealth(berth, () => isOver)
  const figures = await sendAll(berth.url, streams, OVERLOAD_MS).finally(() => {
    isOver = true
    clearInterval(watching)
  })
  const times = await health
  for (const one of figures)
    say(
      `${one.name.padEnd(18)} sent ${one.sent} answered ${one.answered} refused ${one.refused} p50 ${formatNumber(one.p50Ms)} ms p99 ${formatNumber(one.p99Ms)} ms`,
    )
  const answers = figures.reduce((sum, { answered }) => sum + answered, 0)
  return {
    capacity,
    forMs: OVERLOAD_MS,
    streams: figures,
    answeredPerSecond: answers / (OVERLOAD_MS / 1_000),
    health: { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), maxMs: Math.max(...times) },
    residentGrowthBytes: Math.max(0, residentMax - residentBefore),
  }
}

function judge({ mixed, overload: over }: Pick<LoadResults, 'mixed' | 'overload'>): Judged[] {
  const judged: Judged[] = []
  for (const { hosts, reads, claims, readsApart, claimsApart } of mixed)
    judged.push(
      {
        what: `p50 of candidates beside claims, ${hosts.toLocaleString('en')} hosts`,
        figure: reads.p50Ms / claims.p50Ms,
        unit: 'times that of a claim',
        bound: { max: 1 },
        note: 'a read that waited for a commit would take as long as a claim',
      },
      {
        what: `gain of a second process for reads, at most, ${hosts.toLocaleString('en')} hosts`,
        figure: (readsApart.perSecond + claimsApart.perSecond) / (reads.perSecond + claims.perSecond),
        unit: 'times the requests',
        bound: { min: loadGoals.apartMin },
        note: 'below, one process stays the default',
      },
    )
  if (over === null) return judged
  const { overload } = loadGoals
  const share = (names: RegExp): number => {
    const of = over.streams.filter(({ name }) => names.test(name))
    return of.reduce((sum, one) => sum + one.answered, 0) / of.reduce((sum, one) => sum + one.sent, 0)
  }
  const refused = over.streams.reduce((sum, one) => sum + one.refused, 0)
  const told = over.streams.reduce((sum, one) => sum + one.retryAfter, 0)
  const at = `at ${overload.factor} times the capacity`
  judged.push(
    {
      what: `answered a second ${at}`,
      figure: over.answeredPerSecond / over.capacity,
      unit: 'of the capacity',
      bound: { min: overload.answeredMin },
    },
    {
      what: `claims answered ${at}, against candidates`,
      figure: share(/^greedy claims/) / share(/^greedy candidates/),
      unit: 'times the share',
      bound: { min: 1 },
    },
    {
      what: `a caller below its fair share ${at}`,
      figure: 100 * share(/^modest/),
      unit: '% answered',
      bound: { min: overload.modestMin },
    },
    {
      what: `p99 of health checks ${at}`,
      figure: over.health.p99Ms,
      unit: 'ms',
      bound: { max: overload.healthMsMax },
    },
    {
      what: `refused with Retry-After ${at}`,
      figure: (100 * told) / refused,
      unit: '%',
      bound: { min: 100 },
    },
    {
      what: `memory ${at}`,
      figure: over.residentGrowthBytes / 2 ** 20,
      unit: 'MiB more',
      bound: { max: overload.mibMax },
    },
  )
  return judged
}

buildIfNeeded()
const syncsBefore = syncsPerSecond()
const load = loadavg()[0] as number
say(`${machine()}; ${formatNumber(syncsBefore)} fdatasync a second; load average ${load.toFixed(1)}`)
const mixed: LoadResults['mixed'][number][] = []
let over: LoadResults['overload'] = null
for (const hosts of sizes) {
  const berth = new LoadedBerth()
  const other = new LoadedBerth()
  try {
    await berth.startWith(hosts)
    await other.startWith(hosts)
    const figures = await readsBesideClaims(berth, other, hosts)
    await other.remove()
    mixed.push(figures)
    if (hosts === loadGoals.overload.hosts)
      over = await overload(berth, hosts, figures.reads.perSecond + figures.claims.perSecond)
  } finally {
    await berth.remove()
    await other.remove()
  }
  // After each size, so that an interrupted run has results.
  keep('load', {
    at: new Date().toISOString(),
    machine: machine(),
    loadAverage: load,
    syncsPerSecond: [syncsBefore, syncsPerSecond()],
    mixed,
    overload: over,
    judged: judge({ mixed, overload: over }),
  })
}
say()
say(table(['what', 'figure', 'bound', ''], judgedTable(judge({ mixed, overload: over }))))
