import { ApiError, json } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import type { Json } from '../../kernel/json.ts'
import { aggregateWarnings } from '../../scheduling/hosts/filters/aggregate-instance-type/aggregate-instance-type.ts'
import { ZONE } from '../../scheduling/hosts/hosts.ts'
import {
  hostName,
  METADATA_KEY,
  nameOf,
  readAction,
  readBody,
  shortText,
  timeOf,
  wrapped,
} from '../bodies.ts'
import {
  type ComputeContext,
  type ComputeRequest,
  type ComputeRoute,
  param,
  requireAllowed,
} from '../context.ts'
import { noAggregate, refused } from '../errors.ts'
import { withWarnings } from '../warnings.ts'
import { type AggregateState, stateOf } from './aggregates.ts'

const POLICY = 'os_compute_api:os-aggregates'
const ONE = '/os-aggregates/{aggregate_id}'

const zone: Schema = { ...shortText, type: ['string', 'null'] }
const about: Schema = {
  type: 'object',
  properties: { name: shortText, [ZONE]: zone },
  additionalProperties: false,
}
const createSchema = wrapped('aggregate', { ...about, required: ['name'] })
const updateSchema = wrapped('aggregate', {
  ...about,
  anyOf: [{ required: ['name'] }, { required: [ZONE] }],
})
const hostSchema: Schema = {
  type: 'object',
  properties: { host: hostName },
  required: ['host'],
  additionalProperties: false,
}
const metadataSchema: Schema = wrapped('metadata', {
  type: 'object',
  patternProperties: { [METADATA_KEY]: { type: ['string', 'null'], maxLength: 255 } },
  additionalProperties: false,
})

const actions = {
  add_host: wrapped('add_host', hostSchema),
  remove_host: wrapped('remove_host', hostSchema),
  set_metadata: wrapped('set_metadata', metadataSchema),
} as const

export function aggregateRoutes(context: ComputeContext): ComputeRoute[] {
  return [...listRoutes(context), ...singleRoutes(context), ...actionRoutes(context)]
}

function listRoutes(context: ComputeContext): ComputeRoute[] {
  const { world, sequencer } = context
  return [
    {
      method: 'GET',
      path: '/os-aggregates',
      operation: `${POLICY}:index`,
      handle(request) {
        const rows = world.compute.aggregates.all()
        return json(200, { aggregates: rows.map(row => aggregateBody(request, stateOf(world, row))) })
      },
    },
    {
      method: 'POST',
      path: '/os-aggregates',
      operation: `${POLICY}:create`,
      async handle(request) {
        const fields = readBody(request, createSchema).aggregate as Json
        const name = nameOf('name', fields.name)
        const zone = typeof fields[ZONE] === 'string' ? nameOf(ZONE, fields[ZONE], ':') : null
        const uuid = context.newUuid()
        const outcome = await sequencer.submit({ kind: 'compute:create-aggregate', uuid, name, zone })
        if (!outcome.ok) throw refused(outcome.refusal)
        // A new one never told its hosts and metadata.
        const { hosts: _, metadata: __, ...told } = aggregateBody(request, outcome.answer)
        return json(200, { aggregate: told })
      },
    },
  ]
}

function singleRoutes(context: ComputeContext): ComputeRoute[] {
  const { world, sequencer } = context
  return [
    {
      method: 'GET',
      path: ONE,
      operation: `${POLICY}:show`,
      handle(request) {
        const id = idOf(request)
        const row = world.compute.aggregates.get(id)
        if (row === undefined) throw noAggregate(id)
        return json(200, { aggregate: aggregateBody(request, stateOf(world, row)) })
      },
    },
    {
      method: 'PUT',
      path: ONE,
      operation: `${POLICY}:update`,
      async handle(request) {
        const fields = readBody(request, updateSchema).aggregate as Json
        const name = fields.name === undefined ? undefined : nameOf('name', String(fields.name).trim())
        if (typeof fields[ZONE] === 'string') nameOf(ZONE, fields[ZONE], ':')
        const metadata = fields[ZONE] === undefined ? {} : { [ZONE]: fields[ZONE] as string | null }
        const aggregate = idOf(request)
        return changed(context, request, { aggregate, name, metadata })
      },
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: `${POLICY}:delete`,
      async handle(request) {
        const outcome = await sequencer.submit({ kind: 'compute:delete-aggregate', aggregate: idOf(request) })
        if (!outcome.ok) throw refused(outcome.refusal)
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
      handle: request => act(context, request),
    },
    {
      method: 'POST',
      path: `${ONE}/images`,
      operation: 'compute:aggregates:images',
      since: 'aggregateImages',
      handle() {
        throw new ApiError(501, 'Berth places servers; it does not bring images to hosts.')
      },
    },
  ]
}

async function act(context: ComputeContext, request: ComputeRequest) {
  const action = readAction(request, actions) as keyof typeof actions
  requireAllowed(context, request, `${POLICY}:${action}`)
  const fields = readBody(request, actions[action])[action] as Json
  const aggregate = idOf(request)
  if (action === 'set_metadata') {
    const metadata = fields.metadata as Readonly<Record<string, string | null>>
    return changed(context, request, { aggregate, metadata })
  }
  const kind = action === 'add_host' ? 'compute:add-aggregate-host' : 'compute:remove-aggregate-host'
  const outcome = await context.sequencer.submit({ kind, aggregate, host: fields.host as string })
  if (!outcome.ok) throw refused(outcome.refusal)
  return json(200, { aggregate: aggregateBody(request, outcome.answer) })
}

async function changed(
  context: ComputeContext,
  request: ComputeRequest,
  command: {
    readonly aggregate: number
    readonly name?: string | undefined
    readonly metadata: Readonly<Record<string, string | null>>
  },
) {
  const outcome = await context.sequencer.submit({ kind: 'compute:change-aggregate', ...command })
  if (!outcome.ok) throw refused(outcome.refusal)
  const { row, metadata } = outcome.answer
  const notes = aggregateWarnings({ id: row.id, uuid: row.uuid, name: row.name, metadata })
  return withWarnings(
    context,
    request,
    json(200, { aggregate: aggregateBody(request, outcome.answer) }),
    notes,
  )
}

function idOf(request: ComputeRequest): number {
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
    created_at: timeOf(row.created_at),
    updated_at: row.updated_at === null ? null : timeOf(row.updated_at),
    deleted_at: null,
    deleted: false,
    availability_zone: metadata.get(ZONE) ?? null,
  }
}
