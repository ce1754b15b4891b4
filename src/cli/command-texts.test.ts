import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandLineReference } from '../../scripts/command-line-reference.ts'
import { textsOf } from './commands/describe-command.ts'
import { commands } from './commands/registry.ts'
import { exitMeanings } from './connection/exit-codes.ts'
import { FakeEnvironment } from './process-environment.fixture.ts'
import { buildProgram, loadCommands } from './program.ts'

const around = new FakeEnvironment()
const program = buildProgram(around, await loadCommands(), () => undefined)

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
const all = leaves(program).map(leaf => [pathOf(leaf), leaf] as const)

test('every command is there', () => {
  expect(program.commands.map(command => command.name())).toEqual(commands.map(({ name }) => name))
  expect(all.length).toBeGreaterThan(30)
})

describe.each(all)('%s', (path, leaf) => {
  test('has a summary, a description, examples of itself and exit codes', () => {
    const texts = textsOf(leaf)
    expect(leaf.summary()).toMatch(/^[a-z]/)
    expect(leaf.description()).toMatch(/^[A-Z].*\.$/s)
    expect(texts?.examples.length).toBeGreaterThan(0)
    expect(texts?.examples.join('\n')).toContain(path)
    expect(new Set(texts?.exits).size).toBe(texts?.exits.length)
  })

  test('describes every option and argument, and what --json prints', () => {
    for (const option of leaf.options)
      expect([option.flags, option.description]).toEqual([
        option.flags,
        expect.stringMatching(/^[A-Z].*[.)]$/),
      ])
    for (const argument of leaf.registeredArguments) expect(argument.description).not.toBe('')
    expect(textsOf(leaf)?.json !== undefined).toBe(leaf.options.some(({ long }) => long === '--json'))
  })
})

test('the page has every command, every option of its own, and every exit code', () => {
  const page = commandLineReference()
  for (const [path, leaf] of all) {
    expect(page).toContain(`# ${path.replace('berth ', '')}\n`)
    for (const { long, helpGroupHeading, hidden } of leaf.options)
      if (helpGroupHeading === undefined && !hidden) expect(page).toContain(`\`${long}`)
  }
  for (const code of Object.keys(exitMeanings)) expect(page).toContain(`| ${code} |`)
})

test('docs/reference/command-line.md is current', () => {
  const onDisk = readFileSync(new URL('../../docs/reference/command-line.md', import.meta.url), 'utf8')
  expect(onDisk).toBe(commandLineReference())
})
