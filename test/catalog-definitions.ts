/** Random definition files: every word a property may have, names in any script, numbers that are hard to keep. */
import fc from 'fast-check'
import { findNameFault } from '../src/catalog/schemas/faults.schemas.ts'

const text = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter(one => one.isWellFormed() && !one.includes('\0'))
const tricky = fc.constantFrom(
  'a/b',
  '100%',
  '__proto__',
  'x y',
  '名前',
  '🍵',
  '?q=1&r',
  'constructor',
  '#1',
  '+',
  ':',
)
const name = fc.oneof(text, tricky).filter(one => findNameFault('thing', one) === null)

/** As text, because JavaScript could not hold all of them. */
const number = fc.constantFrom('0', '-1', '0.5', '10.25', '1.0', '1e400', '-0', '9007199254740993', '1e-7')
const whole = fc.constantFrom('0', '1', '64', '2147483648')
const scalar = fc.oneof(
  number,
  text.map(one => JSON.stringify(one)),
  fc.constantFrom('true', 'false', 'null'),
)
const list = (items: fc.Arbitrary<string>) =>
  fc.array(items, { maxLength: 3 }).map(all => `[${all.join(',')}]`)
const quoted = text.map(one => JSON.stringify(one))
const flag = fc.constantFrom('true', 'false')
const type = fc.constantFrom('"array"', '"boolean"', '"integer"', '"number"', '"object"', '"string"')
const anything = fc.oneof(
  scalar,
  list(scalar),
  scalar.map(one => `{"b":${one},"a":[${one}]}`),
)

type Words = Readonly<Record<string, fc.Arbitrary<string>>>

/** The words of an object in any order, some of them missing. */
function object(always: Words, sometimes: Words): fc.Arbitrary<string> {
  const optional = Object.fromEntries(
    Object.entries(sometimes).map(([key, one]) => [key, fc.option(one, { nil: undefined })]),
  )
  return fc
    .tuple(fc.record({ ...always, ...optional }), fc.infiniteStream(fc.nat(1_000)))
    .map(([values, order]) => {
      const entries = Object.entries(values as Record<string, string | undefined>)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => ({ key, value, at: order.next().value as number }))
        .sort((a, b) => a.at - b.at)
      return `{${entries.map(({ key, value }) => `${JSON.stringify(key)}:${value}`).join(',')}}`
    })
}

const property = object(
  { title: quoted, type },
  {
    description: quoted,
    operators: list(quoted),
    minimum: number,
    maximum: number,
    default: anything,
    maxLength: whole,
    minLength: whole,
    pattern: quoted,
    enum: list(scalar),
    readonly: flag,
    maxItems: whole,
    minItems: whole,
    uniqueItems: flag,
    additionalItems: flag,
    items: object({}, { type, enum: list(scalar) }),
  },
)

const byName = (values: fc.Arbitrary<string>) =>
  fc
    .uniqueArray(fc.tuple(name, values), { selector: ([key]) => key, maxLength: 4 })
    // Keys that look like numbers have an order of their own in JavaScript.
    .map(all => all.filter(([key]) => !/^\d+$/.test(key)))
    .map(all => `{${all.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`)

const named = (more: Words) =>
  fc.uniqueArray(fc.tuple(name, object({}, more)), { selector: ([key]) => key, maxLength: 3 }).map(all => {
    const parts = all.map(([key, rest]) => {
      const inner = rest.slice(1, -1)
      return `{"name":${JSON.stringify(key)}${inner === '' ? '' : `,${inner}`}}`
    })
    return `[${parts.join(',')}]`
  })

const required = fc.uniqueArray(text, { maxLength: 3 }).map(all => JSON.stringify(all))

const body = object(
  {},
  {
    display_name: quoted,
    description: quoted,
    protected: flag,
    owner: fc.constantFrom('"p"', '"q"'),
    visibility: fc.constantFrom('"public"', '"private"'),
    properties: byName(property),
    objects: named({ description: quoted, required, properties: byName(property) }),
    tags: named({}),
    resource_type_associations: named({ prefix: quoted, properties_target: quoted }),
  },
)

/** Definitions of different namespaces. */
export const definitionTexts: fc.Arbitrary<string[]> = fc
  .uniqueArray(fc.tuple(name, body), { selector: ([key]) => key, minLength: 1, maxLength: 4 })
  .map(all =>
    all.map(
      ([key, text]) => `{"namespace":${JSON.stringify(key)}${text === '{}' ? '}' : `,${text.slice(1)}`}`,
    ),
  )
