import { ApiError, json, param } from '../../http/api.ts'
import { listOf, mapOf, objectOf, queryOf, text } from '../../http/formats/schema-forms.ts'
import { requireAllowed } from '../../http/policy.ts'
import { ownValue } from '../../kernel/records.ts'
import type { AccessRow } from '../../world/shares.ts'
import { wrapped } from '../bodies.schemas.ts'
import { readWrapped } from '../bodies.ts'
import { requireVisibleShare, type ShareApiRequest, type ShareContext, type ShareRoute } from '../context.ts'
import { submit, toApiError } from '../errors.ts'
import { parseDict } from '../python-dict.ts'
import { parseAccessMetadata, requireAccessFilters } from './access.body.ts'
import { accessMetadata, accessSchema } from './access.schemas.ts'
import { accessBody, accessDetail } from './access.view.ts'
import { readAccessMetadata } from './access-rules.ts'

export function accessRoutes(context: ShareContext): ShareRoute[] {
  return [...readRoutes(context), ...metadataRoutes(context)]
}

const since = 'accessRules'
const one = '/share-access-rules/{access_id}'

function readRoutes(context: ShareContext): ShareRoute[] {
  const { world } = context
  return [
    {
      method: 'GET',
      path: '/share-access-rules',
      operation: 'share_access_rule:index',
      summary: 'List the access rules of a share',
      query: { ...queryOf(['share_id', 'metadata', ...FILTERS]), required: ['share_id'] },
      answers: features => ({ 200: objectOf({ access_list: listOf(accessSchema(features)) }) }),
      since,
      handle: request =>
        json(200, {
          access_list: listRules(context, request).map(rule => accessBody(world, request, rule)),
        }),
    },
    {
      method: 'GET',
      path: one,
      operation: 'share_access_rule:get',
      summary: 'Show an access rule',
      answers: features => ({ 200: objectOf({ access: accessSchema(features, { share_id: text }) }) }),
      since,
      handle: request =>
        json(200, { access: accessDetail(world, request, requireVisibleRule(context, request)) }),
    },
  ]
}

const FILTERS = ['access_type', 'access_to', 'access_level'] as const

function listRules(context: ShareContext, request: ShareApiRequest): AccessRow[] {
  const { world } = context
  const filters = request.query.lastValues()
  const id = filters.share_id
  if (id === undefined) throw new ApiError(400, "The field 'share_id' has to be specified.")
  const wanted = filters.metadata === undefined ? [] : [...parseDict('metadata', filters.metadata)]
  if (request.features.accessFilters) requireAccessFilters(filters, request.features)
  const share = requireListedShare(context, request, id)
  return world.shares.listAccess(share.id).filter(rule => {
    const metadata = readAccessMetadata(world, rule)
    return (
      wanted.every(([key, value]) => ownValue(metadata, key) === value) &&
      FILTERS.every(name => (ownValue(filters, name) ?? rule[name]) === rule[name])
    )
  })
}

/** As Manila: 400 for a share in a query. */
function requireListedShare(context: ShareContext, request: ShareApiRequest, id: string) {
  try {
    return requireVisibleShare(context, request, id)
  } catch (reason) {
    if (reason instanceof ApiError && reason.status === 404) throw new ApiError(400, `Share ${id} not found.`)
    throw reason
  }
}

/** A rule of a share that the caller sees. */
function requireVisibleRule(context: ShareContext, request: ShareApiRequest): AccessRow {
  const { shares } = context.world
  const id = param(request, 'access_id')
  const rule = shares.accessRules.find(id)
  if (rule === undefined) throw toApiError({ kind: 'access-missing', rule: id })
  try {
    requireVisibleShare(context, request, shares.shares.row(rule.share_id).uuid)
  } catch {
    throw toApiError({ kind: 'access-missing', rule: id })
  }
  return rule
}

function requireChangeableRule(
  context: ShareContext,
  request: ShareApiRequest,
  operation: string,
): AccessRow {
  const rule = requireVisibleRule(context, request)
  requireAllowed(context, request, operation, context.world.shares.shares.row(rule.share_id).project_id)
  return rule
}

function metadataRoutes(context: ShareContext): ShareRoute[] {
  return [
    {
      method: 'PUT',
      path: `${one}/metadata`,
      operation: 'share_access_metadata:update',
      summary: 'Set metadata of an access rule',
      requestBody: wrapped('metadata', accessMetadata),
      answers: { 200: objectOf({ metadata: mapOf(text) }) },
      since,
      asksPolicy: true,
      async handle(request) {
        const metadata = parseAccessMetadata(readWrapped(request, 'metadata', 400))
        const { uuid: rule } = requireChangeableRule(context, request, 'share_access_metadata:update')
        const command = { kind: 'shares:set-access-metadata', rule, metadata } as const
        await submit(context, command)
        return json(200, { metadata })
      },
    },
    {
      method: 'DELETE',
      path: `${one}/metadata/{key}`,
      operation: 'share_access_metadata:delete',
      summary: 'Delete a metadata item of an access rule',
      answers: { 200: null },
      since,
      asksPolicy: true,
      async handle(request) {
        const key = param(request, 'key')
        const { uuid: rule } = requireChangeableRule(context, request, 'share_access_metadata:delete')
        const command = { kind: 'shares:delete-access-metadata', rule, key } as const
        await submit(context, command)
        return { status: 200 }
      },
    },
  ]
}
