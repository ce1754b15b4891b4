import { ApiError, json, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { flag, listOf, mapOf, objectOf, text, textOrNull, whole } from '../../http/formats/schema-forms.ts'
import { requireMetadata } from '../../http/metadata-check.ts'
import { requireAllowed } from '../../http/policy.ts'
import type { Json } from '../../kernel/json.ts'
import { listAggregateWarnings } from '../../scheduling/hosts/filters/aggregate-instance-type/aggregate-instance-type.ts'
import { ZONE } from '../../scheduling/hosts/hosts.ts'
import {
  hostName,
  METADATA_KEY,
  parseName,
  readAction,
  readBody,
  renderTime,
  shortText,
  wrapSchema,
} from '../bodies.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from '../context.ts'
import { noAggregate, submit } from '../errors.ts'
import type { Features } from '../versions.ts'
import { addWarnings, asNotes } from '../warnings.ts'
import { type AggregateState, describeState } from './aggregates.ts'

const POLICY = 'os_compute_api:os-aggregates'
const ONE = '/os-aggregates/{aggregate_id}'

const zone: Schema = { ...shortText, type: ['string', 'null'] }
const about: Schema = {
  type: 'object',
  properties: { name: shortText, [ZONE]: zone },
  additionalProperties: false,
}
const createSchema = wrapSchema('aggregate', { ...about, required: ['name'] })
const updateSchema = wrapSchema('aggregate', {
  ...about,
  anyOf: [{ required: ['name'] }, { required: [ZONE] }],
})
const hostSchema: Schema = {
  type: 'object',
  properties: { host: hostName },
  required: ['host'],
  additionalProperties: false,
}
const metadataSchema: Schema = wrapSchema('metadata', {
  type: 'object',
  patternProperties: { [METADATA_KEY]: { type: ['string', 'null'], maxLength: 255 } },
  additionalProperties: false,
})

const actions = {
  add_host: wrapSchema('add_host', hostSchema),
  remove_host: wrapSchema('remove_host', hostSchema),
  set_metadata: wrapSchema('set_metadata', metadataSchema),
} as const

/** What a new aggregate shows; its hosts and metadata are shown later. */
const fieldsFor = (features: Features) => ({
  id: whole,
  ...(features.aggregateUuids && { uuid: text }),
  name: text,
  created_at: text,
  updated_at: textOrNull,
  deleted_at: textOrNull,
  deleted: flag,
  availability_zone: textOrNull,
})
const aggregateSchema = (features: Features): Schema =>
  objectOf({ ...fieldsFor(features), hosts: listOf(text), metadata: mapOf(text) })

export function aggregateRoutes(context: ComputeContext): ComputeRoute[] {
  return [...listRoutes(context), ...singleRoutes(context), ...actionRoutes(context)]
}

function listRoutes(context: ComputeContext): ComputeRoute[] {
  const { world } = context
  return [
    {
      method: 'GET',
      path: '/os-aggregates',
      operation: `${POLICY}:index`,
      summary: 'List host aggregates',
      answers: features => ({ 200: objectOf({ aggregates: listOf(aggregateSchema(features)) }) }),
      handle(request) {
        const rows = world.compute.aggregates.all()
        return json(200, { aggregates: rows.map(row => aggregateBody(request, describeState(world, row))) })
      },
    },
    {
      method: 'POST',
      path: '/os-aggregates',
      operation: `${POLICY}:create`,
      summary: 'Create a host aggregate',
      requestBody: createSchema,
      answers: features => ({ 200: objectOf({ aggregate: objectOf(fieldsFor(features)) }) }),
      async handle(request) {
        const fields = readBody(request, createSchema).aggregate as Json
        const name = parseName('name', fields.name)
        const zone = typeof fields[ZONE] === 'string' ? parseName(ZONE, fields[ZONE], ':') : null
        const uuid = context.newUuid()
        const answer = await submit(context, { kind: 'compute:create-aggregate', uuid, name, zone })
        // As in Nova, a new aggregate is shown without hosts and metadata.
        const { hosts: _, metadata: __, ...aggregate } = aggregateBody(request, answer)
        return json(200, { aggregate })
      },
    },
  ]
}

function singleRoutes(context: ComputeContext): ComputeRoute[] {
  const { world } = context
  return [
    {
      method: 'GET',
      path: ONE,
      operation: `${POLICY}:show`,
      summary: 'Show a host aggregate',
      answers: features => ({ 200: objectOf({ aggregate: aggregateSchema(features) }) }),
      handle(request) {
        const id = parseId(request)
        const row = world.compute.aggregates.get(id)
        if (row === undefined) throw noAggregate(id)
        return json(200, { aggregate: aggregateBody(request, describeState(world, row)) })
      },
    },
    {
      method: 'PUT',
      path: ONE,
      operation: `${POLICY}:update`,
      summary: 'Change the name or the availability zone of a host aggregate',
      requestBody: updateSchema,
      answers: features => ({ 200: objectOf({ aggregate: aggregateSchema(features) }) }),
      async handle(request) {
        const fields = readBody(request, updateSchema).aggregate as Json
        const name = fields.name === undefined ? undefined : parseName('name', String(fields.name).trim())
        if (typeof fields[ZONE] === 'string') parseName(ZONE, fields[ZONE], ':')
        const metadata = fields[ZONE] === undefined ? {} : { [ZONE]: fields[ZONE] as string | null }
        const aggregate = parseId(request)
        return submitChange(context, request, { aggregate, name, metadata })
      },
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: `${POLICY}:delete`,
      summary: 'Delete a host aggregate',
      answers: { 200: null },
      async handle(request) {
        await submit(context, {
          kind: 'compute:delete-aggregate',
          aggregate: parseId(request),
        })
        return { status: 200 }
      },
    },
  ]
}

function actionRoutes(context: ComputeContext): ComputeRoute[] {
  return [
    {
      method: 'POST',
      path: `${ONE}/action`,
      operation: `${POLICY}:set_metadata`,
      asksPolicy: true,
      summary: 'Add or remove a host, or set metadata of a host aggregate',
      actions: () => actions,
      answers: features => ({ 200: objectOf({ aggregate: aggregateSchema(features) }) }),
      handle: request => act(context, request),
    },
    {
      method: 'POST',
      path: `${ONE}/images`,
      operation: 'compute:aggregates:images',
      since: 'aggregateImages',
      summary: 'Cache images on the hosts of an aggregate: answers 501',
      answers: { 202: null },
      handle() {
        throw new ApiError(501, 'Berth does not cache images on hosts.')
      },
    },
  ]
}

async function act(context: ComputeContext, request: ComputeRequest) {
  const action = readAction(request, actions) as keyof typeof actions
  requireAllowed(context, request, `${POLICY}:${action}`)
  const fields = readBody(request, actions[action])[action] as Json
  const aggregate = parseId(request)
  if (action === 'set_metadata') {
    const metadata = fields.metadata as Readonly<Record<string, string | null>>
    return submitChange(context, request, { aggregate, metadata })
  }
  const kind = action === 'add_host' ? 'compute:add-aggregate-host' : 'compute:remove-aggregate-host'
  const answer = await submit(context, { kind, aggregate, host: fields.host as string })
  return json(200, { aggregate: aggregateBody(request, answer) })
}

async function submitChange(
  context: ComputeContext,
  request: ComputeRequest,
  command: {
    readonly aggregate: number
    readonly name?: string | undefined
    readonly metadata: Readonly<Record<string, string | null>>
  },
) {
  const doubtful = checkMetadata(context, command)
  const answer = await submit(context, { kind: 'compute:change-aggregate', ...command })
  const { row, metadata } = answer
  const view = { id: row.id, uuid: row.uuid, name: row.name, metadata }
  const notes = [...listAggregateWarnings(view), ...asNotes(doubtful)]
  return addWarnings(context, request, json(200, { aggregate: aggregateBody(request, answer) }), notes)
}

/** Values that definitions do not allow. Null removes a key. */
function checkMetadata(
  { world, checkMetadata }: ComputeContext,
  {
    aggregate,
    metadata,
  }: { readonly aggregate: number; readonly metadata: Readonly<Record<string, string | null>> },
): readonly string[] {
  const isSet = (entry: [string, string | null]): entry is [string, string] => entry[1] !== null
  const written = Object.fromEntries(Object.entries(metadata).filter(isSet))
  const kept = world.compute.listAggregates().find(({ id }) => id === aggregate)?.metadata
  return requireMetadata(checkMetadata, 'OS::Nova::Aggregate', written, kept)
}

function parseId(request: ComputeRequest): number {
  const text = param(request, 'aggregate_id')
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new ApiError(400, `The id of a host aggregate is a whole number, not '${text}'.`)
}

function aggregateBody({ features }: ComputeRequest, { row, metadata, hosts }: AggregateState) {
  return {
    id: row.id,
    ...(features.aggregateUuids ? { uuid: row.uuid } : {}),
    name: row.name,
    hosts,
    metadata: Object.fromEntries(metadata),
    created_at: renderTime(row.created_at),
    updated_at: row.updated_at === null ? null : renderTime(row.updated_at),
    deleted_at: null,
    deleted: false,
    availability_zone: metadata.get(ZONE) ?? null,
  }
}
