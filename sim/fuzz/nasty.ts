/** Values and texts that parsers, stores and JavaScript itself have trouble with. */
import type { Chance } from './chance.ts'

const rawJson = (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON

/** As digits: JSON has numbers that JavaScript has not. */
const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1',
  '2',
  '0.5',
  '1.0',
  '1e3',
  '1e400',
  '-1e400',
  '1e-400',
  '2147483647',
  '2147483648',
  '-2147483649',
  '4294967296',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '1e308',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '0.1e1',

  '3.40282e38',
  '3.5e38',
  '1e16',
  '123456789012345678901234567890',
  '1E+2',
  `${'9'.repeat(400)}`,
  '0.0000001',
]

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  '__defineGetter__',

  '',
  ' ',
  '.',
  '..',
  '$ref',
  'null',
  'undefined',
  'NaN',
  'length',
  'then',
  '0',
  '-1',
  'a.b',
  'a/b',
  'a\\b',
]

const TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udc00',
  '\uffff',
  '\u202eevil',
  'é',
  'e\u0301',
  '😀',
  '\u2028',

  'true',
  'None',
  '1',
  '-1',
  '1e9',
  '0x10',
  '٣',
  '١٢',
  'İ',
  'ß',
  'ﬁ',
  '%',
  '%s%n',
  '%00',
  '../../etc/passwd',
  "' OR 1=1 --",
  '"; DROP TABLE users; --',
  '{{7*7}}',
  '<script>alert(1)</script>',

  '<or> a <or>',
  '<or>',
  '<all-in>',
  '<in>',
  '>= x',
  '= ',
  's== ',
  '<range-in> [ 1 2 ]',
  '<range-in> ( x',
  '!',
  'CUSTOM_',
  'CUSTOM_a',
  'VCPU',
  'in:',
  '!in:',
  'in:!a',
  'VCPU:',
  'VCPU:1:2',
  ':1',
  'VCPU:0',
  'VCPU:-1',
  '2026-13-45T99:99:99Z',
  '9999-12-31T23:59:59Z',
  '0000-00-00',
  '1970-01-01T00:00:00Z',
  '+275760-09-13',

  '00000000-0000-0000-0000-000000000000',
  '{00000000000000000000000000000000}',
  'urn:uuid:',
  '0'.repeat(32),
  '[',
  '{',
  '["and"]',
  '["=", "$a", ',
  '["not", ["not", []]]',
  "{'a': }",
  "{'a': ['b', {}]}",
  '{"a":1}',

  '(a+)+$',
  '[a-',
  '(',
  '\\',
  '*',
  '.*',
  'a{1,99999}',
  '(?=a)',
  '^3',
  '0-4,^3',
  '0-99999999',
  '1-',
  'all',
]

/** Characters that are repeated: each makes some parser work. */
const REPEATED = [
  'a',
  ' ',
  '0',
  '-',
  '<',
  '[',
  '(a',
  'a,',
  '<or> a ',
  ':',
  '%',
  '\\',
  '"',
  'é',
  '😀',
  '\u0000',
  '.',
  '{',
]

export const nastyNumber = (chance: Chance): unknown => rawJson(chance.pick(NUMBERS))

export const nastyName = (chance: Chance): string =>
  chance.percent(70) ? chance.pick(NAMES) : nastyText(chance, 1_000)

export function nastyText(chance: Chance, charsMax: number): string {
  if (chance.percent(75)) return chance.pick(TEXTS)
  const unit = chance.pick(REPEATED)
  return unit.repeat(Math.ceil(chance.size(charsMax) / unit.length))
}

export function nastyValue(chance: Chance, charsMax: number): unknown {
  switch (chance.below(9)) {
    case 0:
      return null
    case 1:
      return chance.percent(50)
    case 2:
      return nastyNumber(chance)
    case 3:
      return []
    case 4:
      // Objects that no String() and no Number() converts.
      return chance.pick<unknown>([{}, { toString: true }, [{ toString: 1, valueOf: 1 }], { toJSON: 1 }])
    case 5:
      return nested(chance, chance.percent(95) ? chance.below(120) : chance.size(charsMax / 2))
    case 6:
      return wide(chance, chance.size(Math.max(1, charsMax / 8)))
    default:
      return nastyText(chance, charsMax)
  }
}

/** As text, because values nested this deep cannot be written by JSON.stringify. */
function nested(chance: Chance, depth: number): unknown {
  const isList = chance.percent(50)
  return rawNested(isList ? '[' : '{"a":', isList ? ']' : '}', depth)
}

/** A text that stands for itself in JSON; JSON.rawJSON takes no lists and objects. */
export class RawText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const rawNested = (open: string, close: string, depth: number): RawText =>
  new RawText(`${open.repeat(depth)}1${close.repeat(depth)}`)

function wide(chance: Chance, members: number): unknown {
  if (chance.percent(50)) return Array(members).fill(chance.percent(50) ? chance.pick(TEXTS) : 1)
  return Object.fromEntries(Array.from({ length: members }, (_, nth) => [`k${nth}`, 'v']))
}

/** JSON text of a value that may hold texts which stand for themselves. */
export function textOf(value: unknown): string {
  const raw: string[] = []
  const text = JSON.stringify(value, (_key, member) => {
    if (!(member instanceof RawText)) return member
    raw.push(member.text)
    return MARK
  })
  return (text ?? 'null')
    .split(JSON.stringify(MARK))
    .reduce((whole, part, nth) => `${whole}${raw[nth - 1]}${part}`)
}

const MARK = '\u0001raw'
