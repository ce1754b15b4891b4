import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

/** Runs the program as a process of its own, away from any berth.json. */
function berth(args: string[], env: Record<string, string> = {}, shell?: string) {
  const options = { cwd: tmpdir(), env: { PATH: process.env.PATH ?? '', ...env }, encoding: 'utf8' } as const
  return shell === undefined
    ? spawnSync(process.execPath, [main, ...args], options)
    : spawnSync('/bin/sh', ['-c', shell, process.execPath, main, ...args], options)
}

test('--version is the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(berth(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' })
})

test('the environment and the exit code pass through the process', () => {
  expect(berth(['config'], { BERTH_PORT: 'x' })).toMatchObject({
    status: 78,
    stdout: '',
    stderr:
      'berth: configuration: port = x (environment variable BERTH_PORT) is not a whole number; allowed: 0 to 65535\n',
  })
})

test('a reader that leaves early is no crash', () => {
  expect(berth(['config', '--json'], {}, '"$0" "$@" | head -c 1').stderr).toBe('')
})
