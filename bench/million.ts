/**
 * A very large cloud: `npm run bench:million [-- --hosts 1000000]`, with two consumers and five allocations on each host.
 * How long a start takes, the memory, candidates and claims. Writes a table and bench/results/million.json. A million
 * hosts take about 10 GiB of memory and a quarter of an hour to load.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from '../scripts/built-berth.ts'
import { table } from '../scripts/markdown-table.ts'
import { machine, quantile, syncsPerSecond } from '../sim/figures/machine.ts'
import { BerthProcess } from './berth-process.ts'
import { claimsOn, onAnyHost } from './claims.ts'
import { loadInBulk } from './loading.ts'
import { type Figures, measure } from './measure.ts'
import { formatNumber, type Judged, judgedTable, keep, type MillionResults } from './results.ts'
import { millionGoals as goals, type ReadScenario, reads, requestsOf } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '5' },
    starts: { type: 'string', default: '3' },
  },
})
const hosts = Number(values.hosts)
const forMs = Number(values.seconds) * 1_000
const SMALL = 1_000
const say = (line = ''): unknown => process.stdout.write(`${line}\n`)

async function readFigures(berth: BerthProcess, size: number): Promise<Map<string, Figures>> {
  const figures = new Map<string, Figures>()
  for (const name of goals.limited) {
    const scenario = reads.used.find(one => one.name === name) as ReadScenario
    const next = requestsOf(scenario, size)
    await measure(berth, next, { clients: 8, forMs, requestsMin: 2_000 })
    const one = await measure(berth, next, { clients: 1, forMs })
    figures.set(name, one)
    say(`${size} hosts ${name}: p50 ${formatNumber(one.p50Ms)} ms, CPU ${formatNumber(one.cpuMs)} ms`)
  }
  return figures
}

async function claimFigures(berth: BerthProcess, size: number): Promise<Figures> {
  const next = claimsOn(onAnyHost(size), size)
  await measure(berth, next, { clients: 64, forMs, requestsMin: 5_000 })
  const figures = await measure(berth, next, { clients: 64, forMs })
  say(
    `${size} hosts claims: ${formatNumber(figures.perSecond)} a second, CPU ${formatNumber(figures.cpuMs)} ms`,
  )
  return figures
}

function bytesOf(directory: string): number {
  return readdirSync(directory)
    .map(name => statSync(join(directory, name)))
    .reduce((sum, { size }) => sum + size, 0)
}

buildIfNeeded()
const syncsBefore = syncsPerSecond()
const load = loadavg()[0] as number
say(`${machine()}; ${formatNumber(syncsBefore)} fdatasync a second; load average ${load.toFixed(1)}`)

const small = new BerthProcess()
await small.start()
await loadInBulk(small.origin, 'used', SMALL)
const smallReads = await readFigures(small, SMALL)
const smallClaims = await claimFigures(small, SMALL)
await small.remove()

const berth = new BerthProcess()
await berth.start()
const importMs = await loadInBulk(berth.origin, 'used', hosts)
say(`import of ${hosts} hosts: ${formatNumber(importMs / 1_000)} s`)
await berth.stop()
const starts: { wallMs: number; cpuMs: number }[] = []
for (let nth = 0; nth < Number(values.starts); nth++) {
  const start = await berth.start()
  starts.push(start)
  say(`start: ${formatNumber(start.wallMs)} ms, CPU ${formatNumber(start.cpuMs)} ms`)
  if (nth < Number(values.starts) - 1) await berth.stop()
}
const residentBytes = berth.residentBytes()
const bigReads = await readFigures(berth, hosts)
const bigClaims = await claimFigures(berth, hosts)
const residentUsedBytes = berth.residentBytes()
await berth.stop()
const data = join(berth.directory, 'data')
const storedBytes = bytesOf(data)
const memory = JSON.parse(
  execFileSync(process.execPath, ['--expose-gc', '--max-old-space-size=12000', 'bench/memory.ts', data], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  }),
)
await berth.remove()

const start = {
  wallMs: quantile(
    starts.map(({ wallMs }) => wallMs),
    0.5,
  ),
  cpuMs: quantile(
    starts.map(({ cpuMs }) => cpuMs),
    0.5,
  ),
}
const judged: Judged[] = [
  {
    what: `start with ${hosts.toLocaleString('en')} hosts and ${memory.allocations.toLocaleString('en')} allocations`,
    figure: start.wallMs / 1_000,
    unit: 's',
    bound: { max: goals.startSecondsMax },
    note: `${formatNumber(start.cpuMs / 1_000)} s of CPU in two threads`,
  },
  {
    what: 'memory, everything included',
    figure: residentUsedBytes / 2 ** 30,
    unit: 'GiB',
    bound: { max: goals.gibMax },
  },
  ...goals.limited.map(
    (name): Judged => ({
      what: `${name} against ${SMALL.toLocaleString('en')} hosts`,
      figure: (bigReads.get(name) as Figures).cpuMs / (smallReads.get(name) as Figures).cpuMs,
      unit: 'times the CPU',
      bound: { max: goals.growthMax },
    }),
  ),
]
say()
say(table(['what', 'figure', 'bound', ''], judgedTable(judged)))
const results: MillionResults = {
  at: new Date().toISOString(),
  machine: machine(),
  loadAverage: load,
  syncsPerSecond: [syncsBefore, syncsPerSecond()],
  hosts,
  importMs,
  start,
  residentBytes,
  residentUsedBytes,
  storedBytes,
  ...memory,
  reads: goals.limited.map(name => ({
    name,
    small: smallReads.get(name) as Figures,
    big: bigReads.get(name) as Figures,
  })),
  claims: { small: smallClaims, big: bigClaims },
  judged,
}
keep('million', results)
