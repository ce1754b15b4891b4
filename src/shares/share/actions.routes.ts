import { type AnswerSchemas, type ApiAnswer, ApiError, json, param, type SchemaFor } from '../../http/api.ts'
import { anyValue, listOf, objectOf, text } from '../../http/formats/schema-forms.ts'
import { requireAllowed } from '../../http/policy.ts'
import type { Json } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { ownValue } from '../../kernel/records.ts'
import { accessSchema, allowSchema, denySchema } from '../access/access.schemas.ts'
import * as access from '../access/access-actions.routes.ts'
import {
  isExperimental,
  isObject,
  makeFieldError,
  parseBoolean,
  readAction,
  readSize,
  readText,
} from '../bodies.ts'
import {
  recordMessages,
  requireChangeableShare,
  requireVisibleShare,
  type ShareApiRequest,
  type ShareContext,
  type ShareRoute,
} from '../context.ts'
import { submit, submitOr403 } from '../errors.ts'
import type { Features } from '../versions.ts'
import {
  FLAGS,
  migrateSchema,
  progressSchema,
  resetStatusSchema,
  resetTaskStateSchema,
  resizeSchema,
} from './actions.schemas.ts'
import { moveDecision } from './decisions.rows.ts'
import type { Moved } from './migrate.ts'
import type { Resized } from './sizes.ts'
import { STATUSES, TASK_STATES } from './states.ts'

interface Action {
  readonly operation: string
  readonly since?: keyof Features
  readonly until?: keyof Features
  /** Requires the header for experimental APIs. */
  readonly isExperimental?: true
  /** For admins only, which is checked before the share's existence. */
  readonly isAdmins?: true
  /** For every caller who sees the share. */
  readonly isRead?: true
  /** The schema of its value; without one, the value is ignored. */
  readonly accepts?: SchemaFor<Features>
  act(context: ShareContext, request: ShareApiRequest, share: string, value: Json): Promise<ApiAnswer>
}

const accepted: ApiAnswer = { status: 202 }

export function actionRoutes(context: ShareContext): ShareRoute[] {
  return [
    {
      method: 'POST',
      path: '/shares/{share_id}/action',
      operation: 'share:get',
      asksPolicy: true,
      summary: 'Change access, size, status or pool of a share, or delete it',
      actions: describeActions,
      answers: describeAnswers,
      maybeEmpty: [200],
      handle: request => act(context, request),
    },
  ]
}

const existsIn = ({ since, until }: Action, features: Features): boolean =>
  (since === undefined || features[since]) && !(until !== undefined && features[until])

function describeActions(features: Features): Readonly<Record<string, Schema>> {
  const there = Object.entries(ACTIONS).filter(([, action]) => existsIn(action, features))
  return Object.fromEntries(
    there.map(([name, { accepts = anyValue }]) => [
      name,
      objectOf({ [name]: typeof accepts === 'function' ? accepts(features) : accepts }),
    ]),
  )
}

const describeAnswers = (features: Features): AnswerSchemas => ({
  200: {
    anyOf: [
      objectOf({ access: accessSchema(features, { share_id: text }) }),
      ...(features.accessRules ? [] : [objectOf({ access_list: listOf(accessSchema(features)) })]),
      ...(features.migrationPhases ? [progressSchema(features)] : []),
    ],
  },
  202: null,
})

async function act(context: ShareContext, request: ShareApiRequest): Promise<ApiAnswer> {
  const [name, value] = readAction(request)
  const action = ownValue(ACTIONS, name)
  if (action === undefined) throw new ApiError(400, `There is no such action: ${name}`)
  const { features } = request
  const isThere = existsIn(action, features) && !(action.isExperimental && !isExperimental(request))
  if (!isThere) throw new ApiError(404, `This version of the API has no action ${name}.`)
  if (action.isAdmins) requireAllowed(context, request, action.operation)
  const id = param(request, 'share_id')
  if (action.isRead) requireAllowed(context, request, action.operation)
  const share =
    action.isAdmins || action.isRead
      ? requireVisibleShare(context, request, id)
      : requireChangeableShare(context, request, id, action.operation)
  return action.act(context, request, share.uuid, isObject(value) ? value : {})
}

const remove = async (context: ShareContext, share: string): Promise<ApiAnswer> => {
  const stepUuids = [context.newUuid(), context.newUuid()] as const
  await submitOr403(context, { kind: 'shares:delete', share, force: true, stepUuids })
  context.wake()
  return accepted
}

