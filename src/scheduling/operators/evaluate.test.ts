import { describe, expect, test } from 'vitest'
import type { Dialect } from './dialects.ts'
import { evaluate, type Value } from './evaluate.ts'

type Case = readonly [value: Value, requirement: string, matches: boolean]

function agree(dialect: Dialect, cases: readonly Case[]): void {
  for (const [value, requirement, matches] of cases)
    expect(evaluate(dialect, value, requirement), `${JSON.stringify(value)} against ${requirement}`).toEqual({
      matches,
      error: null,
    })
}

function impossible(dialect: Dialect, value: Value, requirement: string): string {
  const { matches, error } = evaluate(dialect, value, requirement)
  expect(matches).toBe(false)
  return error as string
}

describe('in both dialects', () => {
  for (const dialect of ['nova', 'manila'] as const) {
    test(`${dialect}: without an operator the whole text must be equal, blanks and all`, () => {
      agree(dialect, [
        ['x86', 'x86', true],
        ['x86', ' x86', false],
        ['a b', 'a b', true],
        ['a', 'a b', false],
        ['', '', true],
        [' ', ' ', true],
        ['> 4', '> 4', true],
        [null, '', false],
        [4, '4', false],
        [['a'], 'a', false],
      ])
    })

    test(`${dialect}: = means at least, == means equal`, () => {
      agree(dialect, [
        ['5', '= 4', true],
        ['4', '= 4', true],
        ['3', '= 4', false],
        ['5', '== 4', false],
        ['4.0', '== 4', true],
        ['5', '!= 4', true],
        ['4', '>= 4', true],
        ['4', '<= 4', true],
        ['4.1', '<= 4', false],
        [5, '>= 4', true],
        [true, '== 1', true],
      ])
    })

    test(`${dialect}: numbers are Python's`, () => {
      agree(dialect, [
        ['1000', '== 1_000', true],
        ['1e3', '== 1000', true],
        ['.5', '== 0.5', true],
        ['5.', '== 5', true],
        ['inf', '>= 1e400', true],
        ['-Infinity', '<= 0', true],
        ['nan', '== nan', false],
        ['nan', '!= nan', true],
        ['\u0664\u0662', '== 42', true],
        ['\u{1d7dc}', '== 4', true],
        ['\u00a04\u2003', '== 4', true],
        ['9007199254740993', '== 9007199254740992', true],
      ])
    })

    test(`${dialect}: what is no number cannot be compared with one, and the reason names it`, () => {
      for (const text of ['', ' ', '0x10', '1__0', '_1', '1_', '1,5', '\u00bd', '1\u001c', '\ufeff1', '--1'])
        expect(impossible(dialect, text, '== 1')).toContain(`the value ${JSON.stringify(text)} is not one`)
      expect(impossible(dialect, '1', '>= many')).toBe(
        '>= compares numbers, and the operand "many" is not one',
      )
      expect(impossible(dialect, ['1'], '>= 1')).toContain('the value ["1"] is not one')
    })

    test(`${dialect}: s== and its like compare by code point`, () => {
      agree(dialect, [
        ['10', 's< 9', true],
        ['\ufb00', 's< \u{10000}', true],
        ['\u{10000}', 's> \ufb00', true],
        ['ab', 's> a', true],
        ['a', 's<= a', true],
        ['a', 's>= a', true],
        ['4.0', 's== 4', false],
        ['4.0', 's!= 4', true],
        [4, 's!= 4', true],
      ])
      expect(impossible(dialect, 4, 's< 5')).toBe('s< compares texts, and the value 4 is not one')
    })

    test(`${dialect}: <in> finds a part of a text or a member of a list`, () => {
      agree(dialect, [
        ['gcc-12', '<in> gcc', true],
        ['gcc-12', '<in> 13', false],
        [['aes', 'vme'], '<in> aes', true],
        [['aes', 'vme'], '<in> ae', false],
      ])
      expect(impossible(dialect, 12, '<in> 1')).toContain('the value 12 is neither')
    })

    test(`${dialect}: <or> takes every second word, whatever stands between`, () => {
      agree(dialect, [
        ['b', '<or> a <or> b', true],
        ['b', '<or> a or b', true],
        ['or', '<or> a or b', false],
        ['<or>', '<or> a <or> b', false],
        ['a', '<or> a <or>', true],
        ['a,b', '<or> a,b', true],
        ['a', '<or> a,b', false],
        [null, '<or>', false],
      ])
      expect(impossible(dialect, 'a', '<or>')).toBe('<or> has no operand to compare with')
    })

    test(`${dialect}: words after the operand are ignored, and an operator without one matches nothing`, () => {
      agree(dialect, [
        ['5', '>= 4 of them', true],
        ['4', '>=', false],
        ['', 's==', false],
        ['x', 's!=', false],
        [null, 's!= x', false],
      ])
    })

    test(`${dialect}: words are split at Python's blanks`, () => {
      for (const blank of ['\u001c', '\u001f', '\u0085', '\u00a0', '\u2003', '\u3000', '\n', '\v'])
        agree(dialect, [['5', `>=${blank}4`, true]])
      for (const other of ['\ufeff', '\u200b', '\u0000']) agree(dialect, [['5', `>=${other}4`, false]])
    })

    test(`${dialect}: < and > alone are no operators, nor is <range-in>`, () => {
      agree(dialect, [
        ['5', '> 4', false],
        ['5', '<range-in> [ 4 6 ]', false],
      ])
    })
  }
})

