import { ApiError, type ApiRequest } from '../http/api.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ProviderSlot } from '../kernel/ids.ts'
import type { Sequencer } from '../store/sequencer/sequencer.ts'
import type { World } from '../world/world.ts'
import type { ConsumerClaim } from './allocations/ledger.ts'
import type { CandidateBehaviour, CandidateRequest } from './candidates/request.ts'
import type { ForeignOwned } from './owned.ts'
import type { PlacementRules } from './rules.ts'
import type { Features, InTreeMeaning } from './versions.ts'

/** Settings with the names that operators of Placement know. */
export interface PlacementSettings {
  readonly randomize_allocation_candidates: boolean
  readonly max_allocation_candidates: number
  readonly allocation_candidates_generation_strategy: 'depth-first' | 'breadth-first'
  readonly incomplete_consumer_project_id: string
  readonly incomplete_consumer_user_id: string
  /** How many request groups one query may have. */
  readonly max_request_groups: number
  /** How many partial combinations one candidates query may look at. */
  readonly max_search_steps: number
  readonly in_tree_meaning: InTreeMeaning
}

/** Metrics of the search for candidates. */
export interface CandidateObserver {
  /** A search begins. The returned function, if any, is called at its end. */
  searching?(): ((candidates: number, steps: number) => void) | null
  searched(candidates: number, steps: number, exhausted: boolean): void
}

/**
 * Observes refused requests, so that they can be explained. Called before the answer is sent, so it only
 * takes notes.
 */
export interface RefusalObserver {
  noCandidates(
    request: ApiRequest<Features>,
    asked: CandidateRequest,
    behaviour: CandidateBehaviour,
    revision: number,
  ): void
  /** Remembers the search for a while, because a claim of what it found may be refused. */
  candidatesFound(request: ApiRequest<Features>, count: number, revision: number): void
  /** `text` is the message for the caller. */
  claimRefused(
    request: ApiRequest<Features>,
    claims: readonly ConsumerClaim[],
    refusal: { readonly kind: string },
    text: string,
  ): void
}

/** What all parts of Placement work with. */
export interface PlacementContext {
  readonly world: World
  readonly sequencer: Pick<Sequencer<PlacementRules>, 'submit' | 'head'>
  readonly settings: PlacementSettings
  readonly clock: Clock
  readonly observer?: CandidateObserver
  /** Absent if refused requests are not stored. */
  readonly refusals?: RefusalObserver
  /** A fresh seed for each randomized answer. */
  readonly newSeed: () => number
}

export const CONCURRENT_UPDATE = 'placement.concurrent_update'

export function noProvider(uuid: string): ApiError {
  return new ApiError(404, `No resource provider with uuid ${uuid} found`)
}

/** The answer when a write would change what another service owns. */
export function ownedConflict({ what, owner }: ForeignOwned): ApiError {
  return new ApiError(
    409,
    `There was a conflict: ${what} belongs to the ${owner} service, which alone may change it.`,
  )
}

/** The provider of a path. The uuid must match exactly. */
export function providerOr404(
  world: World,
  uuid: string,
  sayInstead?: (text: string) => string,
): ProviderSlot {
  const slot = world.providers.find(uuid)
  if (slot !== undefined) return slot
  const error = noProvider(uuid)
  throw sayInstead === undefined ? error : new ApiError(404, sayInstead(error.message))
}

/** The same, where upstream repeats the message. */
export function providerFoundOr404(world: World, uuid: string): ProviderSlot {
  return providerOr404(world, uuid, text => `No resource provider with uuid ${uuid} found: ${text}`)
}

/** A route parameter that the route's path declares. */
export function param(params: Readonly<Record<string, string>>, name: string): string {
  return params[name] as string
}
