import type { DescribedRoute } from '../http/api.ts'
import { aggregateRoutes } from './aggregates/aggregates.routes.ts'
import { allocationRoutes } from './allocations/allocations.routes.ts'
import { candidateRoutes } from './candidates/candidates.routes.ts'
import { classRoutes } from './classes/classes.routes.ts'
import type { PlacementContext } from './context.ts'
import { inventoryRoutes } from './inventories/inventories.routes.ts'
import { providerRoutes } from './providers/providers.routes.ts'
import { reshaperRoutes } from './reshaper/reshaper.routes.ts'
import { rootRoutes } from './root.routes.ts'
import { traitRoutes } from './traits/traits.routes.ts'
import { usageRoutes } from './usages/usages.routes.ts'
import type { Features } from './versions.ts'

export function placementRoutes(context: PlacementContext): DescribedRoute<Features>[] {
  return [
    rootRoutes,
    classRoutes,
    traitRoutes,
    providerRoutes,
    inventoryRoutes,
    aggregateRoutes,
    usageRoutes,
    allocationRoutes,
    candidateRoutes,
    reshaperRoutes,
  ].flatMap(room => room(context))
}
