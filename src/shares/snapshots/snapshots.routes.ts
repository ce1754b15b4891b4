import { ApiError, json, param } from '../../http/api.ts'
import { objectOf } from '../../http/formats/schema-forms.ts'
import { isAdmin, requireAllowed } from '../../http/policy.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import type { SnapshotRow } from '../../world/shares.ts'
import { briefSchema } from '../bodies.schemas.ts'
import {
  isObject,
  makeFieldError,
  parseBoolean,
  parsePage,
  readAction,
  readChangedText,
  readFlag,
  readText,
  readWrapped,
  renderTime,
} from '../bodies.ts'
import {
  requireChangeableShare,
  requireProjectId,
  type ShareApiRequest,
  type ShareContext,
  type ShareRoute,
} from '../context.ts'
import { submit, submitOr403, toApiError } from '../errors.ts'
import { makeLinks } from '../links.ts'
import type { Features } from '../versions.ts'
import {
  createSchema,
  listAnswers,
  listQuery,
  STATUSES,
  snapshotActions,
  snapshotSchema,
  updateSchema,
} from './snapshots.schemas.ts'

export function snapshotRoutes(context: ShareContext): ShareRoute[] {
  return [...listRoutes(context), ...singleRoutes(context)]
}

const briefBody = (request: ShareApiRequest, row: SnapshotRow) => ({
  id: row.uuid,
  name: row.name,
  links: makeLinks(request, `snapshots/${row.uuid}`),
})

function snapshotBody({ world }: ShareContext, request: ShareApiRequest, row: SnapshotRow) {
  const share = world.shares.shares.row(row.share_id)
  return {
    id: row.uuid,
    share_id: share.uuid,
    share_size: share.size,
    created_at: renderTime(row.created_at),
    status: row.status,
    name: row.name,
    description: row.description,
    size: row.size,
    share_proto: row.protocol,
    links: makeLinks(request, `snapshots/${row.uuid}`),
    ...(request.features.snapshotOwner ? { project_id: row.project_id, user_id: row.user_id } : {}),
  }
}

function listRoutes(context: ShareContext): ShareRoute[] {
  const list = (
    path: string,
    summary: string,
    schema: (features: Features) => Schema,
    show: (request: ShareApiRequest, row: SnapshotRow) => unknown,
  ): ShareRoute => ({
    method: 'GET',
    path: `/${path}`,
    operation: 'share_snapshot:get_all_snapshots',
    summary,
    query: listQuery,
    answers: features => listAnswers(features, schema(features)),
    handle(request) {
      const rows = listSnapshots(context, request)
      const { limit, offset } = parsePage(request.query)
      const count = request.features.snapshotCount && parseBoolean(request.query.last('with_count')) === true
      return json(200, {
        snapshots: rows.slice(offset, offset + limit).map(row => show(request, row)),
        ...(count ? { count: rows.length } : {}),
      })
    },
  })
  return [
    list('snapshots', 'List share snapshots', () => briefSchema, briefBody),
    list('snapshots/detail', 'List share snapshots in detail', snapshotSchema, (request, row) =>
      snapshotBody(context, request, row),
    ),
    {
      method: 'POST',
      path: '/snapshots',
      operation: 'share:create_snapshot',
      summary: 'Create a share snapshot',
      requestBody: createSchema,
      answers: features => ({ 202: objectOf({ snapshot: snapshotSchema(features) }) }),
      asksPolicy: true,
      async handle(request) {
        const body = readWrapped(request, 'snapshot')
        const id = readText(body, 'share_id')
        if (id === null) throw makeFieldError('share_id', null, 'It must be the id of a share.')
        const { uuid: share, project_id } = requireChangeableShare(
          context,
          request,
          id,
          'share:create_snapshot',
        )
        const answer = await submit(context, {
          kind: 'shares:create-snapshot',
          uuid: context.newUuid(),
          stepUuid: context.newUuid(),
          share,
          project: project_id,
          user: request.credentials.userId,
          force: readFlag(body, 'force', false),
          name: readText(body, 'name') ?? readText(body, 'display_name'),
          description: readText(body, 'description') ?? readText(body, 'display_description'),
        })
        context.wake()
        return json(202, { snapshot: snapshotBody(context, request, answer) })
      },
    },
  ]
}

