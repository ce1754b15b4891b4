import { describe, expect, test } from 'vitest'
import { styleFor } from './style.ts'
import { type Column, facts, flexible, plainLook, right, TableWriter, table } from './table.ts'
import { cutTo, escapeControls, textWidth } from './text-width.ts'

const columns: readonly Column[] = [flexible('NAME'), 'UUID', right('USED'), flexible('TRAITS')]
const rows = [
  ['compute-1', 'u1', '7', 'HW_CPU_X86_AVX2, HW_CPU_X86_AVX512F'],
  ['コンピュート', 'u2', '1024', ''],
]

test('columns are aligned, also where characters are wide, and no line ends in blanks', () => {
  expect(table(columns, rows, plainLook)).toBe(
    [
      'NAME          UUID  USED  TRAITS',
      'compute-1     u1       7  HW_CPU_X86_AVX2, HW_CPU_X86_AVX512F',
      'コンピュート  u2    1024',
      '',
    ].join('\n'),
  )
})

test('where the line is too wide, the widest flexible column gives way', () => {
  const narrow = table(columns, rows, { ...plainLook, width: 40 })
  expect(narrow.split('\n')).toEqual([
    'NAME          UUID  USED  TRAITS',
    'compute-1     u1       7  HW_CPU_X86_AV…',
    'コンピュート  u2    1024',
    '',
  ])
})

test('no column is cut beyond use, nor one that must be whole', () => {
  const [, first] = table(columns, rows, { ...plainLook, width: 10 }).split('\n')
  expect(first).toBe('compute-1     u1       7  HW_CPU_X86_…')
})

test('without rows there is no table', () => {
  expect(table(columns, [], plainLook)).toBe('')
})

test('rows that come one by one are measured by the first of them', () => {
  const written: string[] = []
  const writer = new TableWriter(['A', 'B'], plainLook, text => written.push(text), 2)
  writer.row(['aa', '1'])
  expect(written).toEqual([])
  writer.row(['a', '2'])
  expect(written).toEqual(['A   B\n', 'aa  1\n', 'a   2\n'])
  writer.row(['aaaa', '3'])
  writer.end()
  expect(written.slice(3)).toEqual(['aaaa  3\n'])
})

test('names cannot move the cursor', () => {
  expect(table(['NAME'], [['evil\x1b[2J\r\nhost']], plainLook)).toBe('NAME\nevil?[2J??host\n')
})

test('facts stand below each other', () => {
  const pairs: [string, string][] = [
    ['name', 'compute-1'],
    ['generation', '4'],
  ]
  expect(facts(pairs, plainLook)).toBe('name        compute-1\ngeneration  4\n')
})

describe('the width of text', () => {
  test.each([
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['🚀', 2],
    ['→', 1],
  ])('%s takes %i', (text, width) => expect(textWidth(text)).toBe(width))

  test('a cut never halves a wide character', () => {
    expect(cutTo('漢字漢字', 4)).toBe('漢…')
    expect(cutTo('漢字', 4)).toBe('漢字')
  })

  test('direction marks are made visible', () => expect(escapeControls('a\u202eb')).toBe('a?b'))
})

describe('colours', () => {
  const output = {
    write: () => undefined,
    isTerminal: true,
    columns: 80,
    rows: 24,
    closed: new AbortController().signal,
  }
  test.each([
    ['on a terminal', output, {}, '\x1b[1mx\x1b[22m'],
    ['not where NO_COLOR is set', output, { NO_COLOR: '1' }, 'x'],
    ['not on a dumb terminal', output, { TERM: 'dumb' }, 'x'],
    ['not elsewhere', { ...output, isTerminal: false }, {}, 'x'],
  ])('%s', (_, where, env, text) => expect(styleFor(where, env).bold('x')).toBe(text))
})
