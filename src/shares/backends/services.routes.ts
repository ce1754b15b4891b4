import { ApiError, json } from '../../http/api.ts'
import { flag, listOf, objectOf, queryOf, text, textOrNull, whole } from '../../http/formats/schema-forms.ts'
import { nameOrEmpty } from '../../scheduling/pools/pools.ts'
import type { BackendRow } from '../../world/shares.ts'
import { mandatoryText, openObject, textField } from '../bodies.schemas.ts'
import { isObject, readJson, readText, renderTime } from '../bodies.ts'
import type { ShareApiRequest, ShareContext, ShareRoute } from '../context.ts'
import { submit } from '../errors.ts'
import type { Features } from '../versions.ts'

/** Every back end has only this service. */
const BINARY = 'manila-share'

const FILTERS = ['binary', 'host', 'zone', 'status', 'state'] as const

const reasonFor = ({ disabledReason }: Features) => disabledReason && { disabled_reason: textOrNull }

const serviceSchema = (features: Features) =>
  objectOf({
    id: whole,
    binary: text,
    host: text,
    zone: text,
    status: text,
    state: text,
    updated_at: text,
    ...reasonFor(features),
  })

const updateSchema = ({ disabledReason }: Features) =>
  openObject(
    { host: mandatoryText, binary: mandatoryText, ...(disabledReason && { disabled_reason: textField }) },
    ['host', 'binary'],
  )

export function serviceRoutes(context: ShareContext): ShareRoute[] {
  const makeRoutes = (name: string, gate: Pick<ShareRoute, 'since' | 'until'>): ShareRoute[] => [
    {
      method: 'GET',
      path: `/${name}`,
      operation: 'service:index',
      summary: 'List services: one for each back end',
      query: queryOf(FILTERS),
      answers: features => ({ 200: objectOf({ services: listOf(serviceSchema(features)) }) }),
      ...gate,
      handle: request => json(200, { services: listServices(context, request) }),
    },
    {
      method: 'PUT',
      path: `/${name}/{action}`,
      operation: 'service:update',
      summary: 'Enable or disable a service',
      requestBody: updateSchema,
      answers: features => ({
        200: objectOf({ host: text, binary: text, disabled: flag }, { ...reasonFor(features) }),
      }),
      ...gate,
      handle: request => updateService(context, request),
    },
  ]
  return [
    ...makeRoutes('services', { since: 'coreNames' }),
    ...makeRoutes('os-services', { until: 'coreNames' }),
  ]
}

function listServices(context: ShareContext, request: ShareApiRequest) {
  const { world } = context
  const { query, features } = request
  return [...world.shares.backends.rows()]
    .sort((a, b) => a.provider_id - b.provider_id)
    .map(row => serviceBody(context, row, features.disabledReason))
    .filter(service =>
      FILTERS.every(name => {
        const value = query.last(name)
        return value === undefined || value === '' || service[name] === value
      }),
    )
}

function serviceBody({ world }: ShareContext, row: BackendRow, hasReason: boolean) {
  const isDisabled = row.is_disabled === 1
  return {
    id: row.provider_id + 1,
    binary: BINARY,
    host: nameOrEmpty(world, row.provider_id),
    zone: row.availability_zone,
    status: isDisabled ? 'disabled' : 'enabled',
    state: 'up',
    updated_at: renderTime(row.updated_at ?? row.created_at),
    ...(hasReason ? { disabled_reason: row.disabled_reason } : {}),
  }
}

async function updateService(context: ShareContext, request: ShareApiRequest) {
  const { action } = request.params
  if (action !== 'enable' && action !== 'disable')
    throw new ApiError(404, `Services can be enabled and disabled, not ${action}.`)
  const body = readJson(request)
  if (!isObject(body)) throw new ApiError(400, 'The body must be an object with host and binary.')
  const host = readText(body, 'host')
  const binary = readText(body, 'binary')
  if (host === null || binary === null)
    throw new ApiError(400, `The body must have ${host === null ? 'host' : 'binary'}.`)
  if (binary !== BINARY) throw new ApiError(404, `There is no service ${binary} on ${host}.`)
  const isDisabled = action === 'disable'
  const reason = request.features.disabledReason ? readText(body, 'disabled_reason') : null
  await submit(context, {
    kind: 'shares:set-backend',
    backend: host,
    isDisabled,
    reason,
  })
  const service = { host, binary, disabled: isDisabled }
  return json(
    200,
    request.features.disabledReason && isDisabled ? { ...service, disabled_reason: reason } : service,
  )
}
