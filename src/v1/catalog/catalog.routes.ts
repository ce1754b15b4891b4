import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkSpecs, type KeyReport } from '../../catalog/check/check-specs.ts'
import { type DefinitionSource, definitionsIn } from '../../catalog/check/defined-keys.ts'
import { driftOf, type SpecSource, sourceKinds } from '../../catalog/check/drift.ts'
import { RESOURCE_TYPES, type Specs } from '../../catalog/check/readers.ts'
import { canSee } from '../../catalog/context.ts'
import { type Credentials, LIST_BODY_BYTES } from '../../http/api.ts'
import type { Policy } from '../../http/policy.ts'
import { DIALECTS } from '../../scheduling/operators/dialects.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { byName, list, object, oneOf, orNull, type TypeOf, text, whole, yesOrNo } from '../api/shape.ts'

export interface CatalogCheckContext {
  readonly world: World
  readonly policy: Policy
  /** What is in use: flavors, aggregates, share types. */
  readonly specSources: () => Iterable<SpecSource>
}

/** Of one request. */
const KEYS_MAX = 1_000
const SOURCES_MAX = 10_000

const VALUE_CHARS_MAX = 16_384
const specs = (description: string) =>
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

const checkBody = object(
  'What to look at: either `specs` or `metadata`, which mean the same.',
  {
    resource_type: text(
      `What has them. Readers are known for ${RESOURCE_TYPES.join(', ')}; of another type only the definitions count.`,
      { minLength: 1 },
    ),
  },
  {
    specs: specs(`The extra specs of a flavor or share type, at most ${KEYS_MAX} keys.`),
    metadata: specs('The metadata of an aggregate.'),
  },
)

const keyReport = object('One key.', {
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
      dialect: orNull(oneOf('The dialect it understands; null if values are plain.', ...DIALECTS)),
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

const checkAnswer = object('What came of it.', {
  resource_type: text('As it was asked for.'),
  ok: yesOrNo('There is nothing to say about any key, and none is missing.'),
  keys: list(keyReport, 'Every key, in the order given.'),
  missing: list(text('A key.'), 'Keys that a resource of this type cannot be without.'),
})

const driftBody = object(
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
      `Share types; of all three together at most ${SOURCES_MAX}.`,
    ),
  },
)

const driftAnswer = object('What does not agree with the definitions.', {
  checked: object('How many were looked at.', {
    flavor: whole('Flavors.'),
    aggregate: whole('Aggregates.'),
    'share-type': whole('Share types.'),
  }),
  counts: byName(whole('How many.'), 'How many findings there are of each code, told or not.'),
  findings: list(
    object('One finding.', {
      kind: oneOf('What has the key.', ...sourceKinds),
      name: text('Its name.'),
      key: text('The key.'),
      value: orNull(text('Its value; null if the key is missing.')),
      ...finding,
    }),
    'The findings, 1000 at most.',
  ),
  truncated: yesOrNo('There are more.'),
})

/** Advice on what flavors, aggregates and share types say: it never stands in the way of storing it. */
export function catalogCheckRoutes(context: CatalogCheckContext): V1Route[] {
  return [checkRoute(context), driftRoute(context), driftOfGivenRoute(context)]
}

const checkRoute = (context: CatalogCheckContext): V1Route =>
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/catalog/check',
    operation: 'berth:catalog:check',
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Hold extra specs or metadata against the catalog',
    description:
      'Says of every key where it is defined, whether its value and its operator are allowed, by the definition ' +
      'and by what reads the key, and which key was likely meant if nothing defines it. Counts the namespaces that ' +
      'the caller can see.',
    body: checkBody,
    answer: { description: 'A report on every key.', shape: checkAnswer },
    problems: {
      400: 'The body is malformed; `field` names where.',
      413: `More than ${KEYS_MAX} keys.`,
    },
    handle({ body, credentials }): TypeOf<typeof checkAnswer> {
      const { resource_type } = body
      const given = specsIn(body)
      const report = checkSpecs(visible(context, credentials), resource_type, given)
      const keys = report.keys.map(told)
      const ok = report.missing.length === 0 && keys.every(one => one.ok)
      return { resource_type, ok, keys, missing: report.missing }
    },
  })

