import { ApiError, json, param } from '../../http/api.ts'
import { isAdmin } from '../../http/policy.ts'
import { shareMessages } from '../../store/tables/plain-tables.ts'
import { makeFieldError, parsePage, renderTime } from '../bodies.ts'
import { requireProjectId, type ShareApiRequest, type ShareContext, type ShareRoute } from '../context.ts'
import { makeLinks } from '../links.ts'
import type { MessageRow } from './messages.rows.ts'

/** Older ones are found only by id. */
const LOOKED_AT_MAX = 10_000

export function messageRoutes(context: ShareContext): ShareRoute[] {
  const one = '/messages/{message_id}'
  return [
    {
      method: 'GET',
      path: '/messages',
      operation: 'message:get_all',
      since: 'messages',
      async handle(request) {
        const rows = await listMessages(context, request)
        const { limit, offset } = parsePage(request.query)
        const page = rows.slice(offset, offset + limit)
        return json(200, { messages: page.map(row => messageBody(request, row)) })
      },
    },
    {
      method: 'GET',
      path: one,
      operation: 'message:get',
      since: 'messages',
      handle: async request =>
        json(200, { message: messageBody(request, await messageOr404(context, request)) }),
    },
    {
      method: 'DELETE',
      path: one,
      operation: 'message:delete',
      since: 'messages',
      async handle(request) {
        const row = await messageOr404(context, request)
        // The world does not change: an empty command carries the row into the store.
        await context.sequencer.submit({ kind: 'shares:record' }, () => [
          { table: 'share_messages', row: { ...row, is_deleted: 1 } },
        ])
        return { status: 204 }
      },
    },
  ]
}

async function messageOr404(context: ShareContext, request: ShareApiRequest): Promise<MessageRow> {
  const id = param(request, 'message_id')
  const row = await context.store.plainRow('share_messages', [id], context.clock.nowMs())
  const isMine = row?.project_id === request.credentials.projectId || isAdmin(context, request.credentials)
  if (row === null || row.is_deleted === 1 || !isMine)
    throw new ApiError(404, `Message ${id} could not be found.`)
  return row
}

const FILTERS: Readonly<Record<string, keyof MessageRow>> = {
  resource_type: 'resource_type',
  resource_id: 'resource_id',
  action_id: 'action_id',
  detail_id: 'detail_id',
  request_id: 'request_id',
  message_level: 'level',
}

/** The newest first. Admins see those of all projects. */
async function listMessages(context: ShareContext, request: ShareApiRequest): Promise<MessageRow[]> {
  const { query, features } = request
  const where = isAdmin(context, request.credentials) ? {} : { project_id: requireProjectId(request) }
  const found = await context.store.plainRows(
    'share_messages',
    { where, limit: LOOKED_AT_MAX },
    context.clock.nowMs(),
  )
  const since = features.messagesByTime ? parseTime(query.last('created_since'), 'created_since') : null
  const before = features.messagesByTime ? parseTime(query.last('created_before'), 'created_before') : null
  const rows = found.filter(
    row =>
      row.is_deleted === 0 &&
      (since === null || row.at_ms >= since) &&
      (before === null || row.at_ms <= before) &&
      Object.entries(FILTERS).every(([name, column]) => {
        const value = query.last(name)
        return value === undefined || value.toUpperCase() === String(row[column]).toUpperCase()
      }),
  )
  return query.last('sort_dir') === 'asc' ? rows.reverse() : rows
}

function parseTime(text: string | undefined, field: string): number | null {
  if (text === undefined) return null
  const atMs = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`)
  if (Number.isNaN(atMs)) throw makeFieldError(field, text, 'It must be a time such as 2026-01-31T12:00:00.')
  return atMs
}

const messageBody = (request: ShareApiRequest, row: MessageRow) => ({
  id: row.id,
  project_id: row.project_id,
  action_id: row.action_id,
  detail_id: row.detail_id,
  resource_type: row.resource_type,
  resource_id: row.resource_id,
  message_level: row.level,
  request_id: row.request_id,
  user_message: row.user_message,
  created_at: renderTime(row.at_ms),
  expires_at: renderTime(row.at_ms + shareMessages.keepMsMax),
  links: makeLinks(request, `messages/${row.id}`),
})
