import { ApiError, json, param } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import {
  flag,
  listOf,
  objectOf,
  oneOf,
  queryOf,
  text,
  textOrNull,
  whole,
} from '../../http/formats/schema-forms.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import type { Json } from '../../kernel/json.ts'
import { ownValue } from '../../kernel/records.ts'
import { isUuidLike } from '../../kernel/uuid.ts'
import { findZone, getHostRow, isHost, isHostUp, listAllHosts } from '../../scheduling/hosts/hosts.ts'
import { hostName, parseBoolean, readBody, readQuery, renderTime, shortText, yesOrNo } from '../bodies.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from '../context.ts'
import { submit } from '../errors.ts'
import type { Features } from '../versions.ts'
import { findByNumber, idShown } from './host-ids.ts'
import type { HostFields } from './hosts.ts'

const POLICY = 'os_compute_api:os-services'
/** Every host has only this service. */
const BINARY = 'nova-compute'
const ONE = '/os-services/{service_id}'

const named = { host: hostName, binary: shortText, disabled_reason: shortText }
const updateSchema: Schema = {
  type: 'object',
  properties: named,
  required: ['host', 'binary'],
  additionalProperties: false,
}
const forcingSchema: Schema = { ...updateSchema, properties: { ...named, forced_down: yesOrNo } }
const statusSchema: Schema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['enabled', 'disabled'] },
    disabled_reason: shortText,
    forced_down: yesOrNo,
  },
  additionalProperties: false,
}

/** By action before version 2.53, then by uuid. */
const updateSchemaFor = ({ uuids, forcedDown }: Features): Schema =>
  uuids ? statusSchema : forcedDown ? forcingSchema : updateSchema

const serviceSchema = (features: Features): Schema =>
  objectOf({
    id: features.uuids ? text : whole,
    binary: text,
    host: text,
    zone: text,
    status: oneOf('enabled', 'disabled'),
    state: oneOf('up', 'down'),
    updated_at: text,
    disabled_reason: textOrNull,
    ...(features.forcedDown && { forced_down: flag }),
  })

const changedSchema = (features: Features): Schema =>
  features.uuids
    ? serviceSchema(features)
    : objectOf(
        { host: text, binary: text },
        { status: oneOf('enabled', 'disabled'), disabled_reason: text, forced_down: flag },
      )

export function serviceRoutes(context: ComputeContext): ComputeRoute[] {
  const { world } = context
  return [
    {
      method: 'GET',
      path: '/os-services',
      operation: `${POLICY}:list`,
      summary: 'List compute services',
      query: features => queryOf(['host', 'binary'], features.strictQueries),
      answers: features => ({ 200: objectOf({ services: listOf(serviceSchema(features)) }) }),
      handle(request) {
        const { query, features } = request
        const { host, binary } = readQuery(query, ['host', 'binary'], { isStrict: features.strictQueries })
        const hosts = listAllHosts(world).filter(
          slot => (!host || world.providers.name(slot) === host) && (!binary || binary === BINARY),
        )
        return json(200, { services: hosts.map(slot => serviceBody(context, request, slot)) })
      },
    },
    {
      method: 'PUT',
      path: ONE,
      operation: `${POLICY}:update`,
      summary: 'Enable, disable or force down a compute service',
      requestBody: updateSchemaFor,
      answers: features => ({ 200: objectOf({ service: changedSchema(features) }) }),
      handle: request =>
        request.features.uuids ? updateByUuid(context, request) : updateByAction(context, request),
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: `${POLICY}:delete`,
      summary: 'Delete a compute service and its host',
      answers: { 204: null },
      async handle(request) {
        const host = world.providers.name(serviceOr404(context, request))
        await submit(context, { kind: 'compute:remove-host', host })
        return { status: 204 }
      },
    },
  ]
}

