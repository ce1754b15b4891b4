import { ApiError, json, param } from '../../http/api.ts'
import { links, listOf, objectOf, queryOf, text, textOrNull } from '../../http/formats/schema-forms.ts'
import { isAdmin } from '../../http/policy.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { shareMessages } from '../../store/tables/plain-tables.ts'
import { pageParameters } from '../bodies.schemas.ts'
import { makeFieldError, parsePage, renderTime } from '../bodies.ts'
import { requireProjectId, type ShareApiRequest, type ShareContext, type ShareRoute } from '../context.ts'
import { makeLinks } from '../links.ts'
import type { Features } from '../versions.ts'
import type { MessageRow } from './messages.rows.ts'

/** Older messages are found only by id. */
const LOOKED_AT_MAX = 10_000

const messageSchema = objectOf({
  id: text,
  project_id: text,
  action_id: text,
  detail_id: text,
  resource_type: text,
  resource_id: text,
  message_level: text,
  request_id: textOrNull,
  user_message: text,
  created_at: text,
  expires_at: text,
  links,
})

function listQuery({ messagesByTime }: Features): Schema {
  const times = messagesByTime ? ['created_since', 'created_before'] : []
  const { properties } = queryOf([...Object.keys(FILTERS), ...times, 'sort_dir'])
  return { type: 'object', properties: { ...properties, ...pageParameters } }
}

export function messageRoutes(context: ShareContext): ShareRoute[] {
  const one = '/messages/{message_id}'
  return [
    {
      method: 'GET',
      path: '/messages',
      operation: 'message:get_all',
      summary: 'List user messages',
      query: listQuery,
      answers: { 200: objectOf({ messages: listOf(messageSchema) }) },
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
      summary: 'Show a user message',
      answers: { 200: objectOf({ message: messageSchema }) },
      since: 'messages',
      handle: async request =>
        json(200, { message: messageBody(request, await messageOr404(context, request)) }),
    },
    {
      method: 'DELETE',
      path: one,
      operation: 'message:delete',
      summary: 'Delete a user message',
      answers: { 204: null },
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
