import { ApiError, type DescribedRoute, json, LIST_BODY_BYTES } from '../../http/api.ts'
import { parseJsonBody } from '../../http/formats/json-body.ts'
import {
  CONCURRENT_UPDATE,
  noProvider,
  ownedConflict,
  type PlacementContext,
  param,
  providerOr404,
} from '../context.ts'
import type { Features } from '../versions.ts'
import { aggregatesAnswerSchema, aggregatesSchema } from './aggregates.schemas.ts'

const PATH = '/resource_providers/{uuid}/aggregates'

export function aggregateRoutes({ world, sequencer, clock }: PlacementContext): DescribedRoute<Features>[] {
  const answer = (aggregates: readonly string[], generation: number, features: Features) =>
    json(
      200,
      { aggregates, ...(features.aggregateGeneration ? { resource_provider_generation: generation } : {}) },
      clock.nowMs(),
    )
  return [
    {
      method: 'GET',
      path: PATH,
      operation: 'placement:resource_providers:aggregates:list',
      since: 'aggregates',
      givesJson: true,
      summary: 'List the aggregates of a resource provider',
      answers: features => ({ 200: aggregatesAnswerSchema(features) }),
      handle({ params, features }) {
        const slot = providerOr404(world, param(params, 'uuid'))
        const uuids = world.providerAggregates.list(slot).map(id => world.aggregates.uuid(id))
        return answer(uuids, world.providers.generation[slot] as number, features)
      },
    },
    {
      method: 'PUT',
      path: PATH,
      operation: 'placement:resource_providers:aggregates:update',
      bodyLimit: LIST_BODY_BYTES,
      since: 'aggregates',
      takesJson: true,
      summary: 'Replace the aggregates of a resource provider',
      requestBody: aggregatesSchema,
      answers: features => ({ 200: aggregatesAnswerSchema(features) }),
      async handle({ params, body, features }) {
        const provider = param(params, 'uuid')
        providerOr404(world, provider)
        const asked = parseJsonBody(body, aggregatesSchema(features)) as string[] | AggregatesBody
        const lifted = Array.isArray(asked)
          ? { aggregates: asked, generation: null }
          : { aggregates: asked.aggregates, generation: asked.resource_provider_generation }
        const outcome = await sequencer.submit({ kind: 'placement:set-aggregates', provider, ...lifted })
        if (outcome.ok) return answer(lifted.aggregates, outcome.answer.generation, features)
        if (outcome.refusal.kind === 'owned') throw ownedConflict(outcome.refusal)
        throw outcome.refusal.kind === 'provider-missing'
          ? noProvider(provider)
          : new ApiError(
              409,
              "Resource provider's generation already changed. Please update the generation and try again.",
              CONCURRENT_UPDATE,
            )
      },
    },
  ]
}

interface AggregatesBody {
  readonly aggregates: readonly string[]
  readonly resource_provider_generation: number
}
