import { describe, expect, test } from 'vitest'
import { pythonPretty, pythonRepr } from './python-repr.ts'

describe('a value is printed as Python prints what it reads from the same JSON', () => {
  const cases: readonly (readonly [json: string, printed: string])[] = [
    ['null', 'None'],
    ['true', 'True'],
    ['false', 'False'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['[1, [2, null], {"b": 1, "a": {"c": false}}]', "[1, [2, None], {'b': 1, 'a': {'c': False}}]"],
    ['0', '0'],
    ['-0', '0'],
    ['-17', '-17'],
    ['2147483648', '2147483648'],
    ['12345678901234567000', '12345678901234567000'],
    ['1.5', '1.5'],
    ['0.0001', '0.0001'],
    ['0.00001', '1e-05'],
    ['-0.000015', '-1.5e-05'],
    ['1.25e-7', '1.25e-07'],
    ['1e-100', '1e-100'],
    ['1e22', '1e+22'],
    ['3.40282e38', '3.40282e+38'],
    ['1e400', 'inf'],
    ['-1e400', '-inf'],
    ['""', "''"],
    ['"plain"', "'plain'"],
    ['"it\'s"', '"it\'s"'],
    ['"say \\"hi\\""', '\'say "hi"\''],
    ['"it\'s \\"it\\""', "'it\\'s \"it\"'"],
    ['"a\\\\b"', "'a\\\\b'"],
    ['"\\n\\r\\t\\u0000\\u001f\\u007f"', "'\\n\\r\\t\\x00\\x1f\\x7f'"],
    ['"\\u00a0\\u00ad\\u2028\\u3000"', "'\\xa0\\xad\\u2028\\u3000'"],
    ['"\\ud800 \\uffff"', "'\\ud800 \\uffff'"],
    ['"\\udb40\\udc01"', "'\\U000e0001'"],
    ['"é ∞ \u{1f600}"', "'é ∞ \u{1f600}'"],
  ]
  test.each(cases)('%s', (json, printed) => {
    expect(pythonRepr(JSON.parse(json))).toBe(printed)
  })
})

test('pretty printing sorts members at every depth, repr leaves them', () => {
  const value = { b: [{ d: 1, c: 2 }], a: 0 }
  expect(pythonPretty(value)).toBe("{'a': 0, 'b': [{'c': 2, 'd': 1}]}")
  expect(pythonRepr(value)).toBe("{'b': [{'d': 1, 'c': 2}], 'a': 0}")
  expect(Object.keys(value)).toEqual(['b', 'a'])
})

test('a member named __proto__ is printed like any other', () => {
  expect(pythonRepr(JSON.parse('{"__proto__": 1}'))).toBe("{'__proto__': 1}")
})

describe('what is too much is elided', () => {
  test('depth', () => {
    const depth = 1_000_000
    const printed = pythonRepr(JSON.parse('['.repeat(depth) + ']'.repeat(depth)))
    expect(printed).toMatch(/^\[{65}\.\.\.\]{65}$/)
  })

  test('a list of anything, be it of empty things', () => {
    for (const item of ['', 'x', 1, null, [], {}]) {
      const printed = pythonRepr(new Array(100_000).fill(item))
      expect(printed).toMatch(/, \.\.\.\]$/)
      expect(printed.length).toBeLessThan(20_000)
    }
  })

  test('a long text, without splitting a character', () => {
    const printed = pythonRepr(`x${'\u{1f600}'.repeat(100_000)}`)
    expect(printed).toMatch(/^'x\u{1f600}+'\.\.\.$/u)
    expect(printed.length).toBeLessThan(20_000)
  })

  test('not a text of a few thousand characters', () => {
    expect(pythonRepr('x'.repeat(8000))).toBe(`'${'x'.repeat(8000)}'`)
  })
})
