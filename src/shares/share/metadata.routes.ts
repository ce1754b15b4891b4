import { ApiError, json, LIST_BODY_BYTES, param } from '../../http/api.ts'
import { mapOf, objectOf, text } from '../../http/formats/schema-forms.ts'
import { isAdmin } from '../../http/policy.ts'
import { ownValue } from '../../kernel/records.ts'
import { metadataField, wrapped } from '../bodies.schemas.ts'
import { isObject, parseMetadata, readJson, requireShortValues } from '../bodies.ts'
import {
  requireChangeableShare,
  requireVisibleShare,
  type ShareApiRequest,
  type ShareContext,
  type ShareRoute,
} from '../context.ts'
import { submit, toApiError } from '../errors.ts'
import { requireAdmin, splitMetadata } from './hints.body.ts'
import { renderMetadata } from './shares.view.ts'

const manySchema = wrapped('metadata', metadataField())
const manyAnswers = { 200: objectOf({ metadata: mapOf(text) }) }
const oneSchema = wrapped('meta', { ...metadataField(), minProperties: 1, maxProperties: 1 })
const oneAnswers = { 200: objectOf({ meta: mapOf(text) }) }

const all = '/shares/{share_id}/metadata'
const one = `${all}/{key}`

export function metadataRoutes(context: ShareContext): ShareRoute[] {
  return [...manyRoutes(context), ...oneRoutes(context)]
}

const requireNamedShare = (context: ShareContext, request: ShareApiRequest) =>
  requireVisibleShare(context, request, param(request, 'share_id'))

function manyRoutes(context: ShareContext): ShareRoute[] {
  return [
    {
      method: 'GET',
      path: all,
      operation: 'share:get_share_metadata',
      summary: 'Show the metadata of a share',
      answers: manyAnswers,
      handle: request =>
        json(200, { metadata: renderMetadata(context.world, requireNamedShare(context, request).id) }),
    },
    {
      method: 'POST',
      path: all,
      operation: 'share:update_share_metadata',
      summary: 'Set metadata of a share',
      requestBody: manySchema,
      answers: manyAnswers,
      asksPolicy: true,
      bodyLimit: LIST_BODY_BYTES,
      handle: request => set(context, request, readMetadata(request, 'metadata'), false),
    },
    {
      method: 'PUT',
      path: all,
      operation: 'share:update_share_metadata',
      summary: 'Replace the metadata of a share',
      requestBody: manySchema,
      answers: manyAnswers,
      asksPolicy: true,
      bodyLimit: LIST_BODY_BYTES,
      handle: request => set(context, request, readMetadata(request, 'metadata'), true),
    },
  ]
}

function oneRoutes(context: ShareContext): ShareRoute[] {
  return [
    {
      method: 'GET',
      path: one,
      operation: 'share:get_share_metadata',
      summary: 'Show a metadata item of a share',
      answers: oneAnswers,
      handle(request) {
        const row = requireNamedShare(context, request)
        const key = param(request, 'key')
        const value = ownValue(renderMetadata(context.world, row.id), key)
        if (value === undefined) throw toApiError({ kind: 'metadata-missing', share: row.uuid, key })
        return json(200, { meta: { [key]: value } })
      },
    },
    {
      method: 'PUT',
      path: one,
      operation: 'share:update_share_metadata',
      summary: 'Set a metadata item of a share',
      requestBody: oneSchema,
      answers: oneAnswers,
      asksPolicy: true,
      bodyLimit: LIST_BODY_BYTES,
      async handle(request) {
        const meta = readMetadata(request, 'meta')
        const key = param(request, 'key')
        if (!Object.hasOwn(meta, key) || Object.keys(meta).length !== 1)
          throw new ApiError(400, `The body must have the key of the address, which is ${key}, and no other.`)
        await set(context, request, meta, false)
        return json(200, { meta })
      },
    },
    {
      method: 'DELETE',
      path: one,
      operation: 'share:delete_share_metadata',
      summary: 'Delete a metadata item of a share',
      answers: { 200: null },
      asksPolicy: true,
      async handle(request) {
        const key = param(request, 'key')
        const share = param(request, 'share_id')
        const row = requireChangeableShare(context, request, share, 'share:delete_share_metadata')
        requireAdmin(key, isAdmin(context, request.credentials))
        await submit(context, {
          kind: 'shares:delete-metadata',
          share: row.uuid,
          key,
          checkHints: request.features.checkedHintEdits,
        })
        return { status: 200 }
      },
    },
  ]
}

function readMetadata(request: ShareApiRequest, name: 'metadata' | 'meta'): Record<string, string> {
  const body = readJson(request)
  if (!isObject(body) || !isObject(body[name]))
    throw new ApiError(400, `The body must be an object with the object ${name} in it.`)
  return parseMetadata(body[name], name)
}

async function set(
  context: ShareContext,
  request: ShareApiRequest,
  all: Readonly<Record<string, string>>,
  replace: boolean,
) {
  const row = requireChangeableShare(
    context,
    request,
    param(request, 'share_id'),
    'share:update_share_metadata',
  )
  const { metadata, hints } = splitMetadata(all, isAdmin(context, request.credentials))
  requireShortValues(metadata)
  const checkHints = request.features.checkedHintEdits
  const command = {
    kind: 'shares:set-metadata',
    share: row.uuid,
    metadata,
    hints,
    replace,
    checkHints,
  } as const
  await submit(context, command)
  return json(200, { metadata: renderMetadata(context.world, row.id) })
}
