import { expect, test } from 'vitest'
import type { OptionType } from './option.ts'
import { readValue } from './values.ts'

test.each<[OptionType, string, unknown]>([
  ['text', ' a ', ' a '],
  ['boolean', 'tRuE', true],
  ['boolean', 'on', true],
  ['boolean', 'YES', true],
  ['boolean', '1', true],
  ['boolean', 'Off', false],
  ['boolean', 'no', false],
  ['boolean', '0', false],
  ['integer', ' 007 ', 7],
  ['integer', '+5', 5],
  ['integer', '-1_000', -1000],
  ['integer', '\u001f12\u0085', 12],
  ['list', 'a, b ,', ['a', 'b']],
  ['list', 'a,,b,,', ['a', '', 'b']],
  ['list', '"a,b"', ['"a', 'b"']],
  ['list', 'a,\nb', ['a', 'b']],
  ['list', ' , ', []],
  ['list', '', []],
])('%s: %j is %j', (type, text, value) => {
  expect(readValue(type, text)).toEqual({ ok: true, value })
})

test.each<[OptionType, string]>([
  ['boolean', ''],
  ['boolean', ' true'],
  ['boolean', 't'],
  ['boolean', '01'],
  ['integer', ''],
  ['integer', '1.0'],
  ['integer', '1__0'],
  ['integer', '_1'],
  ['integer', '0x10'],
  ['integer', '10000000000000000'],
])('%s: %j is refused', (type, text) => {
  expect(readValue(type, text)).toMatchObject({ ok: false })
})
