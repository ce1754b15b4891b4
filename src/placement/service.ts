import type { Service } from '../http/service.ts'
import type { PlacementContext } from './context.ts'
import { placementRoutes } from './routes.ts'
import { type Features, featuresOf, versions } from './versions.ts'

/** OpenStack Placement: versions 1.0 to 1.39 as upstream, then Berth's own. */
export function placementService(context: PlacementContext): Service<Features> {
  return {
    name: 'placement',
    serviceType: 'placement',
    versions: {
      min: versions.min,
      max: versions.max,
      featuresOf: minor => featuresOf(minor, context.settings.in_tree_meaning),
    },
    routes: placementRoutes(context),
    showsLastModified: features => features.cacheHeaders,
    showsErrorCodes: features => features.errorCodes,
    undefinedCode: 'placement.undefined_code',
  }
}