async function setState(
  context: ShareContext,
  share: string,
  field: 'status' | 'task_state',
  value: Json,
): Promise<ApiAnswer> {
  const known: readonly string[] = field === 'status' ? STATUSES : TASK_STATES
  const given = ownValue(value, field)
  const state = given === null || (field === 'task_state' && given === 'None') ? null : given
  const isKnown =
    state === null ? field === 'task_state' && Object.hasOwn(value, field) : known.includes(state as string)
  if (!isKnown) throw makeFieldError(field, given ?? null, `It must be one of ${known.join(', ')}.`)
  const command = { kind: 'shares:set-state', share, field, value: state as string | null } as const
  await submit(context, command)
  return accepted
}

async function resize(
  context: ShareContext,
  request: ShareApiRequest,
  share: string,
  how: 'extend' | 'shrink',
  value: Json,
): Promise<ApiAnswer> {
  const size = readSize(value, 'new_size')
  const stepUuid = context.newUuid()
  await submit(
    context,
    { kind: 'shares:resize', share, how, size, stepUuid },
    recordMessages<Resized>(context, request.requestId),
  )
  context.wake()
  return accepted
}

async function migrate(
  context: ShareContext,
  request: ShareApiRequest,
  share: string,
  value: Json,
): Promise<ApiAnswer> {
  const target = readText(value, 'host')
  if (target === null || target === '')
    throw makeFieldError('host', target, 'It must be a pool, host@backend#pool.')
  const flags = Object.fromEntries(
    [...FLAGS, 'force_host_assisted_migration', 'force'].map(name => [name, readFlag(value, name)]),
  )
  for (const name of FLAGS)
    if (ownValue(value, name) === undefined) throw makeFieldError(name, null, 'It is mandatory.')
  if (flags.force_host_assisted_migration && FLAGS.some(name => ownValue(flags, name)))
    throw makeFieldError(
      'force_host_assisted_migration',
      true,
      `It excludes ${FLAGS.join(', ')}: set them to false.`,
    )
  const network = readText(value, 'new_share_network_id')
  if (network) throw makeFieldError('new_share_network_id', network, 'There are no share networks here.')
  const newType = readText(value, 'new_share_type_id') || null
  if (newType !== null && context.world.shares.types.find(newType) === undefined)
    throw makeFieldError('new_share_type_id', newType, 'There is no such share type.')
  const command = {
    share,
    stepUuid: context.newUuid(),
    target,
    newType,
    preserveSnapshots: flags.preserve_snapshots === true,
    force: flags.force === true,
  }
  const deciding = { id: context.newUuid(), revision: context.world.revision }
  const record = recordMessages<Moved>(context, request.requestId)
  const { isThere, judged } = await submit(
    context,
    { kind: 'shares:start-migration', ...command },
    (decided, nowMs, decidedRevision) => [
      ...record(decided, nowMs, decidedRevision),
      ...moveDecision(deciding, command, decided, nowMs, decidedRevision),
    ],
  )
  if (!isThere) context.decided?.('share-move', judged.target === null ? 'refused' : 'placed')
  context.wake()
  return isThere ? { status: 200 } : accepted
}

/** Clients send booleans as texts. */
function readFlag(value: Json, name: string): boolean {
  const given = ownValue(value, name)
  if (given === undefined || given === null) return false
  const flag = parseBoolean(given)
  if (flag === null) throw makeFieldError(name, given, 'It must be true or false.')
  return flag
}

type Ending = 'shares:complete-migration' | 'shares:cancel-migration'

async function endMigration(
  context: ShareContext,
  request: ShareApiRequest,
  kind: Ending,
  share: string,
): Promise<ApiAnswer> {
  const stepUuid = context.newUuid()
  if (kind === 'shares:cancel-migration') await submit(context, { kind, share, stepUuid })
  else await submit(context, { kind, share, stepUuid }, recordMessages<Moved>(context, request.requestId))
  context.wake()
  return accepted
}

const PROGRESS: Readonly<Record<string, number>> = {
  migration_starting: 0,
  migration_driver_in_progress: 50,
  migration_in_progress: 50,
  migration_driver_phase1_done: 100,
  migration_completing: 100,
  migration_success: 100,
  migration_cancelled: 100,
  migration_error: 100,
}

