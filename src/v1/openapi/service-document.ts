import type { AnswerSchemas, Route, SchemaFor } from '../../http/api.ts'
import { placementErrorSchema } from '../../http/formats/error-document.ts'
import { findStatus } from '../../http/formats/statuses.ts'
import type { MountedService } from '../../http/mounted-services.ts'
import { findOpenRoute } from '../../http/request/router.ts'
import type { Service } from '../../http/service.ts'
import { assert } from '../../kernel/assert.ts'
import type { Json } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { emptyRecord } from '../../kernel/records.ts'
import { Turns } from '../api/in-turns.ts'
import { queryParameters } from './query-parameters.ts'
import { schemaDocument } from './schema-document.ts'
import {
  rangesOf,
  spanOf,
  type VersionRange,
  type VersionSpan,
  versionMarks,
  versionSpans,
} from './version-ranges.ts'

/** An OpenStack service as it is mounted, and what its document is about. */
export interface DocumentedService extends MountedService {
  /** The document is `/v1/openapi/{name}.json`. */
  readonly name: string
  readonly title: string
}

// biome-ignore lint/suspicious/noExplicitAny: every service has its own features, which only its routes read
type Features = any

/**
 * The routes of an OpenStack service as an OpenAPI 3.1 document. Microversions are described as in OpenStack's own
 * documents: `x-openstack` has `min-ver` and `max-ver`, and what differs by version is a `oneOf` whose discriminator
 * is `microversion`.
 */
export async function serviceDocument(
  { service, mount, title }: DocumentedService,
  version: string,
): Promise<Json> {
  const spans = versionSpans(service)
  const schemas = new SchemaComponents()
  const paths: Record<string, Record<string, Json>> = emptyRecord()
  const turns = new Turns()
  for (const routes of Map.groupBy(service.routes, ({ method, path }) => `${method} ${path}`).values()) {
    const [{ method, path }] = routes as [Route<Features>]
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf({ service, spans, schemas, routes }) }
    await turns.give()
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: service.versions?.max ?? version,
      description: descriptionOf(service, version),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: mount === '' ? '/' : mount }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' } },
      parameters: versionParameters(service),
      headers: { ...REQUEST_ID_HEADER, ...versionHeaders(service) },
      responses: { Error: errorResponse(service) },
      schemas: { ...schemas.all, Error: schemaDocument(service.errorSchema ?? placementErrorSchema) },
    },
  }
}

function descriptionOf({ versions }: Service<Features>, version: string): string {
  const range =
    versions === null ? 'It has no microversions.' : `Microversions ${versions.min} to ${versions.max}.`
  return `As Berth ${version} serves it. ${range}`
}

interface OperationParts {
  readonly service: Service<Features>
  readonly spans: readonly VersionSpan<Features>[]
  readonly schemas: SchemaComponents
  /** Routes with the same method and path, which exist in different versions. */
  readonly routes: readonly Route<Features>[]
}

function operationOf(parts: OperationParts): Json {
  const { service, spans, routes } = parts
  const newest = routes.at(-1) as Route<Features>
  const { method, path, summary } = newest
  assert(summary !== undefined, () => `${method} ${path} has no summary`)
  const exists = rangesOf(spans, features => findOpenRoute(routes, features)?.operation)
  const id = `${method.toLowerCase()}${path.replaceAll(/[^a-z0-9]+/gi, '_')}`
  const isOpen = isOpenRequest(service, method, path)
  return {
    operationId: id,
    summary,
    tags: [tagOf(path)],
    ...(newest.operation === null ? {} : { 'x-berth-operation': newest.operation }),
    ...versionMarks(spanOf(exists)),
    ...(isOpen ? { security: [] } : {}),
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(name as string)),
      ...queryParameters(
        rangesOf(spans, features => schemaOf(findOpenRoute(routes, features)?.query, features)),
      ),
      ...Object.entries(newest.requestHeaders ?? {}).map(([name, description]) => ({
        ...headerParameter(name, description),
        required: true,
      })),
      ...versionParameterRefs(service, path),
    ],
    ...requestBodyOf(parts, id),
    responses: {
      ...successesOf(parts, id),
      '4XX': { $ref: '#/components/responses/Error' },
      '5XX': { $ref: '#/components/responses/Error' },
    },
  }
}

function requestBodyOf({ spans, routes, schemas }: OperationParts, id: string): Json {
  const find = (features: Features) => findOpenRoute(routes, features)
  const bodies = rangesOf(spans, features => schemaOf(find(features)?.requestBody, features))
  const names = new Set(
    spans.flatMap(({ features }) => Object.keys(find(features)?.actions?.(features) ?? {})),
  )
  if (bodies.length === 0 && names.size === 0) return {}
  const schema =
    names.size > 0
      ? schemas.oneOfActions(
          `${id}_request`,
          [...names].flatMap(name =>
            rangesOf(spans, features => find(features)?.actions?.(features)[name]).map(range => ({
              name,
              range,
            })),
          ),
        )
      : schemas.byVersion(`${id}_request`, bodies)
  return { requestBody: { required: true, content: { 'application/json': { schema } } } }
}

function schemaOf(schema: SchemaFor<Features> | undefined, features: Features): Schema | undefined {
  return typeof schema === 'function' ? schema(features) : schema
}

