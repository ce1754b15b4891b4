import type { NoFeatures } from '../../http/api.ts'
import type { Service } from '../../http/service.ts'
import type { IdentityContext, IdentityRoute } from './context.ts'
import { credentialRoutes } from './credentials.routes.ts'
import { discoveryRoutes } from './discovery.routes.ts'
import { forbiddenText, identityErrorDocument, identityErrorSchema } from './errors.ts'
import { groupRoutes } from './groups.routes.ts'
import { projectRoutes } from './projects.routes.ts'
import { roleRoutes } from './roles.routes.ts'
import { tokenRoutes } from './tokens.routes.ts'
import { userRoutes } from './users.routes.ts'

export function identityRoutes(context: IdentityContext): IdentityRoute[] {
  return [
    ...discoveryRoutes(),
    ...tokenRoutes(context),
    ...userRoutes(context),
    ...projectRoutes(context),
    ...roleRoutes(context),
    ...groupRoutes(context),
    ...credentialRoutes(context),
  ]
}

/** The part of Keystone v3 that clients need, for users in the store. */
export function identityService(context: IdentityContext): Service<NoFeatures> {
  return {
    name: 'identity',
    serviceType: 'identity',
    versions: null,
    routes: identityRoutes(context),
    openPaths: ['/', '/v3', '/v3/'],
    openRequests: ['POST /v3/auth/tokens'],
    untypedBodies: true,
    forbiddenText,
    errorDocument: identityErrorDocument,
    unauthorizedDocument: identityErrorDocument,
    errorSchema: identityErrorSchema,
  }
}