/** The newest first by default. */
function listSnapshots(context: ShareContext, request: ShareApiRequest): SnapshotRow[] {
  const { shares } = context.world
  const { query, features } = request
  const all = parseBoolean(query.last('all_tenants')) === true && isAdmin(context, request.credentials)
  const rows = all ? shares.snapshots.all() : shares.listSnapshotsOfProject(requireProjectId(request))
  const share = query.last('share_id')
  const tests: ((row: SnapshotRow) => boolean)[] = []
  if (share !== undefined) tests.push(row => shares.shares.row(row.share_id).uuid === share)
  const is = (name: string, of: (row: SnapshotRow) => string | number | null) => {
    const value = query.last(name)
    if (value !== undefined) tests.push(row => String(of(row)) === value)
  }
  is('status', row => row.status)
  is('name', row => row.name)
  is('size', row => row.size)
  if (features.likeFilters) {
    is('description', row => row.description)
    const [name, description] = [query.last('name~'), query.last('description~')]
    if (name !== undefined) tests.push(row => (row.name ?? '').includes(name))
    if (description !== undefined) tests.push(row => (row.description ?? '').includes(description))
  }
  const found = rows.filter(row => tests.every(test => test(row)))
  return query.last('sort_dir') === 'asc' ? found : found.reverse()
}

function snapshotOr404(context: ShareContext, request: ShareApiRequest): SnapshotRow {
  const id = param(request, 'snapshot_id')
  const row = context.world.shares.snapshots.find(id)
  const isMine = row?.project_id === request.credentials.projectId || isAdmin(context, request.credentials)
  if (row === undefined || !isMine) throw toApiError({ kind: 'snapshot-missing', snapshot: id })
  return row
}

function requireChangeable(context: ShareContext, request: ShareApiRequest, operation: string): SnapshotRow {
  const row = snapshotOr404(context, request)
  requireAllowed(context, request, operation, row.project_id)
  return row
}

async function submitDelete(context: ShareContext, snapshot: string, force: boolean) {
  const stepUuid = context.newUuid()
  await submitOr403(context, {
    kind: 'shares:delete-snapshot',
    snapshot,
    stepUuid,
    force,
  })
  context.wake()
  return { status: 202 }
}

function singleRoutes(context: ShareContext): ShareRoute[] {
  const path = '/snapshots/{snapshot_id}'
  return [
    {
      method: 'GET',
      path,
      operation: 'share_snapshot:get_snapshot',
      summary: 'Show a share snapshot',
      answers: features => ({ 200: objectOf({ snapshot: snapshotSchema(features) }) }),
      handle: request =>
        json(200, { snapshot: snapshotBody(context, request, snapshotOr404(context, request)) }),
    },
    {
      method: 'PUT',
      path,
      operation: 'share:snapshot_update',
      summary: 'Change the name or the description of a share snapshot',
      requestBody: updateSchema,
      answers: features => ({ 200: objectOf({ snapshot: snapshotSchema(features) }) }),
      asksPolicy: true,
      async handle(request) {
        const body = readWrapped(request, 'snapshot')
        const { uuid: snapshot } = requireChangeable(context, request, 'share:snapshot_update')
        const answer = await submit(context, {
          kind: 'shares:update-snapshot',
          snapshot,
          name: readChangedText(body, 'display_name', 'name'),
          description: readChangedText(body, 'display_description', 'description'),
        })
        return json(200, { snapshot: snapshotBody(context, request, answer) })
      },
    },
    {
      method: 'DELETE',
      path,
      operation: 'share:delete_snapshot',
      summary: 'Delete a share snapshot',
      answers: { 202: null },
      asksPolicy: true,
      handle: request =>
        submitDelete(context, requireChangeable(context, request, 'share:delete_snapshot').uuid, false),
    },
    {
      method: 'POST',
      path: `${path}/action`,
      operation: 'share_snapshot:reset_status',
      summary: 'Set the status of a share snapshot, or delete it by force',
      actions: () => snapshotActions,
      answers: { 202: null },
      async handle(request) {
        const [action, value] = readAction(request)
        const { uuid: snapshot } = snapshotOr404(context, request)
        if (action.endsWith('force_delete')) return submitDelete(context, snapshot, true)
        if (!action.endsWith('reset_status')) throw new ApiError(400, `There is no such action: ${action}`)
        const status = isObject(value) ? value.status : undefined
        if (!STATUSES.includes(status as string))
          throw makeFieldError('status', status ?? null, `It must be one of ${STATUSES.join(', ')}.`)
        const command = { kind: 'shares:update-snapshot', snapshot, status: status as string } as const
        await submit(context, command)
        return { status: 202 }
      },
    },
  ]
}
