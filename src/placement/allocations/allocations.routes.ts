import {
  ApiError,
  type ApiRequest,
  type DescribedRoute,
  json,
  LIST_BODY_BYTES,
  noContent,
} from '../../http/api.ts'
import { parseJsonBody } from '../../http/formats/json-body.ts'
import type { ClassId } from '../../kernel/ids.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { ownedConflict, type PlacementContext, param, providerOr404 } from '../context.ts'
import type { Features } from '../versions.ts'
import {
  allocationSchema,
  consumerAllocationsAnswerSchema,
  manyAllocationsSchema,
  providerAllocationsAnswerSchema,
} from './allocations.schemas.ts'
import { type ClaimBody, liftClaim } from './claims.body.ts'
import { claimRefused } from './claims.errors.ts'
import type { ConsumerClaim } from './ledger.ts'

const ONE = '/allocations/{consumer_uuid}'

export function allocationRoutes(context: PlacementContext): DescribedRoute<Features>[] {
  return [...readRoutes(context), ...writeRoutes(context)]
}

function readRoutes({ world, clock }: PlacementContext): DescribedRoute<Features>[] {
  const resourcesOf = (held: Iterable<{ class: ClassId; used: number }>): Record<string, number> => {
    const resources: Record<string, number> = {}
    for (const one of held) resources[world.classes.name(one.class)] = one.used
    return resources
  }
  return [
    {
      method: 'GET',
      path: ONE,
      operation: 'placement:allocations:list',
      givesJson: true,
      summary: 'Show the allocations of a consumer',
      answers: features => ({ 200: consumerAllocationsAnswerSchema(features) }),
      handle({ params, features }) {
        // Read per request, because a reload replaces the parts of the world.
        const { consumers, providers } = world
        const slot = consumers.find(param(params, 'consumer_uuid'))
        const holdings = slot === undefined ? [] : consumers.holdings(slot)
        if (slot === undefined || holdings.length === 0) return json(200, { allocations: {} }, clock.nowMs())
        const row = consumers.row(slot)
        const allocations: Record<string, unknown> = {}
        for (const [provider, held] of Map.groupBy(holdings, one => one.provider))
          allocations[providers.uuid(provider)] = {
            resources: resourcesOf(held),
            generation: providers.generation[provider],
          }
        const owner = { project_id: row.project_id, user_id: row.user_id }
        return json(
          200,
          {
            allocations,
            ...(features.allocationsByProvider ? owner : {}),
            ...(features.consumerGeneration ? { consumer_generation: row.generation } : {}),
            ...(features.consumerTypes ? { consumer_type: row.consumer_type ?? 'unknown' } : {}),
          },
          row.updated_at,
        )
      },
    },
    {
      method: 'GET',
      path: '/resource_providers/{uuid}/allocations',
      operation: 'placement:resource_providers:allocations:list',
      givesJson: true,
      summary: 'Show the allocations on a resource provider',
      answers: features => ({ 200: providerAllocationsAnswerSchema(features) }),
      handle({ params, features }) {
        const { consumers, providers } = world
        const uuid = param(params, 'uuid')
        const slot = providerOr404(world, uuid, text => `Resource provider '${uuid}' not found: ${text}`)
        const allocations: Record<string, unknown> = {}
        let modified = 0
        for (const consumer of consumers.onProvider(slot)) {
          const row = consumers.row(consumer)
          modified = Math.max(modified, row.updated_at)
          allocations[row.uuid] = {
            resources: resourcesOf(consumers.holdings(consumer).filter(held => held.provider === slot)),
            ...(features.consumerGeneration ? { consumer_generation: row.generation } : {}),
          }
        }
        const generation = providers.generation[slot]
        return json(200, { allocations, resource_provider_generation: generation }, modified || clock.nowMs())
      },
    },
  ]
}

/** Conflicts only: a malformed claim is fully explained by its answer. */
function noteConflict(
  { refusals }: PlacementContext,
  request: ApiRequest<Features>,
  claims: readonly ConsumerClaim[],
  refusal: { readonly kind: string },
  { status, message }: ApiError,
): void {
  if (status === 409) refusals?.claimRefused(request, claims, refusal, message)
}

function writeRoutes(context: PlacementContext): DescribedRoute<Features>[] {
  const { sequencer, settings } = context
  return [
    {
      method: 'PUT',
      path: ONE,
      operation: 'placement:allocations:update',
      bodyLimit: LIST_BODY_BYTES,
      takesJson: true,
      summary: 'Replace the allocations of a consumer',
      requestBody: allocationSchema,
      answers: { 204: null },
      async handle(request) {
        const { params, body, features } = request
        const given = param(params, 'consumer_uuid')
        const consumer = normalizeUuid(given)
        if (consumer === null) throw new ApiError(400, `Malformed consumer_uuid: ${given}`)
        const asked = parseJsonBody(body, allocationSchema(features)) as ClaimBody
        const claim = liftClaim(consumer, asked, features, settings)
        const outcome = await sequencer.submit({ kind: 'placement:claim-allocations', claim })
        if (outcome.ok) return noContent
        const error = claimRefused(
          outcome.refusal,
          text => `Unable to allocate inventory for consumer ${consumer}: ${text}`,
        )
        noteConflict(context, request, [claim], outcome.refusal, error)
        throw error
      },
    },
    {
      method: 'POST',
      path: '/allocations',
      operation: 'placement:allocations:manage',
      bodyLimit: 'max_body_bytes',
      since: 'manyAllocations',
      takesJson: true,
      summary: 'Replace the allocations of several consumers',
      requestBody: manyAllocationsSchema,
      answers: { 204: null },
      async handle(request) {
        const { body, features } = request
        const asked = parseJsonBody(body, manyAllocationsSchema(features)) as Record<string, ClaimBody>
        const claims = Object.entries(asked).map(([consumer, one]) =>
          liftClaim(consumer, one, features, settings),
        )
        const outcome = await sequencer.submit({ kind: 'placement:replace-allocations', claims })
        if (outcome.ok) return noContent
        const error = claimRefused(outcome.refusal, text => `Unable to allocate inventory ${text}`)
        noteConflict(context, request, claims, outcome.refusal, error)
        throw error
      },
    },
    {
      method: 'DELETE',
      path: ONE,
      operation: 'placement:allocations:delete',
      summary: 'Delete the allocations of a consumer',
      answers: { 204: null },
      async handle({ params }) {
        const consumer = param(params, 'consumer_uuid')
        const outcome = await sequencer.submit({ kind: 'placement:delete-allocations', consumer })
        if (outcome.ok) return noContent
        throw outcome.refusal.kind === 'owned'
          ? ownedConflict(outcome.refusal)
          : new ApiError(404, `No allocations for consumer '${consumer}'`)
      },
    },
  ]
}
