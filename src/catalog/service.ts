import { explainedErrorDocument } from '../http/formats/error-document.ts'
import type { Service } from '../http/service.ts'
import type { CatalogContext, NoFeatures } from './context.ts'
import { catalogRoutes } from './routes.ts'

/** The metadata definitions of OpenStack's images API, version 2. */
export function catalogService(context: CatalogContext): Service<NoFeatures> {
  return {
    name: 'catalog',
    serviceType: 'image',
    versions: null,
    routes: catalogRoutes(context),
    openPaths: ['/', '/versions'],
    untypedBodies: true,
    keepsRequestIds: true,
    errorDocument: explainedErrorDocument,
    unauthorizedDocument: explainedErrorDocument,
  }
}