/** The tag of a route: the first fixed part of its path that is not a version. */
function tagOf(path: string): string {
  const parts = path.split('/').filter(part => part !== '' && !/^(\{.*|v\d.*|metadefs)$/.test(part))
  return parts[0] ?? 'versions'
}

function isOpenRequest(
  { openPaths = ['/'], openRequests = [] }: Service<Features>,
  method: string,
  path: string,
) {
  return openPaths === 'all' || openPaths.includes(path) || openRequests.includes(`${method} ${path}`)
}

const pathParameter = (name: string): Json => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
})

function successesOf({ service, spans, routes, schemas }: OperationParts, id: string): Json {
  const answersOf = (features: Features): AnswerSchemas => {
    const answers = findOpenRoute(routes, features)?.answers
    return (typeof answers === 'function' ? answers(features) : answers) ?? {}
  }
  const ownHeaders = Object.fromEntries(
    Object.entries(routes.at(-1)?.answerHeaders ?? {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  )
  const all = new Set(spans.flatMap(({ features }) => Object.keys(answersOf(features))))
  assert(all.size > 0, () => `${id} has no answers`)
  return Object.fromEntries(
    [...all].map(status => {
      const ranges = rangesOf(spans, features => answersOf(features)[Number(status)])
      const bodies = ranges.filter((range): range is VersionRange<Schema> => range.value !== null)
      const content =
        bodies.length === 0
          ? {}
          : { content: { 'application/json': { schema: schemas.byVersion(`${id}_${status}`, bodies) } } }
      const shared = Object.keys({ ...REQUEST_ID_HEADER, ...versionHeaders(service) })
      return [
        status,
        {
          description: `${findStatus(Number(status)).title}.${isMaybeEmpty(routes, status) ? ' Some requests get no body.' : ''}`,
          ...versionMarks(spanOf(ranges)),
          headers: {
            ...Object.fromEntries(shared.map(name => [name, { $ref: `#/components/headers/${name}` }])),
            ...ownHeaders,
          },
          ...content,
        },
      ]
    }),
  )
}

const isMaybeEmpty = (routes: readonly Route<Features>[], status: string): boolean =>
  routes.some(({ maybeEmpty }) => maybeEmpty?.includes(Number(status)))

const REQUEST_ID_HEADER: Json = {
  'x-openstack-request-id': {
    description: 'The id of the request in the server log.',
    schema: { type: 'string' },
  },
}

/** The headers with the version of an answer. */
function versionHeaders({ versions, serviceType, olderVersionHeader }: Service<Features>): Json {
  if (versions === null) return {}
  return {
    'openstack-api-version': {
      description: `The version of the answer, such as \`${serviceType} ${versions.max}\`.`,
      schema: { type: 'string' },
    },
    ...(olderVersionHeader === undefined
      ? {}
      : {
          [olderVersionHeader.toLowerCase()]: {
            description: 'The same version, without the service.',
            schema: { type: 'string' },
          },
        }),
  }
}

const headerParameter = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

/** The headers that ask for a version. */
function versionParameters({ versions, serviceType, olderVersionHeader }: Service<Features>): Json {
  if (versions === null) return {}
  return {
    version: headerParameter(
      'OpenStack-API-Version',
      `\`${serviceType} VERSION\`, from ${versions.min} to ${versions.max}, or \`latest\`; ${versions.min} if absent.`,
    ),
    ...(olderVersionHeader === undefined
      ? {}
      : {
          olderVersion: headerParameter(
            olderVersionHeader,
            'The version alone. Counts where `OpenStack-API-Version` names none.',
          ),
        }),
  }
}

function versionParameterRefs(service: Service<Features>, path: string): Json[] {
  if (service.versionlessPaths?.includes(path)) return []
  return Object.keys(versionParameters(service)).map(name => ({ $ref: `#/components/parameters/${name}` }))
}

function errorResponse({ errorDocument }: Service<Features>): Json {
  const formats = errorDocument === undefined ? ' HTML or plain text where Accept asks for it.' : ''
  return {
    description: `The request was refused, or failed.${formats}`,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

interface Action {
  readonly name: string
  readonly range: VersionRange<Schema>
}

/** The schemas of a document, each once: aliases of a path share the schema. */
class SchemaComponents {
  readonly all: Record<string, Json> = emptyRecord()
  readonly #byText = new Map<string, string>()

  /** The schema of a body, or its schema in each version. */
  byVersion(name: string, ranges: readonly VersionRange<Schema>[]): Json {
    const [only, ...others] = ranges
    if (only !== undefined && others.length === 0) return this.#refer(name, schemaDocument(only.value))
    return {
      oneOf: ranges.map(range =>
        this.#refer(nameVersion(name, range), { ...schemaDocument(range.value), ...versionMarks(range) }),
      ),
      'x-openstack': { discriminator: 'microversion' },
    }
  }

  oneOfActions(name: string, actions: readonly Action[]): Json {
    return {
      oneOf: actions.map(({ name: action, range }) =>
        this.#refer(nameVersion(`${name}_${action}`, range), {
          ...schemaDocument(range.value),
          ...versionMarks(range, { 'action-name': action }),
        }),
      ),
      'x-openstack': { discriminator: 'action' },
    }
  }

  #refer(name: string, schema: Json): Json {
    const text = JSON.stringify(schema)
    const known = this.#byText.get(text) ?? name.replaceAll(/[^A-Za-z0-9._-]/g, '_')
    if (!this.#byText.has(text)) {
      assert(this.all[known] === undefined, () => `two schemas are called ${known}`)
      this.#byText.set(text, known)
      this.all[known] = schema
    }
    return { $ref: `#/components/schemas/${known}` }
  }
}

const nameVersion = (name: string, { first }: VersionRange<unknown>): string =>
  first === null ? name : `${name}_${first.replace('.', '')}`
