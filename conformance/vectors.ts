/**
 * Asks a server every question of the vector files and compares the answers.
 *
 *     node conformance/vectors.ts --start "$PWD/conformance/serve all" [--vectors DIR] [FILE...]
 *     node conformance/vectors.ts --url http://127.0.0.1:8778 --token TOKEN [...]
 *
 * The command of --start runs through the shell, with PORT and DATA_DIR in its environment. Without a FILE every
 * file of the directory is asked, and an unknown kind of file is a failure. Rows that a ruling decides
 * otherwise are exceptions, listed by name; one that agrees after all is a failure. The last line is
 * "N agree, N differ, N exceptions"; the exit code is 0 only if none differs and at least one agrees.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../scripts/free-port.ts'
import {
  VECTOR_FILES as files,
  type Questions,
  VECTOR_EXCEPTIONS,
  type VectorException,
} from './vector-files.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows and answers have every shape
type Json = any

interface Server {
  readonly url: string
  readonly token: string
}

const DIFFERENCES_SHOWN_MAX = 20
const VECTORS = fileURLToPath(new URL('../../shared/vectors', import.meta.url))

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      start: { type: 'string' },
      url: { type: 'string' },
      token: { type: 'string', default: 'admin' },
      vectors: { type: 'string', default: VECTORS },
    },
  })
  const unknown = positionals.filter(name => !Object.hasOwn(files, name))
  if (unknown.length > 0) return usage(`no way to ask ${unknown.join(', ')} is known`)
  if ((values.start === undefined) === (values.url === undefined))
    return usage('give either --start or --url')
  const names = positionals.length > 0 ? positionals : await allIn(values.vectors)
  if (values.url !== undefined) return askAll({ url: values.url, token: values.token }, values.vectors, names)
  return withStarted(values.start as string, url =>
    askAll({ url, token: values.token }, values.vectors, names),
  )
}

/** A file of an unknown kind would go unnoticed. */
async function allIn(vectors: string): Promise<string[]> {
  const names = (await readdir(vectors)).filter(name => name.endsWith('.json')).sort()
  const unknown = names.filter(name => !Object.hasOwn(files, name))
  if (unknown.length > 0) throw new Error(`no way to ask ${unknown.join(', ')} is known`)
  return names
}

function usage(reason: string): number {
  console.error(`vectors: ${reason}; files are ${Object.keys(files).join(', ')}`)
  return 64
}

async function askAll(server: Server, vectors: string, names: readonly string[]): Promise<number> {
  const all = { agree: 0, differ: 0, exceptions: 0 }
  for (const name of names) {
    const rows: Json[] = JSON.parse(await readFile(join(vectors, name), 'utf8'))
    const { differences, told, faults } = settled(
      name,
      rows,
      await ask(server, files[name] as Questions, rows),
    )
    const agree = rows.length - differences.length - told.length
    console.log(`${name}: ${agree} of ${rows.length} agree`)
    for (const one of told) console.log(`  exception by ${one.ruling}: ${one.name} (${one.why})`)
    for (const one of differences.slice(0, DIFFERENCES_SHOWN_MAX)) console.log(`  ${JSON.stringify(one)}`)
    for (const fault of faults) console.log(`  ${fault}`)
    all.agree += agree
    all.differ += differences.length + faults.length
    all.exceptions += told.length
  }
  console.log(`${all.agree} agree, ${all.differ} differ, ${all.exceptions} exceptions`)
  return all.differ === 0 && all.agree > 0 ? 0 : 1
}

interface Settled {
  readonly differences: readonly Json[]
  /** The exceptions that differ, as they should. */
  readonly told: readonly VectorException[]
  readonly faults: readonly string[]
}

/** Tells what a ruling decides otherwise from what is wrong. */
function settled(name: string, rows: readonly Json[], found: readonly Json[]): Settled {
  const exceptions = VECTOR_EXCEPTIONS[name] ?? []
  const isTold = (row: Json) => exceptions.some(one => one.covers(row))
  const told = exceptions.filter(one => found.some(({ row }) => one.covers(row)))
  return {
    differences: found.filter(({ row }) => !isTold(row)),
    told,
    faults: exceptions.flatMap(one => {
      const count = rows.filter(one.covers).length
      if (count !== 1) return [`the exception "${one.name}" covers ${count} rows, and should cover one`]
      return told.includes(one) ? [] : [`the exception "${one.name}" (${one.ruling}) no longer differs`]
    }),
  }
}

async function ask(server: Server, questions: Questions, rows: readonly Json[]): Promise<Json[]> {
  const differences: Json[] = []
  for (const [path, some] of requestsOf(questions, rows)) {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-token': server.token },
      body: JSON.stringify(questions.body(some)),
    })
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
    const { results } = (await response.json()) as Json
    if (results.length !== some.length) throw new Error(`${some.length} questions, ${results.length} answers`)
    some.forEach((row, at) => {
      if (!questions.agrees(row, results[at])) differences.push({ row, answer: results[at] })
    })
  }
  return differences
}

function* requestsOf(
  { pathOf, rowsPerRequest }: Questions,
  rows: readonly Json[],
): Generator<[string, Json[]]> {
  for (const [path, same] of Map.groupBy(rows, pathOf))
    for (let from = 0; from < same.length; from += rowsPerRequest)
      yield [path, same.slice(from, from + rowsPerRequest)]
}

async function withStarted(command: string, work: (url: string) => Promise<number>): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'berth-vectors-'))
  const port = await freePort()
  const child = spawn(`exec ${command}`, {
    shell: true,
    env: { ...process.env, PORT: String(port), DATA_DIR: join(directory, 'data') },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  try {
    await answering(url, child)
    return await work(url)
  } finally {
    if (child.exitCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    await rm(directory, { recursive: true, force: true })
  }
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  const untilMs = Date.now() + 30_000
  while (Date.now() < untilMs) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const answer = await fetch(url).catch(() => null)
    if (answer !== null) return void (await answer.body?.cancel())
    await sleep(50)
  }
  throw new Error(`nothing answers at ${url}`)
}

process.exitCode = await main()
