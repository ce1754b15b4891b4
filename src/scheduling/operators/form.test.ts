import { describe, expect, test } from 'vitest'
import { evaluate } from './evaluate.ts'
import { findWarnings, parse, print } from './form.ts'

const literal = (text: string) => ({ kind: 'literal', text }) as const
const operator = (symbol: string, ...operands: string[]) =>
  ({ kind: 'operator', operator: symbol, operands }) as const

describe('parse', () => {
  test.each([
    ['x86_64', literal('x86_64')],
    [' >= ', operator('>=')],
    ['>= 4', operator('>=', '4')],
    ['<or> a <or> b', operator('<or>', 'a', 'b')],
    ['<or> a or b', operator('<or>', 'a', 'b')],
    ['<or>', operator('<or>')],
    ['<all-in> aes  vme', operator('<all-in>', 'aes', 'vme')],
    ['<is> True', literal('<is> True')],
    ['', literal('')],
  ])('nova: %j', (text, form) => {
    expect(parse(text, 'nova').form).toEqual(form)
  })

  test('manila: an operator in capitals is one, and operands stay as they were written', () => {
    expect(parse('<IS> True', 'manila')).toMatchObject({
      form: operator('<is>', 'True'),
      text: '<is> True',
    })
    expect(parse('<all-in> a b', 'manila').form).toEqual(literal('<all-in> a b'))
  })

  test('lists ignored words, and the text without them', () => {
    expect(parse('s== a  b c', 'nova')).toEqual({
      form: operator('s==', 'a'),
      text: 's== a',
      ignored: ['b', 'c'],
      repaired: false,
    })
  })
})

describe('the comma forms of the dashboard', () => {
  const repaired = (text: string, dialect: 'nova' | 'manila' = 'nova') => {
    const parsed = parse(text, dialect, { repair: true })
    return parsed.repaired ? parsed.text : null
  }

  test('are repaired', () => {
    expect(repaired('<or> a,b')).toBe('<or> a <or> b')
    expect(repaired('<all-in> aes,vme,sse')).toBe('<all-in> aes vme sse')
    expect(repaired('<in> aes,vme')).toBe('<all-in> aes vme')
    expect(repaired('undefined a,b')).toBe('<or> a <or> b')
    expect(repaired('undefined a')).toBe('a')
    expect(repaired('<or> a,,b,')).toBe('<or> a <or> b')
    expect(repaired('<or> NFS,CIFS', 'manila')).toBe('<or> NFS <or> CIFS')
  })

  test('are only those: what the dashboard did not write stays as it is', () => {
    for (const text of [
      '<or> a',
      '<or> a <or> b,c',
      '<or> ,',
      'a,b',
      's== a,b',
      'undefined',
      'undefined a b',
    ])
      expect(repaired(text), text).toBeNull()
    expect(repaired('<all-in> a,b', 'manila')).toBeNull()
    expect(repaired('<in> a,b', 'manila')).toBeNull()
  })

  test('mean what Nova makes of them unless a repair is asked for', () => {
    expect(parse('<or> a,b', 'nova')).toMatchObject({ form: operator('<or>', 'a,b'), repaired: false })
    expect(parse('undefined a,b', 'nova').form).toEqual(literal('undefined a,b'))
    expect(evaluate('nova', 'a', '<or> a,b').matches).toBe(false)
  })
})

describe('print', () => {
  test('writes what is read as the same form', () => {
    expect(print(operator('<or>', 'a', '<or>'), 'nova')).toEqual({ ok: true, text: '<or> a <or> <or>' })
    expect(print(operator('<is>', 'True'), 'manila')).toEqual({ ok: true, text: '<is> True' })
    expect(print(literal(' a '), 'nova')).toEqual({ ok: true, text: ' a ' })
    expect(print(operator('>='), 'nova')).toEqual({ ok: true, text: '>=' })
  })

  test.each([
    [literal('>= 4'), 'text', '>= 4', /read as the operator >=/],
    [operator('>', '4'), 'operator', '>', /not an operator of nova/],
    [operator('<is>', 'True'), 'operator', '<is>', /not an operator of nova/],
    [operator('>=', '4', '5'), 'operands', ['4', '5'], />= takes one operand, not 2/],
    [operator('<or>', 'a', 'b c'), 'operands.1', 'b c', /several words/],
    [operator('<or>', ''), 'operands.0', '', /empty/],
    [operator('s==', 'a\u0085'), 'operands.0', 'a\u0085', /blank/],
  ])('%j has no text, and the field is named', (form, field, value, reason) => {
    const printed = print(form, 'nova')
    expect(printed).toMatchObject({ ok: false, field, value })
    expect(printed.ok ? '' : printed.reason).toMatch(reason)
  })

  test('a literal of one dialect may be an operator of the other', () => {
    expect(print(literal('<is> True'), 'nova').ok).toBe(true)
    expect(print(literal('<Is> True'), 'manila').ok).toBe(false)
  })
})

test('what can match nothing is warned of', () => {
  expect(findWarnings(operator('>='), 'nova')).toEqual(['>= without an operand matches nothing'])
  expect(findWarnings(operator('>=', '4GB'), 'nova')).toEqual([
    '>= compares numbers, and "4GB" is not one: it matches nothing',
  ])
  expect(findWarnings(operator('>=', '4'), 'nova')).toEqual([])
  expect(findWarnings(operator('==', 'INF'), 'manila')).toEqual([])
  expect(findWarnings(literal('4GB'), 'nova')).toEqual([])
})
