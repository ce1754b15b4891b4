import { ApiError } from '../http/api.ts'
import { absentRoutes } from './absent.routes.ts'
import { accessRoutes } from './access/access.routes.ts'
import { poolRoutes } from './backends/pools.routes.ts'
import { serviceRoutes } from './backends/services.routes.ts'
import { zoneRoutes } from './backends/zones.routes.ts'
import type { ShareApiRequest, ShareContext, ShareRoute } from './context.ts'
import { discoveryRoutes } from './discovery.routes.ts'
import { ROOT } from './links.ts'
import { messageRoutes } from './messages/messages.routes.ts'
import { limitRoutes } from './quotas/limits.routes.ts'
import { quotaRoutes } from './quotas/quotas.routes.ts'
import { actionRoutes } from './share/actions.routes.ts'
import { exportRoutes } from './share/exports.routes.ts'
import { metadataRoutes } from './share/metadata.routes.ts'
import { shareRoutes } from './share/shares.routes.ts'
import { typeRoutes } from './share-types/share-types.routes.ts'
import { snapshotRoutes } from './snapshots/snapshots.routes.ts'

export function shareServiceRoutes(context: ShareContext): ShareRoute[] {
  const routes = [
    ...shareRoutes(context),
    ...actionRoutes(context),
    ...metadataRoutes(context),
    ...exportRoutes(context),
    ...accessRoutes(context),
    ...snapshotRoutes(context),
    ...typeRoutes(context),
    ...poolRoutes(context),
    ...serviceRoutes(context),
    ...zoneRoutes(context),
    ...messageRoutes(context),
    ...limitRoutes(context),
    ...quotaRoutes(context),
    ...absentRoutes(),
  ]
  return [...discoveryRoutes(), ...routes.map(mountAtRoot), ...routes.map(mountBelowProject)]
}

const mountAtRoot = (route: ShareRoute): ShareRoute => ({ ...route, path: `${ROOT}${route.path}` })

/** Paths may contain the project, which was required before 2.60; it must be the caller's. */
const mountBelowProject = (route: ShareRoute): ShareRoute => ({
  ...route,
  path: `${ROOT}/{project_id}${route.path}`,
  handle(request: ShareApiRequest) {
    const { project_id } = request.params
    if (project_id !== request.credentials.projectId)
      throw new ApiError(400, `The address names project ${project_id}, and the token is for another.`)
    return route.handle(request)
  },
})
