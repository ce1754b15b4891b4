import { type DescribedRoute, json } from '../../http/api.ts'
import { validateQuery } from '../../http/formats/json-body.ts'
import { type PlacementContext, param, providerFoundOr404 } from '../context.ts'
import type { Features } from '../versions.ts'
import {
  providerUsagesAnswerSchema,
  totalUsagesAnswerSchema,
  totalUsagesQuerySchema,
} from './usages.schemas.ts'
import { projectUsages, usagesByType } from './usages.ts'

export function usageRoutes({ world, clock }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'GET',
      path: '/resource_providers/{uuid}/usages',
      operation: 'placement:resource_providers:usages',
      givesJson: true,
      summary: 'Show the usages of a resource provider',
      answers: { 200: providerUsagesAnswerSchema },
      handle({ params }) {
        const slot = providerFoundOr404(world, param(params, 'uuid'))
        const usages: Record<string, number> = {}
        for (const id of world.inventories.listClasses(slot))
          usages[world.classes.name(id)] = world.inventories.used(slot, id)
        const generation = world.providers.generation[slot]
        return json(200, { resource_provider_generation: generation, usages }, clock.nowMs())
      },
    },
    {
      method: 'GET',
      path: '/usages',
      operation: 'placement:usages',
      since: 'totalUsages',
      givesJson: true,
      target: ({ query }) => ({ project_id: query.last('project_id') ?? null }),
      summary: 'Show the usages of a project',
      query: totalUsagesQuerySchema,
      answers: features => ({ 200: totalUsagesAnswerSchema(features) }),
      handle({ query, features }) {
        validateQuery(query, totalUsagesQuerySchema(features))
        const project = query.last('project_id') as string
        const user = query.last('user_id') || null
        const usages = features.consumerTypes
          ? usagesByType(world, project, user, query.last('consumer_type') || null)
          : projectUsages(world, project, user)
        return json(200, { usages }, clock.nowMs())
      },
    },
  ]
}
