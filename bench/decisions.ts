/**
 * Decisions with claim, durable on SQLite, over HTTP, and the CPU of choice and claim alone: `npm run bench:schedule
 * [-- --sizes 1000,10000 --only choice --seconds 3 --slices 2 --before DIRECTORY]`. `--before` is a checkout of an earlier commit
 * with its dist/, which is measured too, in turns. Writes bench/results/schedule.json; what a run leaves out stays as it was.
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
import { type Figures, measure, measurePaced, type Target, together } from './measure.ts'
import { type DecisionRow, type Judged, judgedTable, keep, readResults } from './results.ts'
import { bounds } from './scenarios.ts'
import { schedulingCloud } from './scheduling-cloud.ts'
import { loadSchedulingCloud, scheduleRequests } from './scheduling-load.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: bounds.schedule.sizes.join() },
    seconds: { type: 'string', default: '3' },
    slices: { type: 'string', default: '3' },
    /** `choice`, or `server`. */
    only: { type: 'string' },
    before: { type: 'string' },
  },
})
const sizes = values.sizes.split(',').map(Number)
const forMs = Number(values.seconds) * 1_000
const { before } = values
const SLICES = Number(values.slices)
const CLIENTS = 64
/** The size at which the servers of both commits are measured in turns. */
const COMPARED = 10_000
const here = fileURLToPath(new URL('..', import.meta.url))

/** The CPU of a choice among 1,000 hosts and its claim, without HTTP and store: the least of some slices. */
function measureChoice(hosts: number): { readonly now: number; readonly before: number | null } {
  const run = (directory: string): number => {
    const args = [
      'bench/schedule.ts',
      '--json',
      '--hosts',
      String(hosts),
      '--seconds',
      values.seconds,
      '--first',
    ]
    const text = execFileSync(process.execPath, args, { cwd: directory, encoding: 'utf8' })
    return JSON.parse(text)[0].cpuMs
  }
  const all = Array.from(
    { length: SLICES },
    () => [run(here), before === undefined ? null : run(before)] as const,
  )
  const least = (figures: readonly (number | null)[]) => Math.min(...figures.map(one => one ?? Number.NaN))
  return {
    now: least(all.map(([now]) => now)),
    before: before === undefined ? null : least(all.map(([, earlier]) => earlier)),
  }
}

interface Server {
  readonly berth: BerthProcess
  readonly target: Target
  readonly next: ReturnType<typeof scheduleRequests>
  readonly slices: Figures[]
}

async function startServer(hosts: number, main?: string): Promise<Server> {
  const berth = new BerthProcess([], undefined, main)
  await berth.start()
  await loadSchedulingCloud(berth.origin, schedulingCloud(hosts))
  const target = { name: 'berth', url: `${berth.origin}/v1`, pids: () => berth.pids() }
  const server = { berth, target, next: scheduleRequests(), slices: [] }
  // Until the code is compiled.
  await measure(target, server.next, { clients: CLIENTS, forMs: 0, requestsMin: bounds.schedule.warmUps })
  return server
}

async function measureServers(hosts: number): Promise<NonNullable<DecisionRow['server']>> {
  const now = await startServer(hosts)
  const isCompared = before !== undefined && hosts === COMPARED
  const earlier = isCompared ? await startServer(hosts, join(before, 'dist/main.js')) : null
  for (let slice = 0; slice < SLICES; slice++)
    for (const { target, next, slices } of earlier === null ? [now] : [now, earlier])
      slices.push(await measure(target, next, { clients: CLIENTS, forMs }))
  await earlier?.berth.remove()
  const full = together(now.slices)
  const perSecond = Math.min(full.perSecond, bounds.schedule.perSecondMin) / 2
  const half = await measurePaced(now.target, now.next, { clients: CLIENTS, forMs: 2 * forMs, perSecond })
  await now.berth.remove()
  return { full, half, fullBefore: earlier === null ? null : together(earlier.slices) }
}

const load = loadavg()[0] as number
buildIfNeeded()
const syncsBefore = syncsPerSecond()
const known = readResults('schedule')
const rows: DecisionRow[] = []
for (const hosts of bounds.schedule.sizes) {
  const row = known.rows.find(one => one.hosts === hosts) ?? { hosts, choice: null, server: null }
  const isMeasured = sizes.includes(hosts)
  rows.push({
    hosts,
    choice: isMeasured && values.only !== 'server' ? measureChoice(hosts) : row.choice,
    server: isMeasured && values.only !== 'choice' ? await measureServers(hosts) : row.server,
  })
  console.log(JSON.stringify(rows.at(-1)))
}
const judged = judge()
console.log(table(['what', 'figure', 'goal', ''], judgedTable(judged)))
keep('schedule', {
  at: new Date().toISOString(),
  machine: machine(),
  loadAverage: load,
  syncsPerSecond: [syncsBefore, syncsPerSecond()],
  rows,
  judged,
})

function judge(): Judged[] {
  const { perSecondMin, halfP99MsMax, growthMax } = bounds.schedule
  const [usual, large] = [10_000, 100_000].map(hosts => rows.find(row => row.hosts === hosts))
  const judged: Judged[] = []
  if (usual?.server != null) {
    const { full, half } = usual.server
    judged.push({
      what: 'decisions with claim, durable, 10,000 hosts, 64 clients',
      figure: full.perSecond,
      unit: 'a second',
      bound: { min: perSecondMin },
    })
    judged.push({
      what: 'p99 at half of that',
      figure: half.p99Ms,
      unit: 'ms',
      bound: { max: halfP99MsMax },
      note: `at ${Math.round(half.perSecond).toLocaleString('en')} a second`,
    })
  }
  const judgeGrowth = (what: string, figure: number) =>
    judged.push({
      what: `100,000 hosts against 10,000, ${what}`,
      figure,
      unit: 'times the CPU',
      bound: { max: growthMax },
    })
  if (usual?.server != null && large?.server != null)
    judgeGrowth('whole request', large.server.full.cpuMs / usual.server.full.cpuMs)
  if (usual?.choice != null && large?.choice != null)
    judgeGrowth('choice and claim', large.choice.now / usual.choice.now)
  return judged
}
