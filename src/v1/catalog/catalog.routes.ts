import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkSpecs, type KeyReport } from '../../catalog/check/check-specs.ts'
import { type DefinitionSource, indexDefinitions } from '../../catalog/check/defined-keys.ts'
import { findDrift, type SpecSource, sourceKinds } from '../../catalog/check/drift.ts'
import { RESOURCE_TYPES, type Specs } from '../../catalog/check/readers.ts'
import { canSee } from '../../catalog/context.ts'
import { type Credentials, LIST_BODY_BYTES } from '../../http/api.ts'
import type { Policy } from '../../http/policy.ts'
import {
  type CatalogCheck,
  type CatalogDrift,
  CHECKED_KEYS_MAX,
  catalogCheckShape,
  DRIFT_SOURCES_MAX,
  type DriftAsk,
  driftAskShape,
  driftShape,
  type KeyReport as KeyReportBody,
  specs,
} from '../../wire/catalog-check.ts'
import { object, type TypeOf, text } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'

interface CatalogCheckContext {
  readonly world: World
  readonly policy: Policy
  /** Resources in use: flavors, aggregates, share types. */
  readonly specSources: () => Iterable<SpecSource>
}

const checkBody = object(
  'What to check: either `specs` or `metadata`, which mean the same.',
  {
    resource_type: text(
      `The type of resource. Readers are known for ${RESOURCE_TYPES.join(', ')}; for other types only the definitions count.`,
      { minLength: 1 },
    ),
  },
  {
    specs: specs(`The extra specs of a flavor or share type, at most ${CHECKED_KEYS_MAX} keys.`),
    metadata: specs('The metadata of an aggregate.'),
  },
)

/** Advice about flavors, aggregates and share types. It never prevents storing them. */
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
    summary: 'Check extra specs or metadata against the catalog',
    description:
      'Reports for every key where it is defined, whether its value and its operator are allowed by the definition ' +
      'and by the reader of the key, and which key was probably meant if nothing defines it. Uses the namespaces that ' +
      'the caller can see.',
    body: checkBody,
    answer: { description: 'A report on every key.', shape: catalogCheckShape },
    problems: {
      400: 'The body is malformed; `field` names where.',
      413: `More than ${CHECKED_KEYS_MAX} keys.`,
    },
    handle({ body, credentials }): CatalogCheck {
      const { resource_type } = body
      const given = readSpecs(body)
      const report = checkSpecs(findVisible(context, credentials), resource_type, given)
      const keys = report.keys.map(keyReportBody)
      const ok = report.missing.length === 0 && keys.every(one => one.ok)
      return { resource_type, ok, keys, missing: report.missing }
    },
  })

const driftRoute = (context: CatalogCheckContext): V1Route =>
  v1Route({
    method: 'GET',
    path: '/catalog/drift',
    operation: 'berth:catalog:drift',
    summary: 'List metadata in use that does not match the catalog',
    description:
      'Looks at all flavors, aggregates and share types: keys that nothing defines, values outside their enum or ' +
      'range, operators that a property does not declare or its reader does not know.',
    answer: { description: 'The findings.', shape: driftShape },
    handle: ({ credentials }): Promise<CatalogDrift> =>
      findDrift(findVisible(context, credentials), sortSources(context.specSources()), () => nextTurn()),
  })

/** Within each kind, sorted as in lists. */
const sortSources = (sources: Iterable<SpecSource>): SpecSource[] =>
  sourceKinds.flatMap(kind =>
    [...sources]
      .filter(one => one.kind === kind)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  )

const driftOfGivenRoute = (context: CatalogCheckContext): V1Route =>
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/catalog/drift',
    operation: 'berth:catalog:drift',
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Check flavors, aggregates and share types in the body against the catalog',
    description: 'For another cloud, or for what does not exist yet.',
    body: driftAskShape,
    answer: { description: 'The findings.', shape: driftShape },
    problems: {
      400: 'The body is malformed; `field` names where.',
      413: `More than ${DRIFT_SOURCES_MAX} at once.`,
    },
    handle({ body, credentials }): Promise<CatalogDrift> {
      const sources = readSources(body)
      if (sources.length > DRIFT_SOURCES_MAX)
        throw makeTooMany('flavors, aggregates and share types', sources.length, DRIFT_SOURCES_MAX)
      return findDrift(findVisible(context, credentials), sources, () => nextTurn())
    },
  })

function findVisible({ world, policy }: CatalogCheckContext, credentials: Credentials): DefinitionSource {
  const { catalog } = world
  const seen = catalog.namespaces.all().filter(row => canSee({ policy }, { credentials }, row))
  return indexDefinitions(catalog, seen)
}

function readSpecs({ specs, metadata }: TypeOf<typeof checkBody>): Specs {
  const given = specs ?? metadata
  if (given === undefined || (specs !== undefined && metadata !== undefined))
    throw new Problem(400, 'request.invalid', 'The body needs either specs or metadata, not both.', {
      field: given === undefined ? 'specs' : 'metadata',
    })
  const count = Object.keys(given).length
  if (count > CHECKED_KEYS_MAX) throw makeTooMany('keys', count, CHECKED_KEYS_MAX)
  return given
}

const makeTooMany = (what: string, count: number, max: number): Problem =>
  new Problem(413, 'catalog.too-many', `${count} ${what} are given: at most ${max} are allowed.`, {
    count,
    max,
  })

function keyReportBody(report: KeyReport): KeyReportBody {
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

function readSources(body: DriftAsk): SpecSource[] {
  const { flavors = [], aggregates = [], share_types = [] } = body
  return [
    ...flavors.map(({ name, extra_specs }): SpecSource => ({ kind: 'flavor', name, specs: extra_specs })),
    ...aggregates.map(({ name, metadata }): SpecSource => ({ kind: 'aggregate', name, specs: metadata })),
    ...share_types.map(
      ({ name, extra_specs }): SpecSource => ({ kind: 'share-type', name, specs: extra_specs }),
    ),
  ]
}