function answerProgress(context: ShareContext, request: ShareApiRequest, share: string): ApiAnswer {
  const row = context.world.shares.findShare(share)
  const state = row?.task_state ?? null
  if (row === undefined || state === null || ownValue(PROGRESS, state) === undefined)
    throw new ApiError(400, `Share ${share} has never been migrated.`)
  const details = request.features.migrationDetails ? { details: {} } : {}
  return json(200, { total_progress: ownValue(PROGRESS, state), task_state: state, ...details })
}

const forceDelete: Action = {
  operation: 'share:force_delete',
  isAdmins: true,
  act: (context, _request, share) => remove(context, share),
}
const resetStatus: Action = {
  operation: 'share:reset_status',
  isAdmins: true,
  accepts: resetStatusSchema,
  act: (context, _request, share, value) => setState(context, share, 'status', value),
}
const extend: Action = {
  operation: 'share:extend',
  accepts: resizeSchema,
  act: (context, request, share, value) => resize(context, request, share, 'extend', value),
}
const shrink: Action = {
  operation: 'share:shrink',
  accepts: resizeSchema,
  act: (context, request, share, value) => resize(context, request, share, 'shrink', value),
}
const allowAccess: Action = {
  operation: 'share:allow_access',
  accepts: allowSchema,
  act: access.allow,
}
const denyAccess: Action = {
  operation: 'share:deny_access',
  accepts: denySchema,
  act: access.deny,
}
const listAccess: Action = {
  operation: 'share:access_get_all',
  isRead: true,
  until: 'accessRules',
  act: access.list,
}
const phase = { since: 'migrationPhases', isExperimental: true, isAdmins: true } as const

const ACTIONS: Readonly<Record<string, Action>> = {
  'os-force_delete': { ...forceDelete, until: 'coreNames' },
  force_delete: { ...forceDelete, since: 'coreNames' },
  'os-reset_status': { ...resetStatus, until: 'coreNames' },
  reset_status: { ...resetStatus, since: 'coreNames' },
  'os-extend': { ...extend, until: 'coreNames' },
  extend: { ...extend, since: 'coreNames' },
  'os-shrink': { ...shrink, until: 'coreNames' },
  shrink: { ...shrink, since: 'coreNames' },
  'os-allow_access': { ...allowAccess, until: 'coreNames' },
  allow_access: { ...allowAccess, since: 'coreNames' },
  'os-deny_access': { ...denyAccess, until: 'coreNames' },
  deny_access: { ...denyAccess, since: 'coreNames' },
  'os-access_list': { ...listAccess, until: 'coreNames' },
  access_list: { ...listAccess, since: 'coreNames' },
  unmanage: {
    operation: 'share:unmanage',
    isAdmins: true,
    since: 'coreNames',
    async act(context, _request, share) {
      await submitOr403(context, { kind: 'shares:unmanage', share, stepUuid: context.newUuid() })
      context.wake()
      return accepted
    },
  },
  soft_delete: {
    operation: 'share:soft_delete',
    since: 'softDelete',
    async act(context, _request, share) {
      const keepMs = context.softDeleteMs
      await submitOr403(context, { kind: 'shares:soft-delete', share, keepMs })
      return accepted
    },
  },
  restore: {
    operation: 'share:restore',
    since: 'softDelete',
    async act(context, _request, share) {
      const answer = await submitOr403(context, { kind: 'shares:restore', share })
      return answer ? accepted : { status: 200 }
    },
  },
  reset_task_state: {
    ...phase,
    operation: 'share:reset_task_state',
    accepts: resetTaskStateSchema,
    act: (context, _request, share, value) => setState(context, share, 'task_state', value),
  },
  migration_start: {
    ...phase,
    operation: 'share:migration_start',
    since: 'migrationFlags',
    accepts: migrateSchema,
    act: migrate,
  },
  migration_complete: {
    ...phase,
    operation: 'share:migration_complete',
    act: (context, request, share) => endMigration(context, request, 'shares:complete-migration', share),
  },
  migration_cancel: {
    ...phase,
    operation: 'share:migration_cancel',
    act: (context, request, share) => endMigration(context, request, 'shares:cancel-migration', share),
  },
  migration_get_progress: {
    ...phase,
    operation: 'share:migration_get_progress',
    act: async (context, request, share) => answerProgress(context, request, share),
  },
}
