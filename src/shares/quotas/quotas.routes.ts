import { ApiError, json, param } from '../../http/api.ts'
import { whole } from '../../http/formats/schema-forms.ts'
import { isAdmin } from '../../http/policy.ts'
import type { Json } from '../../kernel/json.ts'
import { AMOUNT_MAX } from '../../kernel/number-bounds.ts'
import { jsonText } from '../../kernel/records.ts'
import { makeFieldError, readWrapped } from '../bodies.ts'
import { requireProject, type ShareApiRequest, type ShareContext, type ShareRoute } from '../context.ts'
import { submit, toApiError } from '../errors.ts'
import { findType } from '../share-types/share-types.ts'
import {
  classAnswer,
  defaultsQuery,
  detail,
  IGNORED,
  limitsSchema,
  listResources,
  setAnswer,
  subjectQuery,
} from './quotas.schemas.ts'
import {
  countUsage,
  DEFAULT_SCOPE,
  findDefaultLimit,
  findProjectLimit,
  findTypeLimit,
  projectScope,
  QUOTA_RESOURCES,
  type QuotaResource,
  typeScope,
} from './quotas.ts'

export function quotaRoutes(context: ShareContext): ShareRoute[] {
  const gates = [
    ['', { since: 'coreNames' }],
    ['os-', { until: 'coreNames' }],
  ] as const
  return gates.flatMap(([prefix, gate]) => [
    ...setRoutes(context, `/${prefix}quota-sets/{project}`, gate),
    ...(prefix === '' ? [detailRoute(context, '/quota-sets/{project}/detail')] : []),
    ...classRoutes(context, `/${prefix}quota-class-sets/{class}`, gate),
  ])
}

type Gate = Pick<ShareRoute, 'since' | 'until'>

function renderQuotas(
  context: ShareContext,
  request: ShareApiRequest,
  limitOf: (resource: QuotaResource) => unknown,
) {
  const resources = listResources(request.features, readType(context, request) !== null)
  const limits = Object.fromEntries(resources.map(one => [one, limitOf(one)]))
  return json(200, { quota_set: { id: param(request, 'project'), ...limits } })
}

function detailRoute(context: ShareContext, path: string): ShareRoute {
  return {
    method: 'GET',
    path,
    operation: 'quota_set:show',
    since: 'quotaDetail',
    summary: 'Show the quotas of a project and its usage',
    query: subjectQuery,
    answers: setAnswer(detail),
    handle(request) {
      const { limit, project, type } = findSubject(context, request)
      const usage = countUsage(context.world, project, type?.id ?? null)
      return renderQuotas(context, request, one => ({ limit: limit(one), in_use: usage[one], reserved: 0 }))
    },
  }
}

function setRoutes(context: ShareContext, path: string, gate: Gate): ShareRoute[] {
  return [
    {
      method: 'GET',
      path,
      operation: 'quota_set:show',
      summary: 'Show the quotas of a project',
      query: subjectQuery,
      answers: setAnswer(whole),
      ...gate,
      handle: request => renderQuotas(context, request, findSubject(context, request).limit),
    },
    {
      method: 'GET',
      path: `${path}/defaults`,
      operation: 'quota_set:show',
      summary: 'Show the default quotas of projects',
      query: defaultsQuery,
      answers: setAnswer(whole),
      ...gate,
      handle: request => renderQuotas(context, request, one => findDefaultLimit(context.world, one)),
    },
    {
      method: 'PUT',
      path,
      operation: 'quota_set:update',
      summary: 'Set quotas of a project',
      query: subjectQuery,
      requestBody: limitsSchema('quota_set'),
      answers: setAnswer(whole),
      ...gate,
      async handle(request) {
        const { project, type, scope, limit } = findSubject(context, request)
        requireProject(context, project)
        const body = readWrapped(request, 'quota_set', 400)
        const limits = parseLimits(request, body, type !== null)
        const isForced = body.force === true || jsonText(body.force).toLowerCase() === 'true'
        const usedBy = isForced ? null : { project, type: type?.uuid ?? null }
        await submit(context, { kind: 'shares:set-quotas', scope, limits, usedBy })
        return renderQuotas(context, request, limit)
      },
    },
    {
      method: 'DELETE',
      path,
      operation: 'quota_set:delete',
      summary: 'Reset the quotas of a project to the defaults',
      query: subjectQuery,
      answers: { 202: null },
      ...gate,
      async handle(request) {
        const { scope } = findSubject(context, request)
        const limits = Object.fromEntries(QUOTA_RESOURCES.map(one => [one, null]))
        await context.sequencer.submit({ kind: 'shares:set-quotas', scope, limits, usedBy: null })
        return { status: 202 }
      },
    },
  ]
}

