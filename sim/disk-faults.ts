/**
 * Runs a server on a faulty disk, under load: `node sim/disk-faults.ts [--seed N] [--seconds S] [--rounds N] [--scenario NAME]`.
 * After each scenario the power is cut. Then every acknowledged write must be there, and no write that was answered with
 * "nothing was changed"; writes with an unknown outcome may be either. The seconds are those under the fault. Exits with 1 if
 * anything was wrong.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Random } from '../src/kernel/random.ts'
import { uuid } from '../test/running-berth.ts'
import { FaultyDisk, faultyDiskLibrary } from './disk/faulty-disk.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '1' },
    scenario: { type: 'string' },
  },
})
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const WRITERS = 8

interface Scenario {
  readonly name: string
  /** Depends on the random number, so that rounds differ. */
  readonly rules?: (random: Random) => string[]
  readonly accident?: (directory: string) => void
  /** Longer than others, for faults that show late. */
  readonly msMin?: number
  /** What `/readyz` must answer at the end; null if it does not matter. */
  readonly ready?: number
  /** The server must have ended with this exit code. */
  readonly exit?: number
  /** How the next start ends; default: it starts. */
  readonly next?: number
}

const file = (directory: string, ending = '') => join(directory, `berth.sqlite${ending}`)

const scenarios: readonly Scenario[] = [
  { name: 'power-cut' },
  { name: 'flush-fails', rules: random => [`sync EIO -wal ${1 + random.below(3)}`] },
  { name: 'flush-of-anything-fails', rules: random => [`sync EIO * ${1 + random.below(6)}`] },
  { name: 'write-fails', rules: random => [`write EIO -wal ${1 + random.below(4)}`] },
  { name: 'disk-full', rules: () => ['write ENOSPC *'], ready: 200 },
  { name: 'disk-full-in-the-middle', rules: random => [`write half -wal ${1 + random.below(4)}`] },
  { name: 'removal-fails', rules: () => ['sync EIO -wal 1', 'remove EIO -wal 3'] },
  { name: 'disk-hangs', rules: () => ['sync hang *'], msMin: 6_500, ready: 503 },
  { name: 'database-deleted', accident: directory => rmSync(file(directory)), exit: 70, next: 74 },
  { name: 'log-deleted', accident: directory => rmSync(file(directory, '-wal')), exit: 70 },
  {
    name: 'database-overwritten',
    accident: overwrite,
    exit: 70,
    next: 74,
  },
]

/** With a backup. */
function overwrite(directory: string): void {
  const copy = join(directory, '..', 'copy')
  const database = new DatabaseSync(file(directory), { readOnly: true })
  database.exec(`VACUUM INTO '${copy}'`)
  database.close()
  copyFileSync(copy, file(directory))
}

const EXIT_MS_MAX = 20_000

interface Running {
  readonly child: ChildProcess
  readonly url: string | null
  readonly output: () => string
  readonly ended: Promise<unknown>
}

async function serve(disk: FaultyDisk): Promise<Running> {
  const options = ['--only', 'placement', '--port', '0', '--auth', 'noauth2', '--rbac', 'open']
  const child = spawn(process.execPath, [MAIN, 'serve', ...options, '--data-dir', disk.directory], {
    env: { ...process.env, ...disk.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr?.on('data', chunk => {
    output += chunk
  })
  const ended = once(child, 'exit')
  const url = await new Promise<string | null>(resolve => {
    child.stdout?.on('data', chunk => resolve(/listens on (\S+?),/.exec(String(chunk))?.[1] ?? null))
    void ended.then(() => resolve(null))
  })
  return { child, url, output: () => output, ended }
}

const headers = {
  'x-auth-token': 'admin',
  'openstack-api-version': 'placement 1.39',
  'content-type': 'application/json',
}

type Answer = 'acknowledged' | 'nothing' | 'unknown' | 'gone' | `wrong: ${string}`

async function addProvider(url: string, id: number): Promise<Answer> {
  try {
    const answer = await fetch(`${url}/resource_providers`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: `host-${id}`, uuid: uuid(id) }),
    })
    const text = await answer.text()
    if (answer.status === 200) return 'acknowledged'
    if (answer.status === 507 || answer.status === 503)
      return text.includes('nothing was changed') ? 'nothing' : 'unknown'
    return `wrong: ${answer.status} ${text}`
  } catch {
    return 'gone'
  }
}

