import type { PlacementSettings } from '../context.ts'
import type { Features } from '../versions.ts'
import type { ConsumerClaim, ProviderClaim } from './ledger.ts'

/** What bodies say about one consumer, in all the forms that versions had. */
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

/** Lifts a body to the newest shape. */
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
  // Of a provider that a list names twice, the last entry counts.
  return [...new Map(byProvider)].map(([provider, resources]) => ({
    provider,
    resources: Object.entries(resources),
  }))
}
