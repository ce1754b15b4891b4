/**
 * Berth alone, at several sizes: `npm run bench [-- --sizes 100,1000 --seconds 2]`. Writes a table, and with all sizes
 * bench/results/alone.json, from which `npm run bench:report` makes docs/performance.md and its pictures.
 */
import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from '../scripts/built-berth.ts'
import { table } from '../scripts/markdown-table.ts'
import { machine, syncsPerSecond } from '../sim/figures/machine.ts'
import { BerthProcess } from './berth-process.ts'
import { claimsOn, onAnyHost } from './claims.ts'
import type { Shape } from './clouds.ts'
import { loadInBulk } from './loading.ts'
import { type Figures, itemsOf, measure } from './measure.ts'
import {
  type AloneResults,
  formatNumber,
  type Judged,
  judgedTable,
  keep,
  type SizeFigures,
} from './results.ts'
import { bounds, type ReadScenario, reads, requestsOf } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: bounds.sizes.join() },
    seconds: { type: 'string', default: '2' },
  },
})
const sizes = values.sizes.split(',').map(Number)
const forMs = Number(values.seconds) * 1_000
const largest = Math.max(...sizes)
const isWhole = bounds.sizes.every(size => sizes.includes(size))

const say = (line = ''): unknown => process.stdout.write(`${line}\n`)
const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  })

async function readFigures(berth: BerthProcess, shape: Shape, hosts: number, scenario: ReadScenario) {
  const next = requestsOf(scenario, hosts)
  const items = await itemsOf(berth, next().path)
  // Until the code is compiled and the summaries of all providers are made.
  await measure(berth, next, { clients: 8, forMs: forMs / 2, requestsMin: 200 })
  const one = await measure(berth, next, { clients: 1, forMs })
  const eight = await measure(berth, next, { clients: 8, forMs })
  const figures: SizeFigures = { shape, hosts, scenario: scenario.name, items, one, eight }
  say(
    `${shape.padEnd(7)}${String(hosts).padStart(7)} ${scenario.name.padEnd(15)}${String(items).padStart(7)} ` +
      `${formatNumber(one.p50Ms).padStart(8)} ${formatNumber(one.p99Ms).padStart(8)} ${formatNumber(one.cpuMs).padStart(8)} ` +
      `${formatNumber(eight.cpuMs).padStart(8)} ${formatNumber(eight.perSecond).padStart(8)}`,
  )
  return figures
}

const all: SizeFigures[] = []
const claims: { hosts: number; clients: number; figures: Figures }[] = []
async function measureClaims(
  berth: BerthProcess,
  hosts: number,
  clients: number,
  next = claimsOn(onAnyHost(hosts)),
) {
  await measure(berth, next, { clients, forMs: forMs / 2 })
  const figures = await measure(berth, next, { clients, forMs: 2 * forMs })
  claims.push({ hosts, clients, figures })
  say(
    `claims ${String(hosts).padStart(7)} hosts ${String(clients).padStart(4)} clients: ${formatNumber(figures.perSecond)} a second, ` +
      `p50 ${formatNumber(figures.p50Ms)} ms, p99 ${formatNumber(figures.p99Ms)} ms, CPU ${formatNumber(figures.cpuMs)} ms`,
  )
}

buildIfNeeded()
const syncsBefore = syncsPerSecond()
const load = loadavg()[0] as number
say(`${machine()}; ${formatNumber(syncsBefore)} fdatasync a second; load average ${load.toFixed(1)}`)
say('shape    hosts scenario         items   p50 ms   p99 ms   CPU ms  CPU ms8  req/s 8')
let bulk = { lines: 0, wallMs: 0 }
const memoryOf = (berth: BerthProcess) =>
  JSON.parse(node('--expose-gc', 'bench/memory.ts', join(berth.directory, 'data')))

for (const [shape, hosts] of [
  ...sizes.map(size => ['flat', size] as const),
  ...sizes.filter(size => size <= 10_000).map(size => ['nested', size] as const),
  ['wide', 10] as const,
]) {
  const berth = new BerthProcess()
  await berth.start()
  const wallMs = await loadInBulk(berth.origin, shape, hosts)
  if (shape === 'flat' && hosts === largest) {
    bulk = { lines: hosts, wallMs }
    say(`import of ${hosts} providers in one stream: ${formatNumber(wallMs / 1_000)} s`)
  }
  for (const scenario of reads[shape])
    if (hosts <= 10_000 || scenario.name !== 'ac-unlimited')
      all.push(await readFigures(berth, shape, hosts, scenario))
  if (shape === 'flat' && hosts >= 1_000)
    for (const clients of [8, 64, 128]) await measureClaims(berth, hosts, clients)
  await berth.remove()
}

