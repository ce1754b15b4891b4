import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from './load.ts'
import { problemText } from './resolve.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-config-'))
})
afterEach(() => rm(dir, { recursive: true }))

async function written(text: string): Promise<string> {
  const path = join(dir, 'berth.json')
  await writeFile(path, text)
  return path
}

const load = (configFlag: string | undefined, env: Record<string, string> = {}, flags = {}) =>
  loadConfig({ flags, configFlag, env, terminal: false })

test('the file that --config names is read', async () => {
  const resolved = await load(await written('{"port": 9000}'))
  expect(resolved).toMatchObject({ ok: true, values: { port: 9000 } })
})

test('the file that BERTH_CONFIG names is read, unless a flag names another', async () => {
  const path = await written('{"port": 9000}')
  expect(await load(undefined, { BERTH_CONFIG: path })).toMatchObject({ ok: true, values: { port: 9000 } })
  const missing = join(dir, 'other.json')
  expect(await load(missing, { BERTH_CONFIG: path })).toMatchObject({ ok: false })
})

test('a byte order mark before the JSON is no error', async () => {
  expect(await load(await written('\uFEFF{"port": 9000}'))).toMatchObject({ ok: true })
})

test('a named file that is missing is a problem, and does not hide the others', async () => {
  const path = join(dir, 'none.json')
  const resolved = await load(undefined, { BERTH_CONFIG: path }, { port: 'x' })
  expect(!resolved.ok && resolved.problems.map(problemText)).toEqual([
    `config = ${path} (environment variable BERTH_CONFIG) does not exist; name a file that can be read with --config or BERTH_CONFIG`,
    'port = x (flag --port) is not a whole number; allowed: 0 to 65535',
  ])
})

test('a file that is no JSON is a problem that says where', async () => {
  const path = await written('{"port": }')
  const resolved = await load(path)
  expect(!resolved.ok && resolved.problems.map(problemText).join()).toContain(
    `config = ${path} (flag --config) is not JSON (`,
  )
})

test('a directory instead of a file is a problem, not a crash', async () => {
  expect(await load(dir)).toMatchObject({ ok: false, problems: [{ wrong: 'cannot be read (EISDIR)' }] })
})
