import { ApiError, type DescribedRoute, noContent } from '../../http/api.ts'
import { parseJsonBody } from '../../http/formats/json-body.ts'
import { type ClaimBody, liftClaim } from '../allocations/claims.body.ts'
import { claimRefused } from '../allocations/claims.errors.ts'
import { CONCURRENT_UPDATE, type PlacementContext } from '../context.ts'
import { type InventoryBody, recordFromBody } from '../inventories/inventory-body.ts'
import type { ForeignOwned } from '../owned.ts'
import type { Features } from '../versions.ts'
import { reshaperSchema } from './reshaper.schemas.ts'
import type { ReshapeRefusal } from './reshaper.ts'

export function reshaperRoutes({ sequencer, settings }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'POST',
      path: '/reshaper',
      operation: 'placement:reshaper:reshape',
      bodyLimit: 'max_body_bytes',
      since: 'reshaper',
      takesJson: true,
      summary: 'Change inventories and allocations of several providers at once',
      requestBody: reshaperSchema,
      answers: { 204: null },
      async handle({ body, features }) {
        const asked = parseJsonBody(body, reshaperSchema(features)) as ReshapeBody
        const outcome = await sequencer.submit({
          kind: 'placement:reshape',
          inventories: Object.entries(asked.inventories).map(([provider, one]) => ({
            provider,
            generation: one.resource_provider_generation,
            inventories: Object.entries(one.inventories).map(
              ([name, record]) => [name, recordFromBody(record)] as const,
            ),
          })),
          claims: Object.entries(asked.allocations).map(([consumer, one]) =>
            liftClaim(consumer, one, features, settings),
          ),
        })
        if (!outcome.ok) throw reshapeRefused(outcome.refusal)
        return noContent
      },
    },
  ]
}

interface ReshapeBody {
  readonly inventories: Readonly<
    Record<
      string,
      {
        readonly resource_provider_generation: number
        readonly inventories: Readonly<Record<string, InventoryBody>>
      }
    >
  >
  readonly allocations: Readonly<Record<string, ClaimBody>>
}

function reshapeRefused(refusal: ReshapeRefusal | ForeignOwned): ApiError {
  switch (refusal.kind) {
    case 'reshaped-provider-missing':
      return new ApiError(
        400,
        `Resource provider ${refusal.uuid} in inventories not found: ` +
          `No resource provider with uuid ${refusal.uuid} found`,
        'placement.resource_provider.not_found',
      )
    case 'reshape-generation-conflict':
      return new ApiError(
        409,
        `resource provider generation conflict for provider ${refusal.uuid}: ` +
          `actual: ${refusal.actual}, given: ${refusal.given}`,
        CONCURRENT_UPDATE,
      )
    case 'reshape-inventory-in-use':
      return new ApiError(
        409,
        `update conflict: Inventory for '${refusal.classes.join(', ')}' on resource provider ` +
          `'${refusal.provider}' in use.`,
        'placement.inventory.inuse',
      )
    default:
      return claimRefused(refusal, text => `malformed reshaper data: ${text}`)
  }
}
