import { ApiError, json, LIST_BODY_BYTES, param } from '../../http/api.ts'
import { isAdmin } from '../../http/policy.ts'
import { ownValue } from '../../kernel/records.ts'
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

export function metadataRoutes(context: ShareContext): ShareRoute[] {
  const all = '/shares/{share_id}/metadata'
  const one = `${all}/{key}`
  const visible = (request: ShareApiRequest) =>
    requireVisibleShare(context, request, param(request, 'share_id'))
  return [
    {
      method: 'GET',
      path: all,
      operation: 'share:get_share_metadata',
      handle: request => json(200, { metadata: renderMetadata(context.world, visible(request).id) }),
    },
    {
      method: 'POST',
      path: all,
      operation: 'share:update_share_metadata',
      asksPolicy: true,
      bodyLimit: LIST_BODY_BYTES,
      handle: request => set(context, request, readMetadata(request, 'metadata'), false),
    },
    {
      method: 'PUT',
      path: all,
      operation: 'share:update_share_metadata',
      asksPolicy: true,
      bodyLimit: LIST_BODY_BYTES,
      handle: request => set(context, request, readMetadata(request, 'metadata'), true),
    },
    {
      method: 'GET',
      path: one,
      operation: 'share:get_share_metadata',
      handle(request) {
        const row = visible(request)
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
