import { canSee } from '../../catalog/context.ts'
import type { Definition } from '../../catalog/fields.ts'
import { readDefinition } from '../../catalog/reading.ts'
import { findNamespaceFault } from '../../catalog/schemas/faults.schemas.ts'
import { exportDefinition } from '../../catalog/transfer/export.ts'
import type { ImportRefusal } from '../../catalog/transfer/import.ts'
import { parseJson } from '../../http/formats/json-body.ts'
import type { Policy } from '../../http/policy.ts'
import { parseExactly } from '../../kernel/exact-json.ts'
import type { Json } from '../../kernel/json.ts'
import { catalogImportReportShape, catalogMergeShape } from '../../wire/catalog-import.ts'
import { anything, list, object, text, yesOrNo } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Problem, toCloudOwnedProblem } from '../api/problem.ts'
import { type V1Route, v1Route, v1Write } from '../api/route.ts'

/** The body is parsed and checked in one step, which blocks other requests. */
const BYTES_MAX = 16 * 1024 * 1024
/** The owner of a namespace if neither the file nor the token names one. */
const OWNER = 'admin'

const DEFINITION_EXAMPLE = `{"definitions":[{"namespace":"Acme::Storage","visibility":"public","resource_type_associations":[{"name":"OS::Nova::Flavor","prefix":"acme:"}],"properties":{"tier":{"title":"Tier","type":"string","operators":["<or>"],"enum":["gold","silver"]}},"objects":[],"tags":[]}]}
`

const importQuery = object(
  'Options.',
  {},
  {
    merge: catalogMergeShape,
    dry_run: yesOrNo('Change nothing; only return what would change.'),
  },
)

const exportQuery = object(
  'What to list.',
  {},
  { namespace: list(text('A name.'), 'Namespaces to export; all that the caller sees if none is named.') },
)

/** Import and export of definitions. */
export function catalogTransferRoutes(context: {
  readonly world: World
  readonly policy: Policy
}): V1Route[] {
  return [importRoute(), exportRoute(context)]
}

function importRoute(): V1Route {
  return v1Write({
    method: 'POST',
    path: '/catalog/import',
    operation: 'berth:catalog:import',
    summary: 'Import definitions into the catalog',
    description:
      'One definition as Glance ships them, or `{"definitions": [...]}`, as `GET /v1/catalog/export` writes them. ' +
      'All of them are imported in one commit, or none. Members that servers add (`created_at`, ' +
      '`updated_at`, `self`, `schema`) are ignored. A namespace without an owner belongs to the project of the caller.',
    query: importQuery,
    rawBody: 'application/json',
    rawBodyExample: DEFINITION_EXAMPLE,
    answer: { description: 'The result for each definition.', shape: catalogImportReportShape },
    problems: {
      400: 'A definition is malformed; `definition` is its number, counted from 1.',
      409: 'A definition names something twice, or two definitions are of one namespace.',
      413: `The body has more than ${BYTES_MAX} bytes.`,
    },
    async write({ query, bytes, credentials, once }) {
      const definitions = readDefinitions(await readBody(bytes))
      const { merge = 'skip', dry_run = false } = query
      const owner = credentials.projectId ?? OWNER
      return once.submit({ kind: 'catalog:import', definitions, merge, owner, dryRun: dry_run }, outcome =>
        outcome.ok
          ? { status: 200, body: { dry_run, namespaces: outcome.answer } }
          : toProblem(outcome.refusal),
      )
    },
  })
}

async function readBody(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > BYTES_MAX)
      throw new Problem(413, 'request.too-large', `A body may have at most ${BYTES_MAX} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function readDefinitions(body: Buffer): Definition[] {
  const { value, text: json } = parseJson(body)
  listOf(value).forEach((one, at) => {
    const fault = findNamespaceFault(one)
    if (fault === null) return
    const number = at + 1
    const { namespace } = (typeof one === 'object' && one !== null ? one : {}) as Json
    const facts = { definition: number, ...(typeof namespace === 'string' ? { namespace } : {}) }
    throw new Problem(400, 'catalog.bad-definition', `Definition ${number}: ${fault}`, facts)
  })
  return listOf(parseExactly(json)).map(one => readDefinition(one as Json))
}

/** One definition, or several. */
function listOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'definitions')) return [value]
  const { definitions, ...others } = value as Json
  if (Array.isArray(definitions) && Object.keys(others).length === 0) return definitions
  throw new Problem(400, 'request.invalid', 'The body must be a definition, or {"definitions": [...]}.')
}

function toProblem(refusal: ImportRefusal): Problem {
  if (refusal.kind === 'cloud-owned') return toCloudOwnedProblem(refusal)
  const { kind, ...facts } = refusal
  if (kind === 'defined-twice')
    return new Problem(409, 'catalog.defined-twice', `${facts.namespace} is defined twice.`, facts)
  if ('part' in refusal)
    return new Problem(
      409,
      'catalog.duplicate',
      `${refusal.namespace} has the ${refusal.part} ${refusal.name} twice.`,
      facts,
    )
  return new Problem(409, 'catalog.refused', `${facts.namespace}: ${kind}.`, { reason: kind, ...facts })
}

function exportRoute({ world, policy }: { readonly world: World; readonly policy: Policy }): V1Route {
  return v1Route({
    method: 'GET',
    path: '/catalog/export',
    operation: 'berth:catalog:export',
    summary: 'Export definitions of the catalog',
    description:
      'Namespaces as they were created, without what the server adds; numbers keep their digits. ' +
      '`POST /v1/catalog/import` of the answer changes nothing.',
    query: exportQuery,
    answer: {
      description: 'The definitions, in the order of their names.',
      shape: object('All.', { definitions: list(anything('A definition.'), 'One for each namespace.') }),
    },
    problems: { 404: 'There is no such namespace, or the caller cannot see it; `namespace` is its name.' },
    handle({ query, credentials }) {
      const { namespaces } = world.catalog
      const seen = namespaces.all().filter(row => canSee({ policy }, { credentials }, row))
      const names = query.namespace
      const known = new Set(seen.map(row => row.namespace))
      const missing = names?.find(name => !known.has(name))
      if (missing !== undefined)
        throw new Problem(404, 'catalog.no-namespace', `There is no namespace ${missing}.`, {
          namespace: missing,
        })
      const asked = new Set(names)
      const wanted = names === undefined ? seen : seen.filter(row => asked.has(row.namespace))
      const sorted = wanted.toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1))
      return { definitions: sorted.map(row => exportDefinition(world.catalog, row)) }
    },
  })
}
