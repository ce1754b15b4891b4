import { ApiError, type ApiRequest, type Credentials, type DescribedRoute } from '../http/api.ts'
import type { Log } from '../http/ops/log.ts'
import { forbiddenText, type Policy } from '../http/policy.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { World } from '../world/world.ts'
import type { ComputeRules } from './rules.ts'
import type { Features } from './versions.ts'

/** What every route of compute needs. */
export interface ComputeContext {
  readonly world: World
  readonly sequencer: Sequencer<ComputeRules>
  readonly policy: Policy
  readonly log: Pick<Log, 'warn'>
  readonly newUuid: () => string
  /** The zone of hosts without one. */
  readonly defaultZone: string
  readonly groupsPerProjectMax: number
  /** Null with an external Keystone, which is not asked for projects. */
  readonly isProject: ((id: string) => boolean) | null
}

export type ComputeRequest = ApiRequest<Features>
export type ComputeRoute = DescribedRoute<Features>

type Asking = Pick<ComputeContext, 'policy'>

/** Whether the caller sees the resources of all projects. */
export const isAdmin = ({ policy }: Asking, credentials: Credentials): boolean =>
  policy.allows('context_is_admin', credentials, { project_id: credentials.projectId })

/** Throws 403 if the policy does not allow the operation on a resource of the project. */
export function requireAllowed(
  { policy }: Asking,
  { credentials }: Pick<ComputeRequest, 'credentials'>,
  operation: string,
  projectId: string | null = credentials.projectId,
): void {
  if (!policy.allows(operation, credentials, { project_id: projectId }))
    throw new ApiError(403, forbiddenText(operation))
}

/** A path parameter of the route. */
export const param = ({ params }: Pick<ComputeRequest, 'params'>, name: string): string =>
  params[name] as string