describe('nova', () => {
  test('<all-in> wants every operand as part of a text or member of a list', () => {
    agree('nova', [
      [['aes', 'vme', 'sse'], '<all-in> aes sse', true],
      [['aes', 'vme'], '<all-in> aes sse', false],
      ["['aes', 'sse']", '<all-in> aes ss', true],
      ['aes', '<all-in>', false],
      [null, '<all-in> aes', false],
    ])
    expect(impossible('nova', true, '<all-in> aes')).toContain('the value true is neither')
  })

  test('<all-in> looks through a list once, however many operands there are', () => {
    const value = Array.from({ length: 1_000 }, (_, nth) => `f${nth}`)
    value.includes = () => {
      throw new Error('looked through for one operand')
    }
    agree('nova', [
      [value, `<all-in> ${[...value].reverse().join(' ')}`, true],
      [value, `<all-in> ${value.join(' ')} f1000`, false],
    ])
  })

  test('case matters, also in operators', () => {
    agree('nova', [
      ['A', 'a', false],
      ['A', 's== a', false],
      ['a', 'S== a', false],
    ])
  })

  test('there is no <is>', () => {
    agree('nova', [
      ['True', '<is> True', false],
      ['<is> True', '<is> True', true],
    ])
  })
})

describe('manila', () => {
  test('<is> compares yes with yes; whatever is not yes is no', () => {
    agree('manila', [
      [true, '<is> True', true],
      ['yes', '<is> on', true],
      [1, '<is> true', true],
      [false, '<is> False', true],
      ['maybe', '<is> no', true],
      [true, '<is> maybe', false],
      [['true'], '<is> true', false],
      [null, '<is> false', false],
      [false, '<is>', false],
    ])
  })

  test('case matters nowhere, except in the members of a list', () => {
    agree('manila', [
      ['CephFS', 'CEPHFS', true],
      ['CephFS', 'S== cephfs', true],
      ['CephFS', '<OR> nfs <or> CEPHFS', true],
      ['CephFS', '<In> FS', true],
      [['NFS'], '<in> NFS', false],
      [['nfs'], '<in> NFS', true],
    ])
  })

  test('a yes or no is equal to every way of writing it', () => {
    agree('manila', [
      [true, 'True', true],
      [true, ' yes ', true],
      [false, 'off', true],
      [false, 'nothing', false],
      [true, '<or> true', false],
    ])
  })

  test('there is no <all-in>', () => {
    agree('manila', [['aes vme', '<all-in> aes', false]])
  })
})

test('a reason shows no more of a long value than it takes to find it', () => {
  expect(impossible('nova', 'x'.repeat(500), '== 1').length).toBeLessThan(140)
})
