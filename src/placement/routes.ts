import { ApiError, type Route } from '../http/api.ts'
import { aggregateRoutes } from './aggregates/aggregates.routes.ts'
import { allocationRoutes } from './allocations/allocations.routes.ts'
import { candidateRoutes } from './candidates/candidates.routes.ts'
import { classRoutes } from './classes/classes.routes.ts'
import type { PlacementContext } from './context.ts'
import { inventoryRoutes } from './inventories/inventories.routes.ts'
import type { Owned } from './owned.ts'
import { providerRoutes } from './providers/providers.routes.ts'
import { reshaperRoutes } from './reshaper/reshaper.routes.ts'
import { rootRoutes } from './root.routes.ts'
import { traitRoutes } from './traits/traits.routes.ts'
import { usageRoutes } from './usages/usages.routes.ts'
import type { Features } from './versions.ts'

/** What belongs to another service is a conflict, whichever route met it. */
function answeringOwned({ sequencer, ...others }: PlacementContext): PlacementContext {
  const submit = async (...given: Parameters<typeof sequencer.submit>) => {
    const outcome = await sequencer.submit(...given)
    const refusal = outcome.ok ? null : (outcome.refusal as unknown as Owned)
    if (refusal?.kind === 'owned')
      throw new ApiError(
        409,
        `There was a conflict: ${refusal.what} belongs to the ${refusal.owner} service, which alone may change it.`,
      )
    return outcome
  }
  return {
    ...others,
    sequencer: {
      submit: submit as typeof sequencer.submit,
      get head() {
        return sequencer.head
      },
    },
  }
}

export function placementRoutes(given: PlacementContext): Route<Features>[] {
  const context = answeringOwned(given)
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