function serviceOr404({ world }: ComputeContext, request: ComputeRequest): ProviderSlot {
  const id = param(request, 'service_id')
  const { uuids } = request.features
  if (uuids ? !isUuidLike(id) : !/^\d+$/.test(id))
    throw new ApiError(400, `'${id}' is not a ${uuids ? 'uuid' : 'whole number'}.`)
  const host = uuids ? world.providers.find(id) : findByNumber(world, id)
  if (host === undefined || !isHost(world, host)) throw new ApiError(404, `There is no service ${id}.`)
  return host
}

async function set(context: ComputeContext, host: string, fields: HostFields): Promise<void> {
  await submit(context, { kind: 'compute:set-host', host, ...fields })
}

async function updateByUuid(context: ComputeContext, request: ComputeRequest) {
  const body = readBody(request, updateSchemaFor(request.features))
  const host = context.world.providers.name(serviceOr404(context, request))
  const { status, disabled_reason: reason, forced_down: down } = body
  if (status === 'enabled' && reason !== undefined)
    throw new ApiError(400, 'disabled_reason needs the status disabled.')
  if (status === undefined && down === undefined)
    throw new ApiError(400, 'The body changes nothing: give status, forced_down or both.')
  await set(context, host, {
    ...(status === undefined
      ? {}
      : { isDisabled: status === 'disabled', disabledReason: (reason as string | undefined) ?? null }),
    ...(down === undefined ? {} : { isForcedDown: parseBoolean(down) === true }),
  })
  const slot = serviceOr404(context, request)
  return json(200, { service: serviceBody(context, request, slot) })
}

type Action = (body: Json) => { readonly fields: HostFields; readonly answer: Json }

const actions: Readonly<Record<string, Action>> = {
  enable: () => ({ fields: { isDisabled: false, disabledReason: null }, answer: { status: 'enabled' } }),
  disable: () => ({ fields: { isDisabled: true, disabledReason: null }, answer: { status: 'disabled' } }),
  'disable-log-reason': ({ disabled_reason: reason }) => {
    if (reason === undefined) throw new ApiError(400, 'The body must have a disabled_reason.')
    const fields = { isDisabled: true, disabledReason: reason as string }
    return { fields, answer: { status: 'disabled', disabled_reason: reason } }
  },
  'force-down': ({ forced_down }) => {
    if (forced_down === undefined) throw new ApiError(400, 'The body must have forced_down.')
    const isForcedDown = parseBoolean(forced_down) === true
    return { fields: { isForcedDown }, answer: { forced_down: isForcedDown } }
  },
}

/** The action is in the path, the service in the body. */
async function updateByAction(context: ComputeContext, request: ComputeRequest) {
  const { forcedDown } = request.features
  const body = readBody(request, updateSchemaFor(request.features))
  const name = param(request, 'service_id')
  const isKnown = Object.hasOwn(actions, name) && (forcedDown || name !== 'force-down')
  if (!isKnown) throw new ApiError(404, `There is no such action: ${name}`)
  const { fields, answer } = (ownValue(actions, name) as Action)(body)
  const { host, binary } = body as { readonly host: string; readonly binary: string }
  if (binary !== BINARY) throw new ApiError(400, `A ${binary} service cannot be changed, only ${BINARY} can.`)
  await set(context, host, fields)
  return json(200, { service: { host, binary, ...answer } })
}

function serviceBody({ world, defaultZone }: ComputeContext, request: ComputeRequest, host: ProviderSlot) {
  const row = getHostRow(world, host)
  return {
    id: idShown(world, request, host),
    binary: BINARY,
    host: world.providers.name(host),
    zone: findZone(world, host, defaultZone),
    status: row.is_disabled === 1 ? 'disabled' : 'enabled',
    state: isHostUp(row) ? 'up' : 'down',
    updated_at: renderTime(Math.max(row.updated_at ?? 0, world.providers.updatedAt[host] as number)),
    disabled_reason: row.disabled_reason,
    ...(request.features.forcedDown ? { forced_down: row.is_forced_down === 1 } : {}),
  }
}
