import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const walk = fileURLToPath(new URL('../test/route-walk.ts', import.meta.url))

/** In a process of its own: what is counted must be compiled after the counter began. */
test('no request, however large and nasty, executes more in one slice than others should wait for', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [walk, '--short'], {
    maxBuffer: 1 << 24,
  }).catch(error => error as { stdout: string })
  const lines = stdout.trimEnd().split('\n')
  const totals = JSON.parse(lines.pop() as string)
  expect(lines).toEqual([])
  expect(totals).toMatchObject({ above: 0, failed: 0 })
  expect(totals.routes).toBeGreaterThan(300)
  expect(totals.counted).toBeGreaterThan(10)
})
