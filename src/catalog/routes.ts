import type { CatalogContext, CatalogRoute } from './context.ts'
import { discoveryRoutes } from './discovery.routes.ts'
import { imageRoutes } from './images/images.routes.ts'
import { namespaceRoutes } from './namespaces/namespaces.routes.ts'
import { objectRoutes } from './objects/objects.routes.ts'
import { propertyRoutes } from './properties/properties.routes.ts'
import { resourceTypeRoutes } from './resource-types/resource-types.routes.ts'
import { schemaRoutes } from './schemas/schemas.routes.ts'
import { tagRoutes } from './tags/tags.routes.ts'

export function catalogRoutes(context: CatalogContext): CatalogRoute[] {
  return [
    ...discoveryRoutes(),
    ...namespaceRoutes(context),
    ...propertyRoutes(context),
    ...objectRoutes(context),
    ...tagRoutes(context),
    ...resourceTypeRoutes(context),
    ...schemaRoutes(),
    ...imageRoutes(context),
  ]
}
