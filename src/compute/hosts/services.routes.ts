import { ApiError, json } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import type { Json } from '../../kernel/json.ts'
import { ownValue } from '../../kernel/records.ts'
import { isUuidLike } from '../../kernel/uuid.ts'
import { allHosts, hostRowOf, isHost, zoneOf } from '../../scheduling/hosts/hosts.ts'
import { booleanIn, hostName, readBody, readQuery, shortText, timeOf, yesOrNo } from '../bodies.ts'
import { type ComputeContext, type ComputeRequest, type ComputeRoute, param } from '../context.ts'
import { refused } from '../errors.ts'
import type { HostFields } from './host-changes.ts'
import { hostByNumber, idShown } from './host-ids.ts'

const POLICY = 'os_compute_api:os-services'
/** Every host has this service and no other. */
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

export function serviceRoutes(context: ComputeContext): ComputeRoute[] {
  const { world, sequencer } = context
  return [
    {
      method: 'GET',
      path: '/os-services',
      operation: `${POLICY}:list`,
      handle(request) {
        const { query, features } = request
        const { host, binary } = readQuery(query, ['host', 'binary'], { isStrict: features.strictQueries })
        const hosts = allHosts(world).filter(
          slot => (!host || world.providers.name(slot) === host) && (!binary || binary === BINARY),
        )
        return json(200, { services: hosts.map(slot => serviceBody(context, request, slot)) })
      },
    },
    {
      method: 'PUT',
      path: ONE,
      operation: `${POLICY}:update`,
      handle: request =>
        request.features.uuids ? updateByUuid(context, request) : updateByAction(context, request),
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: `${POLICY}:delete`,
      async handle(request) {
        const host = world.providers.name(serviceOr404(context, request))
        const outcome = await sequencer.submit({ kind: 'compute:remove-host', host })
        if (!outcome.ok) throw refused(outcome.refusal)
        return { status: 204 }
      },
    },
  ]
}

function serviceOr404({ world }: ComputeContext, request: ComputeRequest): ProviderSlot {
  const id = param(request, 'service_id')
  const { uuids } = request.features
  if (uuids ? !isUuidLike(id) : !/^\d+$/.test(id))
    throw new ApiError(400, `'${id}' is no ${uuids ? 'uuid' : 'whole number'}.`)
  const host = uuids ? world.providers.find(id) : hostByNumber(world, id)
  if (host === undefined || !isHost(world, host)) throw new ApiError(404, `There is no service ${id}.`)
  return host
}

async function set(context: ComputeContext, host: string, fields: HostFields): Promise<void> {
  const outcome = await context.sequencer.submit({ kind: 'compute:set-host', host, ...fields })
  if (!outcome.ok) throw refused(outcome.refusal)
}

async function updateByUuid(context: ComputeContext, request: ComputeRequest) {
  const body = readBody(request, statusSchema)
  const host = context.world.providers.name(serviceOr404(context, request))
  const { status, disabled_reason: reason, forced_down: down } = body
  if (status === 'enabled' && reason !== undefined)
    throw new ApiError(400, 'A service that is enabled has no disabled_reason.')
  if (status === undefined && down === undefined)
    throw new ApiError(400, 'Nothing is asked for: say status, forced_down or both.')
  await set(context, host, {
    ...(status === undefined
      ? {}
      : { isDisabled: status === 'disabled', disabledReason: (reason as string | undefined) ?? null }),
    ...(down === undefined ? {} : { isForcedDown: booleanIn(down) === true }),
  })
  const slot = serviceOr404(context, request)
  return json(200, { service: serviceBody(context, request, slot) })
}

type Action = (body: Json) => { readonly fields: HostFields; readonly told: Json }

const actions: Readonly<Record<string, Action>> = {
  enable: () => ({ fields: { isDisabled: false, disabledReason: null }, told: { status: 'enabled' } }),
  disable: () => ({ fields: { isDisabled: true, disabledReason: null }, told: { status: 'disabled' } }),
  'disable-log-reason': ({ disabled_reason: reason }) => {
    if (reason === undefined) throw new ApiError(400, 'The body must have a disabled_reason.')
    const fields = { isDisabled: true, disabledReason: reason as string }
    return { fields, told: { status: 'disabled', disabled_reason: reason } }
  },
  'force-down': ({ forced_down }) => {
    if (forced_down === undefined) throw new ApiError(400, 'The body must have forced_down.')
    const isForcedDown = booleanIn(forced_down) === true
    return { fields: { isForcedDown }, told: { forced_down: isForcedDown } }
  },
}

/** The action is in the path, and the service in the body. */
async function updateByAction(context: ComputeContext, request: ComputeRequest) {
  const { forcedDown } = request.features
  const body = readBody(request, forcedDown ? forcingSchema : updateSchema)
  const name = param(request, 'service_id')
  const isKnown = Object.hasOwn(actions, name) && (forcedDown || name !== 'force-down')
  if (!isKnown) throw new ApiError(404, `There is no such action: ${name}`)
  const { fields, told } = (ownValue(actions, name) as Action)(body)
  const { host, binary } = body as { readonly host: string; readonly binary: string }
  if (binary !== BINARY) throw new ApiError(400, `A ${binary} service cannot be changed, only ${BINARY} can.`)
  await set(context, host, fields)
  return json(200, { service: { host, binary, ...told } })
}

function serviceBody({ world, defaultZone }: ComputeContext, request: ComputeRequest, host: ProviderSlot) {
  const said = hostRowOf(world, host)
  return {
    id: idShown(world, request, host),
    binary: BINARY,
    host: world.providers.name(host),
    zone: zoneOf(world, host, defaultZone),
    status: said.is_disabled === 1 ? 'disabled' : 'enabled',
    state: said.is_forced_down === 1 ? 'down' : 'up',
    updated_at: timeOf(Math.max(said.updated_at ?? 0, world.providers.updatedAt[host] as number)),
    disabled_reason: said.disabled_reason,
    ...(request.features.forcedDown ? { forced_down: said.is_forced_down === 1 } : {}),
  }
}
