/**
 * Imports every definition file of a directory into a built Berth, exports them, imports the export into another one, and
 * compares all of it: `node scripts/definitions-round-trip.ts DIRECTORY`.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, promisify } from 'node:util'
import { type BuiltBerth, startBuiltBerth, withoutOurVariables } from './built-berth.ts'

const program = fileURLToPath(new URL('../bin/berth', import.meta.url))
const run = promisify(execFile)

type Definition = Readonly<Record<string, unknown>> & { readonly namespace: string }
interface Report {
  readonly namespaces: readonly { readonly namespace: string; readonly outcome: string }[]
}

const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('name the directory of the definition files')
const files = (await readdir(directory)).filter(name => name.endsWith('.json')).sort()
const failures: string[] = []
const check = (holds: boolean, what: string) => {
  if (!holds) failures.push(what)
}

async function catalog(berth: BuiltBerth, ...words: readonly string[]): Promise<string> {
  const connection = ['--url', berth.url, '--token', berth.token]
  const options = { env: withoutOurVariables() as NodeJS.ProcessEnv, maxBuffer: 1 << 28 }
  return (await run(program, ['catalog', ...words, ...connection], options)).stdout
}

async function imported(berth: BuiltBerth, from: string, merge: string): Promise<Report> {
  return JSON.parse(await catalog(berth, 'import', from, '--merge', merge, '--json'))
}

/** Everything in a file is in its export; an empty container may be missing. */
function compareWithExport(given: Definition, exported: Definition | undefined): void {
  for (const [key, value] of Object.entries(given)) {
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
    const wanted = isEmpty ? undefined : value
    check(
      isDeepStrictEqual(exported?.[key], wanted),
      `${given.namespace}: ${key} is not exported as it was given`,
    )
  }
}

async function texts(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort()
  return Object.fromEntries(
    await Promise.all(names.map(async name => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

const first = await startBuiltBerth('--catalog-builtin', 'false')
const second = await startBuiltBerth('--catalog-builtin', 'false')
const work = await mkdtemp(join(tmpdir(), 'berth-definitions-'))
try {
  const made = await imported(first, directory, 'skip')
  check(
    made.namespaces.length === files.length,
    `${made.namespaces.length} namespaces of ${files.length} files`,
  )
  for (const one of made.namespaces) check(one.outcome === 'created', `${one.namespace} is ${one.outcome}`)

  await catalog(first, 'export', '--output', `${work}/one/`)
  const exported = Object.values(await texts(join(work, 'one'))).map(text => JSON.parse(text) as Definition)
  for (const name of files) {
    const given = JSON.parse(await readFile(join(directory, name), 'utf8')) as Definition
    compareWithExport(
      given,
      exported.find(one => one.namespace === given.namespace),
    )
  }

  for (const one of (await imported(second, join(work, 'one'), 'skip')).namespaces)
    check(one.outcome === 'created', `${one.namespace} of the export is ${one.outcome}`)
  await catalog(second, 'export', '--output', `${work}/two/`)
  check(
    isDeepStrictEqual(await texts(join(work, 'two')), await texts(join(work, 'one'))),
    'the exports differ',
  )

  for (const merge of ['skip', 'add', 'prefer-new', 'overwrite'])
    for (const from of [join(work, 'one'), ...(merge === 'overwrite' ? [] : [directory])])
      for (const one of (await imported(first, from, merge)).namespaces)
        check(
          one.outcome === 'unchanged',
          `${one.namespace} is ${one.outcome} by --merge ${merge} of ${from}`,
        )
} finally {
  await first.stop()
  await second.stop()
  await rm(work, { recursive: true, force: true })
}
for (const failure of failures) console.log(failure)
console.log(`${files.length} files, ${failures.length} differences`)
process.exitCode = failures.length === 0 && files.length > 0 ? 0 : 1
