import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../../test/property-runs.ts'
import { DIALECTS, type Dialect, listOperators } from './dialects.ts'
import { evaluate, evaluateForm, type Value } from './evaluate.ts'
import { type Form, parse, print } from './form.ts'

const numRuns = countRuns(3_000)

const dialects = fc.constantFrom(...DIALECTS)
const blanks = fc.constantFrom(
  ' ',
  '  ',
  '\t',
  '\u001c',
  '\u0085',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '\u200b',
  '',
)
const symbols = fc.constantFrom(
  ...DIALECTS.flatMap(dialect => listOperators(dialect).map(({ symbol }) => symbol)),
  ...['<', '>', 'S==', '<OR>', '<Is>', 'undefined', '<range-in>', 'or'],
)
const words = fc.oneof(
  symbols,
  fc.constantFrom(
    'a',
    'A',
    'b',
    'a,b',
    '\u03a3',
    '\u0130',
    '1',
    '4.0',
    '1_0',
    'inf',
    'nan',
    '\u0664',
    '',
    'true',
    'No',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const requirements = fc.array(fc.tuple(words, blanks), { maxLength: 6 }).map(parts => parts.flat().join(''))
const scalars = fc.oneof(words, requirements, fc.double({ noNaN: true }), fc.boolean(), fc.constant(null))
const values: fc.Arbitrary<Value> = fc.oneof(scalars, fc.array(scalars, { maxLength: 3 }))

/** A value with a fair chance to match: often a word of the requirement. */
const matters = requirements.chain(requirement =>
  fc.record({
    requirement: fc.constant(requirement),
    value: fc.oneof(values, fc.constantFrom(requirement, ...requirement.split(/\s+/))),
  }),
)

test('what a requirement was parsed to prints as text that matches the same values', () => {
  let matched = 0
  fc.assert(
    fc.property(dialects, matters, (dialect, { requirement, value }) => {
      const { form, text } = parse(requirement, dialect)
      expect(print(form, dialect)).toEqual({ ok: true, text })
      const verdict = evaluate(dialect, value, requirement)
      expect(evaluate(dialect, value, text)).toEqual(verdict)
      if (verdict.matches) matched++
    }),
    { numRuns },
  )
  expect(matched).toBeGreaterThan(numRuns / 20)
})

const forms = (dialect: Dialect): fc.Arbitrary<Form> =>
  fc.oneof(
    requirements.map(text => ({ kind: 'literal', text }) as const),
    fc.record({
      kind: fc.constant('operator' as const),
      operator: fc.oneof(symbols, fc.constantFrom(...listOperators(dialect).map(({ symbol }) => symbol))),
      operands: fc.array(words, { maxLength: 4 }),
    }),
  )

test('a form that has a text is read back from it, and one that has none is refused with the field', () => {
  let printed = 0
  fc.assert(
    fc.property(
      dialects.chain(dialect => fc.tuple(fc.constant(dialect), forms(dialect))),
      ([dialect, form]) => {
        const outcome = print(form, dialect)
        if (outcome.ok) {
          printed++
          expect(parse(outcome.text, dialect)).toEqual({
            form,
            text: outcome.text,
            ignored: [],
            repaired: false,
          })
        } else expect(outcome.field).toMatch(/^(text|operator|operands(\.\d)?)$/)
      },
    ),
    { numRuns },
  )
  expect(printed).toBeGreaterThan(numRuns / 4)
})

test('no value and no requirement throws, and an error never goes with a match', () => {
  fc.assert(
    fc.property(dialects, matters, (dialect, { requirement, value }) => {
      const { matches, error } = evaluate(dialect, value, requirement)
      expect(matches && error !== null).toBe(false)
    }),
    { numRuns },
  )
})

test('a repaired text is one that is read as it stands', () => {
  const lists = fc.array(fc.constantFrom('a', 'b', '4', ''), { minLength: 1, maxLength: 4 })
  const written = fc
    .tuple(fc.constantFrom('<or>', '<all-in>', '<in>', 'undefined', 's=='), lists)
    .map(([operator, list]) => `${operator} ${list.join(',')}`)
  fc.assert(
    fc.property(dialects, written, values, (dialect, text, value) => {
      const mended = parse(text, dialect, { repair: true })
      expect(parse(mended.text, dialect).form).toEqual(mended.form)
      expect(evaluate(dialect, value, mended.text)).toEqual(evaluateForm(dialect, value, mended.form))
      if (!mended.repaired) expect(mended).toEqual(parse(text, dialect))
    }),
    { numRuns },
  )
})
