import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { flagOf, keyNames, variableOf } from '../config/keys.ts'
import { normalizeArgv } from './args/argv.ts'
import { commands } from './commands/registry.ts'
import { FakeEnvironment } from './process-environment.fixture.ts'
import { runProgram } from './program.ts'

async function run(args: string[], env: Record<string, string> = {}) {
  const around = new FakeEnvironment(env)
  return { exitCode: await runProgram(args, around), out: around.stdout, err: around.stderr }
}

test('--version prints the version and nothing else', async () => {
  const { exitCode, out, err } = await run(['--version'])
  expect([exitCode, out.text, err.text]).toEqual([0, '1.2.3\n', ''])
})

test('--help names every command', async () => {
  const { exitCode, out } = await run(['--help'])
  expect(exitCode).toBe(0)
  for (const { name, summary } of commands)
    expect(out.text).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'))
})

test.each(['serve', 'config', 'verify'])('%s --help has examples and exit codes', async name => {
  const { exitCode, out } = await run([name, '--help'])
  expect(exitCode).toBe(0)
  expect(out.text).toContain('Examples:')
  expect(out.text).toContain('Exit codes:')
  expect(out.text).toMatch(/^ {2}78 {2}/m)
})

test.each(['serve', 'config'])('%s --help shows the flag and the variable of every key', async name => {
  const { out } = await run([name, '--help'])
  const text = out.text.replace(/\s+/g, ' ')
  for (const key of keyNames) {
    expect(text).toContain(` ${flagOf(key)} `)
    expect(text).toContain(`env: ${variableOf(key)})`)
  }
})

test('help stays within 80 columns where it is wrapped', async () => {
  const { out } = await run(['serve', '--help'])
  for (const line of out.lines.filter(line => line.startsWith('        ')))
    expect(line.length).toBeLessThanOrEqual(80)
})

test.each([
  [['serve', '--prot', '9000'], "berth: unknown option '--prot'"],
  [['serve', 'now'], 'berth: too many arguments'],
  [['fly'], "berth: unknown command 'fly'"],
  [['serve', '--port'], "berth: option '--port <number>' argument missing"],
])('%j is a wrong command line', async (args, line) => {
  const { exitCode, out, err } = await run(args)
  expect(exitCode).toBe(64)
  expect(out.text).toBe('')
  expect(err.lines[0]).toContain(line)
})

test.each([
  [['provider', 'lst'], "berth: unknown command 'lst'"],
  [['provider', 'show'], "berth: missing required argument 'provider'"],
  [['provider', 'list', '--nme', 'x'], "berth: unknown option '--nme'"],
  [['completion', 'cmd'], "berth: command-argument value 'cmd' is invalid"],
])('%j is a wrong command line, too', async (args, line) => {
  const { exitCode, out, err } = await run(args)
  expect([exitCode, out.text]).toEqual([64, ''])
  expect(err.lines[0]).toContain(line)
})

test('a group without a subcommand prints its help', async () => {
  const { exitCode, err } = await run(['provider'])
  expect(exitCode).toBe(64)
  expect(err.text).toContain('Usage: berth provider [options] [command]')
})

test('the table of commands loads none of them by itself', () => {
  const table = readFileSync(new URL('./commands/registry.ts', import.meta.url), 'utf8')
  const atOnce = [...table.matchAll(/^import (type )?.* from '(.*)'$/gm)].filter(
    ([, isType]) => isType === undefined,
  )
  expect(atOnce).toEqual([])
})

test('without a command the help goes to stderr', async () => {
  const { exitCode, out, err } = await run([])
  expect([exitCode, out.text]).toEqual([64, ''])
  expect(err.text).toContain('Usage: berth')
})

describe('words in other orders', () => {
  test.each([
    [
      ['help', 'host', 'add'],
      ['host', 'add', '--help'],
    ],
    [['help'], ['--help']],
    [['version'], ['--version']],
  ])('%j is %j', async (args, same) => {
    const [one, other] = [await run(args), await run(same)]
    expect([one.exitCode, one.out.text]).toEqual([0, other.out.text])
  })

  test.each([
    [
      ['--url', 'http://x', 'host', 'list'],
      ['host', 'list', '--url', 'http://x'],
    ],
    [
      ['-o', 'json', 'host', 'list'],
      ['host', 'list', '-o', 'json'],
    ],
    [
      ['--json', 'host', 'list'],
      ['host', 'list', '--json'],
    ],
    [
      ['--server', 'host', 'flavor', 'list'],
      ['flavor', 'list', '--server', 'host'],
    ],
    [
      ['--token=t', 'role', 'add', '--', '-x'],
      ['role', 'add', '--token=t', '--', '-x'],
    ],
    [
      ['--port', '9000', 'serve'],
      ['serve', '--port', '9000'],
    ],
    [
      ['--limit', '3', '--json', 'decision', 'list'],
      ['decision', 'list', '--limit', '3', '--json'],
    ],
    [
      ['--dry-run', 'shedule', 'm1.small'],
      ['shedule', 'm1.small', '--dry-run'],
    ],
    [['--help'], ['--help']],
    [
      ['host', 'list', '--url', 'u'],
      ['host', 'list', '--url', 'u'],
    ],
  ])('%j is taken as %j', (args, words) => {
    expect(normalizeArgv(args)).toEqual(words)
  })

  test.each([
    [['help', 'shedule'], "berth: unknown command 'shedule'"],
    [['host', 'lst', '--help'], "berth: unknown command 'lst'"],
    [['-h', 'shedule'], "berth: unknown command 'shedule'"],
  ])('%j is a wrong command line', async (args, line) => {
    const { exitCode, err } = await run(args)
    expect([exitCode, err.lines[0]]).toEqual([64, line])
  })

  test('an option before the command that it does not have is a wrong command line', async () => {
    const { exitCode, err } = await run(['--nope', 'host', 'list'])
    expect([exitCode, err.lines[0]]).toEqual([64, "berth: unknown option '--nope'"])
  })

  test('-o takes json and table', async () => {
    const { exitCode, err } = await run(['config', '-o', 'yaml'])
    expect(exitCode).toBe(64)
    expect(err.text).toContain('Write json or table.')
    expect((await run(['config', '-o', 'json'])).out.text).toMatch(/^\{/)
    expect((await run(['config', '-o', 'table'])).out.text).toMatch(/^KEY/)
  })
})
