import { describe, expect, test } from 'vitest'
import type { ParsedRequirement, RequirementForm } from '../../../src/wire/operators.ts'
import { lostByForm, readingOf } from './reading.ts'

const parsed = (form: RequirementForm, more: Partial<ParsedRequirement> = {}): ParsedRequirement => ({
  form,
  text: '',
  ignored: [],
  repaired: false,
  warnings: [],
  ...more,
})
const operator = (symbol: string, ...operands: string[]): RequirementForm => ({
  kind: 'operator',
  operator: symbol,
  operands,
})

describe('the form of a string', () => {
  test('a plain value is what is typed now, not what the server read before', () => {
    const before = parsed({ kind: 'literal', text: 'gol' })
    expect(readingOf('gold', before, true).form).toEqual({ kind: 'literal', text: 'gold' })
  })

  test('an operator that was taken away is not shown until the server has read the string', () => {
    expect(readingOf('gold', parsed(operator('<or>', 'gold')), true).form.kind).toBe('literal')
  })

  test('an operator that is typed on by hand stays, and is known to be behind', () => {
    const form = operator('<or>', 'gold')
    expect(readingOf('<or> gold <or> l', parsed(form), true)).toEqual({ form, isBehind: true })
    expect(readingOf('<or> gold', parsed(form), false)).toEqual({ form, isBehind: false })
  })

  test('what a dashboard wrote is shown as it is', () => {
    const mended = parsed(operator('<or>', 'a', 'b'), { repaired: true })
    expect(readingOf('<or> a,b', mended, false).form.kind).toBe('literal')
  })
})

describe('what a form would drop', () => {
  test('ignored words are named', () => {
    const one = parsed(operator('>=', '4'), { text: '>= 4', ignored: ['or', 'so'] })
    expect(lostByForm('>= 4 or so', one)).toContain('“or so”')
  })

  test('a word between operands, though nothing ignores it by name', () => {
    const one = parsed(operator('<or>', 'a', 'b'), { text: '<or> a <or> b' })
    expect(lostByForm('<or> a and b', one)).toContain('“<or> a <or> b”')
    expect(lostByForm('<or>  a <or> b', one)).toBeNull()
  })
})
