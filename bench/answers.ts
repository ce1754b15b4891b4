/**
 * What people wait for: explanations and what-ifs on 10,000 hosts, and a server that was just started:
 * `npm run bench:answers [-- --hosts 10000 --times 40]`. Writes bench/results/answers.json, from which
 * `npm run bench:report` makes a table of docs/performance.md.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from '../scripts/built-berth.ts'
import { table } from '../scripts/markdown-table.ts'
import { cpuSeconds, machine, quantile, syncsPerSecond } from '../sim/figures/machine.ts'
import { GENESIS } from '../src/store/chain.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'
import type { Snapshot } from '../src/store/store.ts'
import { mirroredTables, type TableName } from '../src/world/tables.ts'
import { BerthProcess } from './berth-process.ts'
import { Connection } from './connection.ts'
import { type AnswersResults, formatNumber, type Judged, judgedTable, keep } from './results.ts'
import { bounds } from './scenarios.ts'
import { schedulingCloud } from './scheduling-cloud.ts'
import type { LongestTurn } from './turn-watch.ts'

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '10000' },
    times: { type: 'string', default: '40' },
    starts: { type: 'string', default: '15' },
  },
})
const hosts = Number(values.hosts)
const times = Number(values.times)
const at = `${hosts.toLocaleString('en')} hosts`
const judged: Judged[] = []
const say = (line: string): unknown => process.stdout.write(`${line}\n`)

function judge(one: Judged): void {
  judged.push(one)
  say(judgedTable([one])[0]?.join(' | ') ?? '')
}

const FLAVORS = [
  { id: 'ssd', name: 'ssd', vcpus: 2, ram: 4_096, disk: 20, extra_specs: { disk: 'ssd' } },
  { id: 'tape', name: 'tape', vcpus: 2, ram: 4_096, disk: 20, extra_specs: { disk: 'tape' } },
  { id: 'huge', name: 'huge', vcpus: 500, ram: 4_096, disk: 20 },
]

interface Question {
  readonly name: string
  readonly path: string
  readonly body: object
  readonly msMax: number
}
const QUESTIONS: readonly Question[] = [
  {
    name: 'explain: the filters refuse every host',
    path: '/v1/explain/schedule',
    body: { flavor: 'tape', zone: 'east' },
    msMax: bounds.explainMsMax,
  },
  {
    name: 'explain: no host has room',
    path: '/v1/explain/schedule',
    body: { flavor: 'huge', zone: 'east' },
    msMax: bounds.explainMsMax,
  },
  {
    name: 'what if: how many fit',
    path: '/v1/simulate',
    body: { flavor: 'ssd', zone: 'east' },
    msMax: bounds.whatIfMsMax,
  },
  {
    name: 'what if: ten more hosts',
    path: '/v1/simulate',
    body: { flavor: 'ssd', zone: 'east', add: [{ like: 'host-000000', count: 10 }] },
    msMax: bounds.whatIfMsMax,
  },
]

/** The cloud of bench/schedule.ts, as a data directory. */
async function fillDirectory(directory: string): Promise<void> {
  mkdirSync(directory, { mode: 0o700, recursive: true })
  const world = schedulingCloud(hosts)
  const names = new Set<string>(mirroredTables.map(({ name }) => name))
  const snapshot: Snapshot = {
    head: GENESIS,
    async *rows(name) {
      if (names.has(name)) yield [...world.rows(name as TableName)]
    },
    close: async () => undefined,
  }
  const store = await openSqlite({ directory, changesAgeMsMax: 86_400_000, changesCountMax: 1_000_000 })
  await store.fill(snapshot)
  await store.close()
}

