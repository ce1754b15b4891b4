import { expect, test } from 'vitest'
import { comparable, parsePage, withOutputs } from '../scripts/snippets.ts'

const page = (...lines: readonly string[]) => parsePage(lines.join('\n'))

test('sh and console blocks are steps, in order, with what they print', () => {
  const { steps, setting } = page(
    ...['<!-- snippets: against berth serve -->', '```sh', 'one', '```', '', '```', '1', '```'],
    ...['```json', '{}', '```', '```console', '$ two \\', '  more', 'II', '$ three', '```'],
  )
  expect(setting).toBe('against berth serve')
  expect(steps).toEqual([
    { line: 3, command: 'one', exit: 0, background: false, notRun: null, output: { from: 6, to: 7 } },
    {
      line: 13,
      command: 'two \\\n  more',
      exit: 0,
      background: false,
      notRun: null,
      output: { from: 14, to: 15 },
    },
    { line: 16, command: 'three', exit: 0, background: false, notRun: null, output: { from: 16, to: 16 } },
  ])
})

test('a comment before a block says how it runs; an exit code is that of its last command', () => {
  const { steps } = page(
    ...[
      '<!-- not run: no root -->',
      '```sh',
      'a',
      '```',
      '<!-- run: in the background -->',
      '',
      '```sh',
      'b',
      '```',
    ],
    ...['<!-- run: ends with 2 -->', '```console', '$ c', '$ d', '```'],
  )
  expect(steps.map(({ notRun, background, exit }) => [notRun, background, exit])).toEqual([
    ['no root', false, 0],
    [null, true, 0],
    [null, false, 0],
    [null, false, 2],
  ])
})

test.each([
  [['<!-- run: sometimes -->', '```sh', 'a', '```'], "'run: sometimes' is no mark of a snippet"],
  [['```sh', 'a'], 'line 1: the block has no end'],
  [['```console', 'a', '```'], "line 2: a console block begins with '$ '"],
])('%j is refused', (lines, why) => {
  expect(() => page(...lines)).toThrow(why)
})

test('what was printed replaces what the page shows, unless only ids, times and tokens differ', () => {
  const text = ['```console', '$ a', 'old', '$ b', 'at 2026-01-01T00:00:00Z', '```', 'after'].join('\n')
  const parsed = parsePage(text)
  const [a, b] = parsed.steps
  const printed = new Map([
    [a as never, 'new\nnewer  \n'],
    [b as never, 'at 2031-05-05T10:11:12.345Z\n'],
  ])
  expect(withOutputs(parsed, printed).split('\n')).toEqual([
    ...['```console', '$ a', 'new', 'newer', '$ b', 'at 2026-01-01T00:00:00Z', '```', 'after'],
  ])
})

test('random ids are compared by their form, those of the demo cloud as they are', () => {
  expect(comparable('0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c')).toBe('UUID')
  expect(comparable('6241b3d2-1428-50f4-aba5-a65e083305d1')).toBe('6241b3d2-1428-50f4-aba5-a65e083305d1')
})
