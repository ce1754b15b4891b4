import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../run.fixture.ts'

const hasBash = spawnSync('bash', ['--version']).status === 0

/** What bash would offer at the end of a line. */
async function offered(line: string, path = '/nowhere'): Promise<string[]> {
  const { out } = await run(['completion', 'bash'])
  const words = line.split(' ').map(word => `'${word}'`)
  const asked = `PATH=${path}; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _berth; printf '%s\\n' "\${COMPREPLY[@]}"`
  const ran = spawnSync('bash', ['--norc', '-euc', `${out}\n${asked}`], { encoding: 'utf8' })
  expect([ran.status, ran.stderr]).toEqual([0, ''])
  return ran.stdout.split('\n').filter(word => word !== '')
}

test.runIf(hasBash)('bash completes commands, subcommands, options and shells', async () => {
  expect(await offered('berth prov')).toEqual(['provider'])
  expect(await offered('berth provider ')).toEqual(
    expect.arrayContaining(['list', 'show', 'tree', 'create', 'set', 'delete', '--help']),
  )
  expect(await offered('berth provider list --na')).toEqual(['--name'])
  expect(await offered('berth inventory set host-1 --am')).toEqual(['--amend'])
  expect(await offered('berth completion f')).toEqual(['fish'])
})

test.runIf(hasBash)('bash leaves the value of an option to the shell', async () => {
  expect(await offered('berth provider list --token-file ')).toEqual([])
})

describe.runIf(hasBash)('names come from the server', () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-completion-'))
  beforeAll(() =>
    writeFileSync(
      join(directory, 'berth'),
      `#!/bin/bash\necho "$2-1"\necho "$2 two"\necho '$(echo run)'\necho "it's"\n`,
      { mode: 0o755 },
    ),
  )
  afterAll(() => rmSync(directory, { recursive: true }))

  test.each([
    ['berth host show ', ['host-1', 'host\\ two', '\\$\\(echo\\ run\\)', "it\\'s"]],
    ['berth schedule fl', ['flavor-1', 'flavor\\ two']],
    ['berth schedule m1 --host ', ['host-1', 'host\\ two']],
    ['berth host-aggregate add-host a', ['aggregate-1', 'aggregate\\ two']],
    ['berth host-aggregate add-host a h', ['host-1', 'host\\ two']],
    ['berth schedule m1 --host x --dry', ['--dry-run']],
  ])('%s', async (line, names) => {
    const all = await offered(line, directory)
    expect(all).toEqual(expect.arrayContaining(names))
    expect(all).not.toContain('run')
  })
})

test.each(['bash', 'zsh', 'fish'])('%s knows every command', async shell => {
  const { exitCode, out } = await run(['completion', shell])
  expect(exitCode).toBe(0)
  for (const word of ['serve', 'provider', 'tree', 'amend', 'same-subtree', 'max-search-steps'])
    expect(out).toContain(word)
})

test('a description cannot end a string of the script', async () => {
  const { out } = await run(['completion', 'fish'])
  for (const line of out.split('\n').filter(line => line.startsWith('complete')))
    expect(line).toMatch(
      /^complete -c berth -n '(\\.|[^'\\])*' [^']*(-a '\(berth names \w+ 2>\/dev\/null\)' ?)?(-d '(\\.|[^'\\])*')?$/,
    )
})

test('another shell is a wrong command line', async () => {
  expect((await run(['completion', 'cmd'])).exitCode).toBe(64)
})
