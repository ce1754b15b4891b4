import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IniUnreadable, parseIni } from './ini.ts'

const assigned = (text: string) => parseIni(text).map(({ section, key, value }) => [section, key, value])

test('sections, both signs, comments, quotes and blanks', () => {
  const text = `# a comment
; another
[DEFAULT]
debug = True
log_file: /var/log/x.log
quoted = "with blanks "
single = 'it'
odd = "half
empty =
url = http://a:5000/v3?x=y # no comment
[group]
  `
  expect(assigned(text)).toEqual([
    ['DEFAULT', 'debug', 'True'],
    ['DEFAULT', 'log_file', '/var/log/x.log'],
    ['DEFAULT', 'quoted', 'with blanks '],
    ['DEFAULT', 'single', 'it'],
    ['DEFAULT', 'odd', '"half'],
    ['DEFAULT', 'empty', ''],
    ['DEFAULT', 'url', 'http://a:5000/v3?x=y # no comment'],
  ])
})

test('a value goes on in lines that begin with a blank, until a blank line, a comment or another value', () => {
  expect(assigned('[a]\nlist = one,\n  two,\n\tthree\nnext = 1\n# c\nlast = 2')).toEqual([
    ['a', 'list', 'one,\ntwo,\nthree'],
    ['a', 'next', '1'],
    ['a', 'last', '2'],
  ])
  expect(() => parseIni('[a]\nx = 1\n\n  y')).toThrow(IniUnreadable)
})

test('a mark of byte order and line ends of other systems are taken', () => {
  expect(assigned('\uFEFF[a]\r\nx = 1\r\ny = 2')).toEqual([
    ['a', 'x', '1'],
    ['a', 'y', '2'],
  ])
})

test.each([
  ['x = 1', 1, 'x is in no section; write [DEFAULT] above it'],
  ['[a]\nnothing', 2, 'it has neither = nor :'],
  ['[a]\n= 1', 2, 'there is no name before the = or :'],
  ['[a', 1, 'the name of a section must end with ]'],
  ['[]', 1, 'the section has no name'],
  [' x = 1', 1, 'it begins with a blank, but there is no value above to continue'],
])('%j cannot be read, and the line is named', (text, line, message) => {
  expect(() => parseIni(text)).toThrow(expect.objectContaining({ line, message }))
})

const word = fc.stringMatching(/^[a-z_][a-z0-9_]{0,7}$/)
const line = fc.stringMatching(/^[a-zA-Z0-9/.$#;,@+][ -~]{0,12}$/).map(text => text.trimEnd())
const assignment = fc.record({ key: word, values: fc.array(line, { minLength: 1, maxLength: 3 }) })
const noise = fc.constantFrom('', '# comment = 1', '; [no]')
const document = fc.array(
  fc.record({
    section: word,
    assignments: fc.array(assignment, { maxLength: 5 }),
    noise,
    colon: fc.boolean(),
  }),
  { maxLength: 5 },
)

test('what was written is what is read, with any characters, comments and lines', () => {
  fc.assert(
    fc.property(document, fc.constantFrom('\n', '\r\n'), (sections, end) => {
      const lines = sections.flatMap(({ section, assignments, noise: between, colon }) => [
        `[${section}]`,
        ...assignments.flatMap(({ key, values }) => [
          `${key} ${colon ? ':' : '='} ${values[0]}`,
          ...values.slice(1).map(value => `   ${value}`),
          between,
        ]),
      ])
      const written = sections.flatMap(({ section, assignments }) =>
        assignments.map(({ key, values }) => [section, key, values.join('\n')]),
      )
      expect(assigned(lines.join(end))).toEqual(written)
    }),
  )
})

test('any text is read or refused with a line that it has', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('[a]', '[', ' x', 'k=v', 'k', '=', '#', '', '"', "k = 'v'", '\t'), {
        maxLength: 12,
      }),
      lines => {
        try {
          for (const one of parseIni(lines.join('\n'))) expect(lines[one.line - 1]).toContain(one.key)
        } catch (error) {
          expect(error).toBeInstanceOf(IniUnreadable)
          expect((error as IniUnreadable).line).toBeLessThanOrEqual(lines.length)
        }
      },
    ),
  )
})

test('white space at the ends of names and values is what Python takes for it', () => {
  expect(parseIni('[a]\nb\u001f=\u0085c\u00a0\nd = e\ufeff\n\tf\u001c')).toEqual([
    { section: 'a', key: 'b', value: 'c', line: 2 },
    { section: 'a', key: 'd', value: 'e\ufeff\nf', line: 3 },
  ])
})