async function ask(connection: Connection, { path, body }: Pick<Question, 'path' | 'body'>): Promise<number> {
  const sentMs = performance.now()
  const answer = await connection.send('POST', path, JSON.stringify(body), true)
  if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${answer.body}`)
  return performance.now() - sentMs
}

async function measureQuestion(berth: BerthProcess, question: Question): Promise<void> {
  const connection = new Connection(berth.origin)
  const first = await ask(connection, question)
  for (let warm = 0; warm < times / 4; warm++) await ask(connection, question)
  const [pid] = berth.pids() as [number]
  const cpuBefore = cpuSeconds(pid)
  const taken: number[] = []
  for (let nth = 0; nth < times; nth++) taken.push(await ask(connection, question))
  const cpuMs = ((cpuSeconds(pid) - cpuBefore) * 1_000) / times
  connection.close()
  judge({
    what: `${question.name}, ${at}: median`,
    figure: quantile(taken, 0.5),
    unit: 'ms',
    bound: { max: question.msMax },
    note: `the fastest ${formatNumber(Math.min(...taken))} ms; ${formatNumber(cpuMs)} ms of CPU; the first one after a start ${formatNumber(first)} ms`,
  })
}

async function measureTurns(directory: string): Promise<void> {
  const file = join(directory, 'turns.json')
  const watched = new BerthProcess([], directory)
  await watched.start(['--import', new URL('turn-watch.ts', import.meta.url).href], { BENCH_TURNS: file })
  const [pid] = watched.pids() as [number]
  const read = async (): Promise<LongestTurn> => {
    process.kill(pid, 'SIGUSR2')
    while (!existsSync(file)) await sleep(5)
    const longest = JSON.parse(readFileSync(file, 'utf8'))
    rmSync(file)
    return longest
  }
  const connection = new Connection(watched.origin)
  for (const question of QUESTIONS) {
    await read()
    await ask(connection, question)
    const before = await read()
    const first = Math.min(before.cpuMs, before.wallMs)
    for (let warm = 0; warm < times / 4; warm++) await ask(connection, question)
    await read()
    for (let nth = 0; nth < times / 2; nth++) await ask(connection, question)
    const { cpuMs, wallMs } = await read()
    judge({
      what: `${question.name}: longest time without a pause for others`,
      // Both are at least what others waited: the clock counts other processes, and processor time is counted coarsely.
      figure: Math.min(cpuMs, wallMs),
      unit: 'ms',
      bound: { max: bounds.holdUpMsMax },
      note: `${formatNumber(first)} ms at the first one after a start`,
    })
  }
  connection.close()
  await watched.stop()
}

const CANDIDATES = '/allocation_candidates?resources=VCPU:1,MEMORY_MB:1024&limit=10'

async function get(connection: Connection): Promise<number> {
  const sentMs = performance.now()
  const { status } = await connection.send('GET', CANDIDATES)
  if (status !== 200) throw new Error(`candidates were answered with ${status}`)
  return performance.now() - sentMs
}

/** From the start of the process to the end of the first answer. */
async function measureStarts(what: string, directory: string | undefined, judges: boolean): Promise<void> {
  const taken: number[] = []
  const cpu: number[] = []
  for (let nth = 0; nth < Number(values.starts); nth++) {
    const berth = new BerthProcess([], directory)
    const beganMs = performance.now()
    await berth.start()
    const connection = new Connection(berth.url)
    await get(connection)
    taken.push(performance.now() - beganMs)
    cpu.push(1_000 * cpuSeconds(berth.pids()[0] as number))
    connection.close()
    await (directory === undefined ? berth.remove() : berth.stop())
  }
  judge({
    what: `start to first answer, ${what}: median`,
    figure: quantile(taken, 0.5),
    unit: 'ms',
    bound: { max: judges ? bounds.coldStartMsMax : null },
    note: `the fastest ${formatNumber(Math.min(...taken))} ms; ${formatNumber(quantile(cpu, 0.5))} ms of CPU in all threads`,
  })
}

/** The code is not compiled yet. */
async function measureFirstThousand(directory: string): Promise<AnswersResults['early']> {
  const berth = new BerthProcess([], directory)
  await berth.start()
  const connection = new Connection(berth.url)
  const [pid] = berth.pids() as [number]
  const early: { from: number; to: number; p50Ms: number; p99Ms: number; cpuMs: number }[] = []
  let from = 1
  for (const to of [1, 10, 100, 1_000, 10_000]) {
    const cpuBefore = cpuSeconds(pid)
    const taken: number[] = []
    for (let nth = from; nth <= to; nth++) taken.push(await get(connection))
    const cpuMs = ((cpuSeconds(pid) - cpuBefore) * 1_000) / taken.length
    early.push({ from, to, p50Ms: quantile(taken, 0.5), p99Ms: quantile(taken, 0.99), cpuMs })
    from = to + 1
  }
  connection.close()
  await berth.stop()
  return early
}

buildIfNeeded()
const syncsBefore = syncsPerSecond()
const loadAverage = loadavg()[0] as number
const berth = new BerthProcess()
await fillDirectory(join(berth.directory, 'data'))
await berth.start()
const connection = new Connection(berth.origin)
await ask(connection, { path: '/v1/apply?owner=bench', body: { flavors: FLAVORS } })
connection.close()
await berth.stop()
await berth.start()
for (const question of QUESTIONS) await measureQuestion(berth, question)
await berth.stop()
await measureTurns(berth.directory)
await measureStarts('an empty cloud for the first time', undefined, true)
const empty = new BerthProcess()
await empty.start()
await empty.stop()
await measureStarts('an empty cloud again', empty.directory, true)
await measureStarts(at, berth.directory, false)
const early = await measureFirstThousand(berth.directory)
await empty.remove()
await berth.remove()
const results: AnswersResults = {
  at: new Date().toISOString(),
  machine: machine(),
  loadAverage,
  syncsPerSecond: [syncsBefore, syncsPerSecond()],
  judged,
  early,
}
say(table(['what', 'figure', 'goal', ''], judgedTable(judged)))
for (const { from, to, p50Ms, cpuMs } of early)
  say(`requests ${from} to ${to}: p50 ${formatNumber(p50Ms)} ms, ${formatNumber(cpuMs)} ms of CPU`)
if (hosts === bounds.answersHosts) keep('answers', results)
