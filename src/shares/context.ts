import { ApiError, type ApiRequest, type DescribedRoute } from '../http/api.ts'
import type { CheckMetadata } from '../http/metadata-check.ts'
import type { Log } from '../http/ops/log.ts'
import { isAdmin, type Policy, requireAllowed } from '../http/policy.ts'
import type { Recording } from '../store/sequencer/batch-decider.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { Store } from '../store/store.ts'
import type { ShareRow } from '../world/shares.ts'
import type { World } from '../world/world.ts'
import { messageRow } from './messages/messages.rows.ts'
import type { Message } from './messages/messages.ts'
import type { ShareRules } from './rules.ts'
import type { Features } from './versions.ts'

/** What every route of shares needs. */
export interface ShareContext {
  readonly world: World
  readonly sequencer: Sequencer<ShareRules>
  readonly store: Pick<Store, 'plainRow' | 'plainRows'>
  readonly policy: Policy
  readonly clock: { nowMs(): number }
  readonly newUuid: () => string
  readonly checkMetadata: CheckMetadata
  readonly log: Pick<Log, 'warn'>
  /** Null with an external Keystone: Berth does not read its projects. */
  readonly isProject: ((id: string) => boolean) | null
  /** How long a soft-deleted share can be restored. */
  readonly softDeleteMs: number
  /** Wakes the worker. */
  readonly wake: () => void
  /** Counts a search for a pool, for metrics. */
  readonly decided?: (kind: 'share' | 'share-move', outcome: 'placed' | 'refused') => void
}

export type ShareApiRequest = ApiRequest<Features>
export type ShareRoute = DescribedRoute<Features>

/** A project id that does not exist yet could be reused by another project, which would then get the access. */
export function requireProject({ isProject }: Pick<ShareContext, 'isProject'>, project: string): void {
  if (isProject?.(project) === false) throw new ApiError(400, `Project ID ${project} is not a valid project.`)
}

/** Shares need a project. */
export function requireProjectId({ credentials }: Pick<ShareApiRequest, 'credentials'>): string {
  if (credentials.projectId === null) throw new ApiError(400, 'The token is for no project.')
  return credentials.projectId
}

const makeShareError = (id: string): ApiError => new ApiError(404, `Share ${id} could not be found.`)

/** A share of the caller's project, a public one, or any for an admin. */
export function requireVisibleShare(context: ShareContext, request: ShareApiRequest, id: string): ShareRow {
  const row = context.world.shares.findShare(id)
  const { credentials } = request
  const isOwn = row?.project_id === credentials.projectId
  if (row === undefined || !(isOwn || row.is_public === 1 || isAdmin(context, credentials)))
    throw makeShareError(id)
  return row
}

/** A share that the caller may change: 403 if it is only visible, 404 if not. */
export function requireChangeableShare(
  context: ShareContext,
  request: ShareApiRequest,
  id: string,
  operation: string,
): ShareRow {
  const row = requireVisibleShare(context, request, id)
  requireAllowed(context, request, operation, row.project_id)
  return row
}

/** Puts user messages into the same commit. */
export function recordMessages<A extends { readonly messages: readonly Message[] }>(
  { newUuid }: Pick<ShareContext, 'newUuid'>,
  requestId: string | null,
  warnings: readonly Message[] = [],
): Recording<A, unknown> {
  return (outcome, nowMs) =>
    outcome.ok
      ? [...warnings, ...outcome.answer.messages].map(message => ({
          table: 'share_messages' as const,
          row: messageRow(message, newUuid(), requestId, nowMs),
        }))
      : []
}
