/** What people copy from pages and messages is right: commands, options, scripts, shell syntax. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parsePage } from '../scripts/snippets.ts'
import { keyNames, variableOf } from '../src/config/keys.ts'
import { berthCommands, commandProblems, mentionProblems } from './command-lines.ts'

const read = (path: string): string => readFileSync(path, 'utf8')
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md').sort()]
const shellOf = (path: string): string[] =>
  parsePage(read(path)).steps.map(({ command }) => command.replaceAll('npm start -- ', 'berth serve '))

test('every berth command in a snippet of a page is one of the command line', () => {
  const texts = pages.flatMap(shellOf)
  expect(texts.flatMap(commandProblems)).toEqual([])
  expect(texts.flatMap(berthCommands).length).toBeGreaterThan(100)
})

/** A code span in prose; an ellipsis stands for what is left out. */
const SPAN = /`((?:bin\/)?berth [a-z][^`]*)`/g
const spansOf = (text: string): string[] =>
  [...text.replaceAll(/^```.*?^```/gms, '').matchAll(SPAN)].map(([, span]) =>
    (span as string).replaceAll(/…|\.\.\./g, ''),
  )

test('every berth command that the prose of a page names exists, with its options', () => {
  const spans = pages.flatMap(path => spansOf(read(path)))
  expect(spans.flatMap(mentionProblems)).toEqual([])
  expect(spans.length).toBeGreaterThan(50)
})

/** In quotes, as messages, advice and examples have them: 'berth explain schedule'. */
const QUOTED = /(?<!\w|update\()(['`])(berth (?![a-z]+:)[a-z][^'`\n\\]*)\\?\1/g

/** What a template has in its place, from the inside out. It is no name of a command: which one it is cannot be known here. */
const FILLED = 'k=v'
function withoutTemplates(source: string): string {
  const filled = source.replaceAll(/\$\{[^{}]*\}/g, FILLED)
  return filled === source ? source : withoutTemplates(filled)
}

test('every berth command that a message or a help text names exists', () => {
  const sources = globSync('src/**/*.ts').filter(path => !/\.(test|fixture|contract)\.ts$/.test(path))
  const named = sources.flatMap(path =>
    [...withoutTemplates(read(path)).matchAll(QUOTED)].map(([, , text]) => text as string),
  )
  const problems = named
    .flatMap(mentionProblems)
    .filter(problem => !problem.includes(`unknown command '${FILLED}'`))
  expect(problems).toEqual([])
  expect(named).toContain(`berth flavor unset ${FILLED} ${FILLED}`)
  expect(named.length).toBeGreaterThan(100)
})

test('every snippet is valid shell, whether it is run or not', () => {
  for (const path of pages) {
    const texts = shellOf(path)
    const { status, stderr } = spawnSync('bash', ['-n'], { input: texts.join('\n'), encoding: 'utf8' })
    expect([path, status, stderr]).toEqual([path, 0, ''])
  }
})

test('npm scripts that a page names are there', () => {
  const scriptsOf = (path: string) => (JSON.parse(read(path)) as { scripts: Record<string, string> }).scripts
  const scripts = { ...scriptsOf('console/package.json'), ...scriptsOf('package.json') }
  const named = pages.flatMap(path =>
    [...read(path).matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name as string),
  )
  expect(named.filter(name => !Object.hasOwn(scripts, name))).toEqual([])
})

test('no page gives berth another meaning in the shell of its reader', () => {
  for (const path of pages)
    expect(read(path)).not.toMatch(/^\s*(?:function berth\b|berth *\(\)|alias berth=)/m)
})

test('the variables of a container exist', () => {
  const texts = [...pages, 'packaging/container/Containerfile'].map(path =>
    read(path).replaceAll(/\\\n/g, ' '),
  )
  const runs = texts.flatMap(text => text.match(/(?:podman|docker) run .*/g) ?? [])
  expect(runs.length).toBeGreaterThan(1)
  for (const run of runs) {
    expect(run).toMatch(/BERTH_BEHIND_PROXY=true|BERTH_TLS_CERT=.*BERTH_TLS_KEY=/)
    for (const [, name] of run.matchAll(/-e (BERTH_\w+)=/g)) expect(keyNames.map(variableOf)).toContain(name)
  }
})

test('README.md leads to every page, directly or through a list of pages', () => {
  const lists = ['README.md', 'docs/README.md', 'docs/adr/README.md']
  const led = new Set(
    lists.flatMap(list =>
      [...read(list).matchAll(/\]\(([^)#\s]+)/g)].map(([, target]) => join(dirname(list), target as string)),
    ),
  )
  expect(pages.filter(path => path !== 'README.md' && !led.has(path))).toEqual([])
})
