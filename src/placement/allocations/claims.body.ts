import type { PlacementSettings } from '../context.ts'
import type { Features } from '../versions.ts'
import type { ConsumerClaim, ProviderClaim } from './ledger.ts'

/** The body of a claim for one consumer, in the forms of all versions. */
export interface ClaimBody {
  readonly allocations: ListForm | ProviderForm
  readonly project_id?: string
  readonly user_id?: string
  readonly consumer_generation?: number | null
  readonly consumer_type?: string
}

type ListForm = readonly {
  readonly resource_provider: { readonly uuid: string }
  readonly resources: Readonly<Record<string, number>>
}[]

type ProviderForm = Readonly<Record<string, { readonly resources: Readonly<Record<string, number>> }>>

/** Converts a body to the newest form. */
export function liftClaim(
  consumer: string,
  body: ClaimBody,
  features: Features,
  settings: PlacementSettings,
): ConsumerClaim {
  return {
    consumer,
    projectId: body.project_id ?? settings.incomplete_consumer_project_id,
    userId: body.user_id ?? settings.incomplete_consumer_user_id,
    generation: features.consumerGeneration ? (body.consumer_generation ?? null) : undefined,
    type: body.consumer_type,
    allocations: liftAllocations(body.allocations),
  }
}

function liftAllocations(allocations: ListForm | ProviderForm): ProviderClaim[] {
  const byProvider = Array.isArray(allocations)
    ? (allocations as ListForm).map(one => [one.resource_provider.uuid, one.resources] as const)
    : Object.entries(allocations as ProviderForm).map(([uuid, one]) => [uuid, one.resources] as const)
  // If a list names a provider twice, the last entry counts.
  return [...new Map(byProvider)].map(([provider, resources]) => ({
    provider,
    resources: Object.entries(resources),
  }))
}
