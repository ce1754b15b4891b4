import type { NoFeatures } from '../http/api.ts'
import { explainedErrorSchema, renderExplainedError } from '../http/formats/error-document.ts'
import type { Service } from '../http/service.ts'
import type { CatalogContext } from './context.ts'
import { catalogRoutes } from './routes.ts'

/** The metadata definitions of Glance v2. */
export function catalogService(context: CatalogContext): Service<NoFeatures> {
  return {
    name: 'catalog',
    serviceType: 'image',
    versions: null,
    routes: catalogRoutes(context),
    openPaths: ['/', '/versions'],
    untypedBodies: true,
    keepsRequestIds: true,
    errorDocument: renderExplainedError,
    unauthorizedDocument: renderExplainedError,
    errorSchema: explainedErrorSchema,
  }
}
