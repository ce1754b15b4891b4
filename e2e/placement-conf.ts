/**
 * Reads odd files with the real oslo.config and with Berth, and compares value by value; also compares the options themselves.
 * Needs python3-placement. `--seed N --files N` for other random files.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { IniUnreadable, parseIni } from '../src/config/oslo/ini.ts'
import type { OptionValue } from '../src/config/oslo/option.ts'
import { OptionValues, optionText } from '../src/config/oslo/option-values.ts'
import { namesOf, optionGroups } from '../src/config/oslo/options.ts'
import { readOption } from '../src/config/oslo/read-option.ts'
import { Random } from '../src/kernel/random.ts'
import { Claims } from './claims.ts'
import { type Case, handmadeCases, randomCase } from './placement-conf/cases.ts'

type Reading = { readonly value: OptionValue | null } | { readonly error: string }

interface OsloOutput {
  readonly options: readonly {
    readonly name: string
    readonly type: string
    readonly choices: boolean
    readonly others: readonly string[]
  }[]
  readonly readings: readonly (
    | { readonly values: Readonly<Record<string, Reading>> }
    | { readonly error: string }
  )[]
}

const { values: flags } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, files: { type: 'string', default: '1000' } },
})
const DIFFERENCES_SHOWN = 20

const everyOption = optionGroups.flatMap(({ group, options }) => options.map(option => ({ group, option })))
const names = new Set(everyOption.map(({ group, option }) => optionText(group, option.name)))
const random = new Random(Number(flags.seed))
const cases = [...handmadeCases, ...Array.from({ length: Number(flags.files) }, () => randomCase(random))]

const directory = await mkdtemp(join(tmpdir(), 'placement-conf-'))
const oslo = await readWithOslo()
await rm(directory, { recursive: true })
const choices = new Set(oslo.options.filter(one => one.choices).map(({ name }) => name))

async function readWithOslo(): Promise<OsloOutput> {
  const asked = await Promise.all(
    cases.map(async ({ files, env }, number) => ({
      env,
      files: await Promise.all(
        files.map(async (content, at) => {
          const path = join(directory, `${number}-${at}.conf`)
          await writeFile(path, content)
          return path
        }),
      ),
    })),
  )
  const script = fileURLToPath(new URL('placement-conf/read-with-oslo.py', import.meta.url))
  const child = spawn('/usr/bin/python3', [script], {
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', PYTHONWARNINGS: 'ignore' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(asked))
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  return JSON.parse(output) as OsloOutput
}

function readWithBerth({ files, env }: Case): ReadonlyMap<string, Reading> | string {
  let values: OptionValues
  try {
    values = new OptionValues(
      files.map((content, at) => ({ path: String(at), assignments: parseIni(content) })),
      env,
    )
  } catch (error) {
    if (error instanceof IniUnreadable) return error.message
    throw error
  }
  const found = new Map<string, Reading>()
  for (const { group, option } of everyOption) {
    const written = values.find(namesOf(group, option))
    if (written === null) continue
    const reading = readOption(values, option, group, written)
    found.set(optionText(group, option.name), reading.ok ? reading : { error: reading.wrong })
  }
  return found
}

/** For oslo.config, an error in an option that the command line has too fails the whole file. */
const hasError = (readings: ReadonlyMap<string, Reading>): boolean =>
  [...readings.values()].some(one => 'error' in one)

/** For Berth, an empty value of any type means not set. */
const isNothing = (reading: Reading | undefined): boolean =>
  reading === undefined ||
  ('value' in reading &&
    (reading.value === null || (typeof reading.value === 'string' && reading.value.trim() === '')))

/** Where oslo.config fails, Berth must not give a value; but Berth does not check the choices of texts. */
function isSame(name: string, real: Reading | undefined, ours: Reading | undefined): boolean {
  if (real !== undefined && 'error' in real)
    return choices.has(name) || ours === undefined || !('value' in ours) || ours.value === null
  if (isNothing(real) || isNothing(ours)) return isNothing(real) && isNothing(ours)
  return isDeepStrictEqual(real, { value: (ours as { value: OptionValue }).value })
}

function differencesOf(one: Case, number: number): string[] {
  const real = oslo.readings[number] as OsloOutput['readings'][number]
  const ours = readWithBerth(one)
  const show = (name: string, theirs: unknown, mine: unknown) =>
    `${JSON.stringify(one)}\n    ${name}: oslo.config ${JSON.stringify(theirs)}, Berth ${JSON.stringify(mine)}`
  if ('error' in real && typeof ours !== 'string' && hasError(ours)) return []
  if ('error' in real || typeof ours === 'string')
    return 'error' in real && typeof ours === 'string'
      ? []
      : [show('the file', 'error' in real ? real : 'reads it', ours)]
  return oslo.options
    .map(({ name }) => name)
    .filter(name => names.has(name))
    .filter(name => !isSame(name, real.values[name], ours.get(name)))
    .map(name => show(name, real.values[name], ours.get(name)))
}

const claims = new Claims(line => console.log(line))
await claims.claim(`${cases.length} files mean the same to Berth and to oslo.config`, async () => {
  const differences = cases.flatMap(differencesOf)
  assert.equal(
    differences.length,
    0,
    `${differences.length}:\n${differences.slice(0, DIFFERENCES_SHOWN).join('\n')}`,
  )
})
await claims.claim('every option of Placement is known, with its type and its deprecated names', async () => {
  const known = new Map(
    everyOption.flatMap(({ group, option }) =>
      namesOf(group, option).map(
        ([g, n]) => [optionText(g, n), { type: option.type, main: optionText(group, option.name) }] as const,
      ),
    ),
  )
  const missing = oslo.options.flatMap(({ name, type, others }) => {
    const found = known.get(name)
    if (found === undefined) return [`${name} is not known`]
    return [
      ...(found.type === type ? [] : [`${name} is ${type}, not ${found.type}`]),
      ...others
        .filter(other => known.get(other)?.main !== found.main)
        .map(other => `${other} is not known as ${name}`),
    ]
  })
  assert.deepEqual(missing, [])
})
process.exitCode = claims.end()