/** A separate server, without claims. */
const idle = new BerthProcess()
await idle.start()
await loadInBulk(idle.origin, 'flat', largest)
await idle.stop()
const { providers, stateBytes, summaryBytes } = memoryOf(idle)
const perProvider = { state: stateBytes / providers, summary: summaryBytes / providers }
await idle.remove()

const full = new BerthProcess()
await full.start()
await loadInBulk(full.origin, 'full', largest)
await full.stop()
const memory = memoryOf(full)
const start = await full.start()
const residentBytes = full.residentBytes()
say(
  `start with ${memory.providers} providers and ${memory.allocations} allocations: ${formatNumber(start.wallMs)} ms, ` +
    `CPU ${formatNumber(start.cpuMs)} ms, resident ${formatNumber(residentBytes / 2 ** 20)} MiB`,
)
for (const scenario of reads.full) all.push(await readFigures(full, 'full', largest, scenario))
await full.remove()

const decisions = JSON.parse(node('bench/schedule.ts', '--json', '--hosts', '10000', '--seconds', '2'))
for (const { name, cpuMs } of decisions)
  say(`decision: ${name.padEnd(40)} ${formatNumber(cpuMs).padStart(8)} ms of CPU`)

const syncsAfter = syncsPerSecond()
const judged = judge()
say()
say(table(['what', 'figure', 'bound', ''], judgedTable(judged)))
const results: AloneResults = {
  at: new Date().toISOString(),
  machine: machine(),
  loadAverage: load,
  judged,
  bulk,
  claims,
  decisions,
  syncsPerSecond: [syncsBefore, syncsAfter],
  reads: all,
  start: {
    ...start,
    providers: memory.providers,
    allocations: memory.allocations,
    residentBytes,
    stateBytesPerProvider: perProvider.state,
    summaryBytesPerProvider: perProvider.summary,
    stateBytesOfFull: memory.stateBytes,
  },
}
if (isWhole) keep('alone', results)

function judge(): Judged[] {
  const found = (shape: Shape, hosts: number, name: string) =>
    all.find(one => one.shape === shape && one.hosts === hosts && one.scenario === name)
  const judged: Judged[] = []
  for (const name of bounds.limited) {
    const big = found('flat', largest, name)
    const small = found('flat', 1_000, name)
    if (big === undefined) continue
    const what = `${name} at ${largest.toLocaleString('en')} hosts`
    judged.push({ what, figure: big.one.cpuMs, unit: 'ms of CPU', bound: { max: bounds.limitedCpuMsMax } })
    if (small !== undefined)
      judged.push({
        what: `${what} against 1,000`,
        figure: big.one.cpuMs / small.one.cpuMs,
        unit: 'times the CPU',
        bound: { max: bounds.limitedGrowthMax },
      })
  }
  const wide = found('wide', 10, 'ac-gpu8')
  if (wide !== undefined)
    judged.push({
      what: '8 devices for 8 groups',
      figure: wide.one.p50Ms,
      unit: 'ms',
      bound: { max: bounds.wideMsMax },
    })
  const syncs = Math.min(syncsBefore, syncsAfter)
  const busiest = claims.filter(({ hosts }) => hosts === largest).map(({ figures }) => figures.perSecond)
  judged.push({
    what: `claims at ${largest.toLocaleString('en')} hosts`,
    figure: Math.max(...busiest),
    unit: 'a second',
    bound: { min: bounds.claimsPerSecondMin },
    note: `the disk: ${formatNumber(syncs)} syncs a second`,
  })
  judged.push({ what: 'start', figure: start.wallMs, unit: 'ms', bound: { max: bounds.startMsMax } })
  judged.push({
    what: 'memory a provider',
    figure: perProvider.state + perProvider.summary,
    unit: 'bytes',
    bound: { max: bounds.bytesPerProviderMax },
  })
  judged.push({
    what: 'a decision among 1,000 hosts',
    figure: decisions[0].cpuMs,
    unit: 'ms of CPU',
    bound: { max: bounds.decisionMsMax },
  })
  return judged
}
