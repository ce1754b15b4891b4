import { byName, list, object, oneOf, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

/** Of one request. */
export const CHECKED_KEYS_MAX = 1_000

export const DRIFT_SOURCES_MAX = 10_000

const VALUE_CHARS_MAX = 16_384

/** Extra specs or metadata. */
export const specs = (description: string) =>
  byName(text('A value; every value is text.', { maxLength: VALUE_CHARS_MAX }), description)

const finding = {
  code: text(
    'What programs go by: `key-undefined`, `key-retired`, `key-group-empty`, `value-type`, `value-enum`, `value-range`, ' +
      '`value-length`, `value-pattern`, `operator-undeclared`, `operator-unread`, `operator-comma-form`, ' +
      '`operator-pointless`; in drift also `key-missing`.',
  ),
  text: text('The same for people.'),
  namespace: orNull(text('Whose definition says so; null if it takes none to see it.')),
  suggestion: orNull(text('A key or value that was meant, most likely.')),
}

const keyReportShape = object('One key.', {
  key: text('The key.'),
  value: text('Its value.'),
  ok: yesOrNo('There is nothing to say about it.'),
  defined: list(
    object('One definition.', {
      namespace: text('The namespace.'),
      object: orNull(text('The object in it that has the property; null if it is in none.')),
      property: text('The name of the property. One may stand for a family of keys.'),
      prefix: text('What stands before it on this type of resource.'),
    }),
    'Where it is defined; empty if nowhere that the caller can see.',
  ),
  reader: orNull(
    object('Who makes something of the key.', {
      name: text('In words that follow "read by".'),
      dialect: orNull(oneOf('The dialect it understands; null if values are plain.', 'nova', 'manila')),
      operators: list(text('A symbol.'), 'The operators it understands.'),
      sentinels: yesOrNo('Whether it knows the sentinels `*`, `~` and `!`.'),
    }),
  ),
  operator: orNull(text('The operator that the value is written with.')),
  operator_allowed: orNull(yesOrNo('Whether property and reader take that operator; null without one.')),
  value_allowed: orNull(yesOrNo('Whether the property allows the value; null if nothing defines the key.')),
  findings: list(object('One remark.', finding), 'What there is to say; empty if one definition is content.'),
  near: list(text('A key.'), 'Defined keys that look like it, where nothing defines it.'),
})

export const catalogCheckShape = object('What came of it.', {
  resource_type: text('As in the request.'),
  ok: yesOrNo('There is nothing to say about any key, and none is missing.'),
  keys: list(keyReportShape, 'Every key, in the order given.'),
  missing: list(text('A key.'), 'Keys that a resource of this type cannot be without.'),
})

export const driftAskShape = object(
  'What to look at.',
  {},
  {
    flavors: list(
      object('A flavor.', { name: text('Its name.'), extra_specs: specs('Its extra specs.') }),
      'Flavors.',
    ),
    aggregates: list(
      object('An aggregate.', { name: text('Its name.'), metadata: specs('Its metadata.') }),
      'Aggregates.',
    ),
    share_types: list(
      object('A share type.', { name: text('Its name.'), extra_specs: specs('Its extra specs.') }),
      `Share types; of all three together at most ${DRIFT_SOURCES_MAX}.`,
    ),
  },
)

export const driftShape = object('What does not agree with the definitions.', {
  checked: object('How many were looked at.', {
    flavor: whole('Flavors.'),
    aggregate: whole('Aggregates.'),
    'share-type': whole('Share types.'),
  }),
  counts: byName(whole('How many.'), 'How many findings there are of each code, listed or not.'),
  findings: list(
    object('One finding.', {
      kind: oneOf('What has the key.', 'flavor', 'aggregate', 'share-type'),
      name: text('Its name.'),
      key: text('The key.'),
      value: orNull(text('Its value; null if the key is missing.')),
      ...finding,
    }),
    'The findings, 1000 at most.',
  ),
  truncated: yesOrNo('There are more.'),
})

export type CatalogCheck = TypeOf<typeof catalogCheckShape>
export type KeyReport = TypeOf<typeof keyReportShape>
export type DriftAsk = TypeOf<typeof driftAskShape>
export type CatalogDrift = TypeOf<typeof driftShape>
export type DriftFinding = CatalogDrift['findings'][number]
