import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from './running-berth.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

let berth: Berth
beforeAll(async () => {
  berth = await Berth.start({ demo: true })
})
afterAll(() => berth.end())

test('output into a pipe arrives whole, however slow the reader is', async () => {
  const child = spawn(process.execPath, [MAIN, 'provider', 'list', '--json'], {
    env: { ...process.env, BERTH_URL: berth.server.url, BERTH_TOKEN: 'admin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise(resolve => setTimeout(resolve, 1_500))
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  expect(text.length).toBeGreaterThan(100_000)
  expect(() => JSON.parse(text)).not.toThrow()
})
