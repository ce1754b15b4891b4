/**
 * Runs the black-box suites of ../shared on SQLite, on a PostgreSQL from npm and on Debian's MariaDB, and prints how many tests passed.
 *
 *   node conformance/all.ts [--engine sqlite|postgres|mariadb]... [--short]
 *
 * `--short` runs one file for each resource. Needs Debian's python3-gabbi, and
 * mariadb-server for that engine, which runs only if it is asked for.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { keys } from '../src/config/keys.ts'
import { hasMariadb, startMariadb } from '../test/mariadb.ts'
import { startPostgres } from '../test/postgres.ts'

interface Suite {
  readonly name: string
  /** What `conformance/serve` is to serve. */
  readonly service: string
  /** Below ../shared/conformance. */
  readonly runner: string
  readonly args: readonly string[]
  /** What chooses one file for each resource; null where the short run leaves the suite out. */
  readonly short: readonly string[] | null
}

const SHARED = fileURLToPath(new URL('../../shared/conformance/', import.meta.url))
const HERE = fileURLToPath(new URL('.', import.meta.url))

const suites: readonly Suite[] = [
  {
    name: 'placement',
    service: 'placement',
    runner: 'placement/run.py',
    args: ['--latest', '1.39', '--jobs', '2'],
    short: ['--files-from', `${HERE}short/placement.txt`],
  },
  {
    name: 'catalog',
    service: 'catalog',
    runner: 'catalog/run.py',
    args: [],
    short: ['--only', 'namespaces-crud,objects-crud,properties-crud,resource-types,tags-single,schemas'],
  },
  {
    name: 'catalog, better',
    service: 'catalog',
    runner: 'catalog/run.py',
    args: ['--suite', `${SHARED}catalog/suite-better`],
    short: null,
  },
  {
    name: 'share',
    service: 'share',
    runner: 'share/run.py',
    args: [],
    short: ['--only', '^(07|15|20|24)'],
  },
]

const engines = ['sqlite', 'postgres', 'mariadb'] as const
type Engine = (typeof engines)[number]

interface Result {
  readonly suite: string
  readonly engine: Engine
  readonly passed: number
  readonly failed: number
  readonly isGood: boolean
  readonly seconds: number
}

function fail(reason: string): never {
  console.error(`conformance: ${reason}`)
  process.exit(1)
}

/** A service that is not built yet has no suite to pass. */
const isServed = ({ service }: Suite): boolean => keys.only.kind.fromText(service).ok

/** Shows what the runner prints, under the suite's name as others run beside it; its last line has the numbers. */
async function run(suite: Suite, engine: Engine, isShort: boolean, env: NodeJS.ProcessEnv): Promise<Result> {
  const began = performance.now()
  const args = [
    '--start',
    `${HERE}serve ${suite.service}`,
    ...suite.args,
    ...((isShort && suite.short) || []),
  ]
  const child = spawn(SHARED + suite.runner, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let last = ''
  createInterface(child.stdout).on('line', line => {
    console.log(`${suite.name}: ${line}`)
    last = line
  })
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve)
  })
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(last) ?? []
  return {
    suite: suite.name,
    engine,
    passed: Number(passed ?? 0),
    failed: Number(failed ?? 0),
    isGood: status === 0 && Number(passed) > 0,
    seconds: Math.round((performance.now() - began) / 1000),
  }
}

function print(results: readonly Result[]): void {
  const line = (...cells: (string | number)[]) =>
    cells.map((cell, at) => (at < 2 ? String(cell).padEnd(18) : String(cell).padStart(8))).join('')
  console.log(`\n${line('suite', 'engine', 'passed', 'failed', 'seconds')}`)
  for (const { suite, engine, passed, failed, seconds, isGood } of results)
    console.log(`${line(suite, engine, passed, failed, seconds)}${isGood ? '' : '  FAILED'}`)
}

const { values } = parseArgs({
  options: { engine: { type: 'string', multiple: true }, short: { type: 'boolean', default: false } },
})
const wanted = engines.filter(
  engine => values.engine?.includes(engine) ?? (engine !== 'mariadb' || hasMariadb),
)
if (values.engine !== undefined && wanted.length !== values.engine.length)
  fail('--engine is sqlite, postgres or mariadb, each once')
if (wanted.includes('mariadb') && !hasMariadb) fail('there is no mariadbd: install mariadb-server')
const served = suites.filter(suite => isServed(suite) && !(values.short && suite.short === null))
for (const { runner } of served)
  if (!existsSync(SHARED + runner))
    fail(`${SHARED}${runner} is missing: the suites must lie beside this checkout, in ../shared`)
if (spawnSync('/usr/bin/python3', ['-c', 'import gabbi']).status !== 0)
  fail('/usr/bin/python3 has no gabbi: install python3-gabbi')

const postgres = wanted.includes('postgres') ? await startPostgres() : null
const mariadb = wanted.includes('mariadb') ? await startMariadb(['--innodb-flush-log-at-trx-commit=0']) : null
const results: Result[] = []

/** Suites of one runner would look for a free port in the same range: one after the other. */
async function runInTurn(suites: readonly Suite[], engine: Engine): Promise<void> {
  const { DATABASE_URL: _, ...env } = process.env
  const servers = { sqlite: null, postgres, mariadb }
  const url = servers[engine]?.url('')
  const more = url === undefined ? {} : { DATABASE_URL: url }
  for (const suite of suites) results.push(await run(suite, engine, values.short, { ...env, ...more }))
}

try {
  for (const engine of wanted) {
    const runners = Map.groupBy(served, ({ runner }) => runner).values()
    await Promise.all([...runners].map(suites => runInTurn(suites, engine)))
  }
} finally {
  await Promise.all([postgres?.remove(), mariadb?.remove()])
}
print(results)
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1)