const driftRoute = (context: CatalogCheckContext): V1Route =>
  v1Route({
    method: 'GET',
    path: '/catalog/drift',
    operation: 'berth:catalog:drift',
    summary: 'List what is in use and does not agree with the catalog',
    description:
      'Looks at all flavors, aggregates and share types: keys that nothing defines, values outside their enum or ' +
      'range, operators that a property does not declare or its reader does not know.',
    answer: { description: 'The findings.', shape: driftAnswer },
    handle: ({ credentials }) =>
      driftOf(visible(context, credentials), [...context.specSources()], () => nextTurn()),
  })

const driftOfGivenRoute = (context: CatalogCheckContext): V1Route =>
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/catalog/drift',
    operation: 'berth:catalog:drift',
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Say the same of flavors, aggregates and share types that are sent along',
    description: 'For those of another cloud, or those that are not made yet.',
    body: driftBody,
    answer: { description: 'The findings.', shape: driftAnswer },
    problems: {
      400: 'The body is malformed; `field` names where.',
      413: `More than ${SOURCES_MAX} at once.`,
    },
    handle({ body, credentials }) {
      const sources = sourcesIn(body)
      if (sources.length > SOURCES_MAX)
        throw tooMany('flavors, aggregates and share types', sources.length, SOURCES_MAX)
      return driftOf(visible(context, credentials), sources, () => nextTurn())
    },
  })

function visible({ world, policy }: CatalogCheckContext, credentials: Credentials): DefinitionSource {
  const { catalog } = world
  const seen = catalog.namespaces.all().filter(row => canSee({ policy }, { credentials }, row))
  return definitionsIn(catalog, seen)
}

function specsIn({ specs, metadata }: TypeOf<typeof checkBody>): Specs {
  const given = specs ?? metadata
  if (given === undefined || (specs !== undefined && metadata !== undefined))
    throw new Problem(400, 'request.invalid', 'The body: either specs or metadata is needed, and not both.', {
      field: given === undefined ? 'specs' : 'metadata',
    })
  const count = Object.keys(given).length
  if (count > KEYS_MAX) throw tooMany('keys', count, KEYS_MAX)
  return given
}

const tooMany = (what: string, count: number, max: number): Problem =>
  new Problem(413, 'catalog.too-many', `${count} ${what} are too many: ${max} are taken at once.`, {
    count,
    max,
  })

function told(report: KeyReport): TypeOf<typeof keyReport> {
  const { key, value, definitions, reader, operator, findings, near } = report
  const isAmong = (...codes: string[]) => findings.some(({ code }) => codes.some(one => code.startsWith(one)))
  const operatorIsWrong = isAmong('operator-undeclared', 'operator-unread', 'operator-comma-form')
  return {
    key,
    value,
    operator,
    findings,
    near,
    ok: findings.length === 0,
    defined: definitions.map(({ namespace, object, property, prefix }) => ({
      namespace,
      object,
      property,
      prefix,
    })),
    reader: reader && {
      name: reader.name,
      dialect: reader.dialect,
      operators: reader.operators,
      sentinels: reader.hasSigns,
    },
    operator_allowed: operator === null || definitions.length === 0 ? null : !operatorIsWrong,
    value_allowed: definitions.length === 0 ? null : !isAmong('value-'),
  }
}

function sourcesIn(body: TypeOf<typeof driftBody>): SpecSource[] {
  const { flavors = [], aggregates = [], share_types = [] } = body
  return [
    ...flavors.map(({ name, extra_specs }): SpecSource => ({ kind: 'flavor', name, specs: extra_specs })),
    ...aggregates.map(({ name, metadata }): SpecSource => ({ kind: 'aggregate', name, specs: metadata })),
    ...share_types.map(
      ({ name, extra_specs }): SpecSource => ({ kind: 'share-type', name, specs: extra_specs }),
    ),
  ]
}
