import { ApiError, type ApiRequest, type Credentials, type Route } from '../http/api.ts'
import type { Log } from '../http/ops/log.ts'
import { forbiddenText, type Policy } from '../http/policy.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { World } from '../world/world.ts'
import type { ComputeRules } from './rules.ts'
import type { Features } from './versions.ts'

/** What every room of compute works with. */
export interface ComputeContext {
  readonly world: World
  readonly sequencer: Sequencer<ComputeRules>
  readonly policy: Policy
  readonly log: Pick<Log, 'warn'>
  readonly newUuid: () => string
  /** The zone of hosts that are in none. */
  readonly defaultZone: string
  readonly groupsPerProjectMax: number
  /** Null where Keystone keeps the projects: what it knows is not asked for. */
  readonly isProject: ((id: string) => boolean) | null
}

export type ComputeRequest = ApiRequest<Features>
export type ComputeRoute = Route<Features>

type Asking = Pick<ComputeContext, 'policy'>

/** Whether the caller sees what belongs to everybody. */
export const isAdmin = ({ policy }: Asking, credentials: Credentials): boolean =>
  policy.allows('context_is_admin', credentials, { project_id: credentials.projectId })

/** Turns away whoever may not do something with what belongs to a project. */
export function requireAllowed(
  { policy }: Asking,
  { credentials }: Pick<ComputeRequest, 'credentials'>,
  operation: string,
  projectId: string | null = credentials.projectId,
): void {
  if (!policy.allows(operation, credentials, { project_id: projectId }))
    throw new ApiError(403, forbiddenText(operation))
}

/** The named part of the route's path, which the path promises. */
export const param = ({ params }: Pick<ComputeRequest, 'params'>, name: string): string =>
  params[name] as string
