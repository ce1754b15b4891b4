import type { ApiRequest, DescribedRoute } from '../http/api.ts'
import type { CheckMetadata } from '../http/metadata-check.ts'
import type { Log } from '../http/ops/log.ts'
import type { Policy } from '../http/policy.ts'
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
  readonly checkMetadata: CheckMetadata
  readonly clock: { nowMs(): number }
  /** The zone of hosts without one. */
  readonly defaultZone: string
  readonly groupsPerProjectMax: number
  /** Null with an external Keystone: Berth does not read its projects. */
  readonly isProject: ((id: string) => boolean) | null
}

export type ComputeRequest = ApiRequest<Features>
export type ComputeRoute = DescribedRoute<Features>
