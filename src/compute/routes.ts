import { ApiError } from '../http/api.ts'
import { aggregateRoutes } from './aggregates/aggregates.routes.ts'
import type { ComputeContext, ComputeRequest, ComputeRoute } from './context.ts'
import { discoveryRoutes } from './discovery.routes.ts'
import { flavorRoutes } from './flavors/flavors.routes.ts'
import { groupRoutes } from './groups/groups.routes.ts'
import { hypervisorRoutes } from './hosts/hypervisors.routes.ts'
import { osHostRoutes } from './hosts/os-hosts.routes.ts'
import { serviceRoutes } from './hosts/services.routes.ts'
import { zoneRoutes } from './hosts/zones.routes.ts'
import { ROOT } from './links.ts'
import { quotaRoutes } from './quotas/quotas.routes.ts'
import { keypairRoutes } from './servers/keypairs.routes.ts'
import { serverRoutes } from './servers/servers.routes.ts'
import { usageRoutes } from './servers/usage.routes.ts'

export function computeRoutes(context: ComputeContext): ComputeRoute[] {
  const routes = [
    ...flavorRoutes(context),
    ...aggregateRoutes(context),
    ...groupRoutes(context),
    ...hypervisorRoutes(context),
    ...serviceRoutes(context),
    ...zoneRoutes(context),
    ...osHostRoutes(context),
    ...serverRoutes(context),
    ...usageRoutes(context),
    ...keypairRoutes(),
    ...quotaRoutes(context),
  ]
  return [...discoveryRoutes(), ...routes.map(mountAtRoot), ...routes.map(mountBelowProject)]
}

const mountAtRoot = (route: ComputeRoute): ComputeRoute => ({ ...route, path: `${ROOT}${route.path}` })

/** Paths may contain the project, as in old service catalogs; it must be the caller's. */
const mountBelowProject = (route: ComputeRoute): ComputeRoute => ({
  ...route,
  path: `${ROOT}/{project_id}${route.path}`,
  handle(request: ComputeRequest) {
    const { project_id } = request.params
    if (project_id !== request.credentials.projectId)
      throw new ApiError(400, `The address names project ${project_id}, and the token is for another.`)
    return route.handle(request)
  },
})
