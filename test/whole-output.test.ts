import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from './running-berth.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ demo: true })
})
afterAll(() => berth.end())

test('output into a pipe arrives whole, however slow the reader is', async () => {
  const slowly = '"$0" "$1" fleet --json | (sleep 2; cat)'
  const { stdout } = await promisify(execFile)('sh', ['-c', slowly, process.execPath, MAIN], {
    env: { ...process.env, BERTH_URL: berth.server.url, BERTH_TOKEN: 'admin' },
    maxBuffer: 100_000_000,
  })
  expect(stdout.length).toBeGreaterThan(150_000)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.every(line => JSON.parse(line).uuid !== undefined)).toBe(true)
})