async function there(url: string): Promise<Set<string>> {
  const answer = await fetch(`${url}/resource_providers`, { headers })
  const { resource_providers } = (await answer.json()) as { resource_providers: { uuid: string }[] }
  return new Set(resource_providers.map(one => one.uuid))
}

async function writer(url: string, from: number, isOver: () => boolean, answers: Map<number, Answer>) {
  for (let id = from; !isOver(); id++) {
    const answer = await addProvider(url, id)
    answers.set(id, answer)
    if (answer === 'gone') return
  }
}

async function run(scenario: Scenario, random: Random, library: string): Promise<string[]> {
  const disk = new FaultyDisk(library)
  const wrong: string[] = []
  try {
    let server = await serve(disk)
    const answers = new Map<number, Answer>()
    let isOver = false
    const writers = Array.from({ length: WRITERS }, (_, nth) =>
      writer(server.url as string, 1 + nth * 1_000_000, () => isOver, answers),
    )
    await sleep(100 + random.below(300))
    disk.rule(...(scenario.rules?.(random) ?? []))
    scenario.accident?.(disk.directory)
    await sleep(Math.max(Number(values.seconds) * 1_000, scenario.msMin ?? 0))
    if (scenario.ready !== undefined) {
      const { status } = await fetch(`${server.url}/readyz`)
      if (status !== scenario.ready) wrong.push(`/readyz answers ${status}, not ${scenario.ready}`)
    }
    // It ends at the next write; how soon the process is gone depends on the machine.
    if (scenario.exit !== undefined) await Promise.race([server.ended, sleep(EXIT_MS_MAX)])
    if (scenario.exit !== undefined && server.child.exitCode !== scenario.exit)
      wrong.push(`ended with ${server.child.exitCode}, not ${scenario.exit}`)
    isOver = true
    server.child.kill('SIGKILL')
    disk.rule()
    await Promise.all([server.ended, ...writers])
    if (scenario.accident === undefined) disk.cutPower()
    const output = server.output()
    server = await serve(disk)
    if (scenario.next !== undefined) {
      if (server.child.exitCode !== scenario.next)
        wrong.push(`the next start ended with ${server.child.exitCode}`)
    } else if (server.url === null) wrong.push(`does not start again: ${server.output()}`)
    else wrong.push(...missed(answers, await there(server.url)))
    server.child.kill('SIGKILL')
    await server.ended
    process.stdout.write(
      `${scenario.name}: ${countAnswers(answers)}${lastLine(output)}${lastLine(server.output())}\n`,
    )
  } finally {
    disk.remove()
  }
  return wrong
}

function missed(answers: ReadonlyMap<number, Answer>, found: ReadonlySet<string>): string[] {
  const wrong: string[] = []
  for (const [id, answer] of answers) {
    const isThere = found.has(uuid(id))
    if (answer === 'acknowledged' && !isThere) wrong.push(`${id} was acknowledged and is lost`)
    if (answer === 'nothing' && isThere)
      wrong.push(`${id} is there, and was answered with "nothing was changed"`)
    if (answer.startsWith('wrong')) wrong.push(`${id}: ${answer}`)
  }
  return wrong
}

function countAnswers(answers: ReadonlyMap<number, Answer>): string {
  const counts = new Map<string, number>()
  for (const answer of answers.values()) {
    const kind = answer.split(':')[0] as string
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')
}

/** The output of the program, not its log. */
function lastLine(output: string): string {
  const line = output.split('\n').findLast(one => one.startsWith('berth: '))
  return line === undefined ? '' : `\n  ${line}`
}

const library = faultyDiskLibrary()
if (library === null) {
  process.stdout.write('no C compiler: disk faults are left out\n')
  process.exit(0)
}
const chosen = scenarios.filter(({ name }) => values.scenario === undefined || name === values.scenario)
let failed = 0
for (let round = 0; round < Number(values.rounds); round++)
  for (const scenario of chosen) {
    const seed = Number(values.seed) + round
    const wrong = await run(scenario, new Random(seed), library)
    if (wrong.length > 0) failed++
    for (const line of wrong.slice(0, 5)) process.stdout.write(`  WRONG (seed ${seed}): ${line}\n`)
  }
process.exit(failed === 0 ? 0 : 1)