/** Whose quotas these are. Members may read those of their project. */
function findSubject(context: ShareContext, request: ShareApiRequest) {
  const { world } = context
  const project = param(request, 'project')
  if (project !== request.credentials.projectId && !isAdmin(context, request.credentials))
    throw new ApiError(403, `You may not see the quotas of project ${project}.`)
  if (request.query.last('user_id') !== undefined)
    throw makeFieldError(
      'user_id',
      request.query.last('user_id'),
      'There are no quotas of single users here.',
    )
  const type = readType(context, request)
  return {
    project,
    type,
    scope: type === null ? projectScope(project) : typeScope(project, type.uuid),
    limit: (one: QuotaResource): number =>
      type === null ? findProjectLimit(world, project, one) : findTypeLimit(world, project, type.uuid, one),
  }
}

function readType({ world }: ShareContext, { query, features }: ShareApiRequest) {
  const wanted = query.last('share_type')
  if (wanted === undefined) return null
  if (!features.typeQuotas)
    throw makeFieldError('share_type', wanted, 'Quotas of share types came with 2.39.')
  const type = findType(world, wanted)
  if (type === undefined) throw toApiError({ kind: 'type-missing', type: wanted })
  return type
}

function parseLimits(
  request: ShareApiRequest,
  body: Json,
  ofType: boolean,
): Partial<Record<QuotaResource, number>> {
  const known = listResources(request.features, ofType)
  const limits: Partial<Record<QuotaResource, number>> = {}
  for (const [key, value] of Object.entries(body)) {
    if (IGNORED.includes(key) || value === null) continue
    const resource = known.find(one => one === key)
    if (resource === undefined)
      throw makeFieldError(key, value, `There is no such quota; there are ${known.join(', ')}.`)
    const limit = typeof value === 'string' && /^-?[0-9]+$/.test(value) ? Number(value) : value
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < -1 || limit > AMOUNT_MAX)
      throw makeFieldError(key, value, `It must be a whole number up to ${AMOUNT_MAX}, or -1 for no limit.`)
    limits[resource] = limit
  }
  return limits
}

function classRoutes(context: ShareContext, path: string, gate: Gate): ShareRoute[] {
  const body = (request: ShareApiRequest) => {
    const limits = listResources(request.features, false).map(one => [
      one,
      findDefaultLimit(context.world, one),
    ])
    return json(200, { quota_class_set: { id: param(request, 'class'), ...Object.fromEntries(limits) } })
  }
  const requireDefault = (request: ShareApiRequest) => {
    const name = param(request, 'class')
    if (name !== 'default') throw new ApiError(404, `There is no quota class ${name}, only default.`)
  }
  return [
    {
      method: 'GET',
      path,
      operation: 'quota_class_set:show',
      summary: 'Show the default quotas',
      answers: classAnswer,
      ...gate,
      handle(request) {
        requireDefault(request)
        return body(request)
      },
    },
    {
      method: 'PUT',
      path,
      operation: 'quota_class_set:update',
      summary: 'Set the default quotas',
      requestBody: limitsSchema('quota_class_set'),
      answers: classAnswer,
      ...gate,
      async handle(request) {
        requireDefault(request)
        const limits = parseLimits(request, readWrapped(request, 'quota_class_set', 400), false)
        const scope = DEFAULT_SCOPE
        await submit(context, {
          kind: 'shares:set-quotas',
          scope,
          limits,
          usedBy: null,
        })
        return body(request)
      },
    },
  ]
}
