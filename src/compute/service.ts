import { faultSchema, renderFault } from '../http/formats/fault-document.ts'
import type { Service } from '../http/service.ts'
import type { ComputeContext } from './context.ts'
import { ROOT } from './links.ts'
import { computeRoutes } from './routes.ts'
import { type Features, versions } from './versions.ts'

/** The part of Nova v2.1 that scheduling needs. */
export function computeService(context: ComputeContext): Service<Features> {
  return {
    name: 'compute',
    serviceType: 'compute',
    olderVersionHeader: 'x-openstack-nova-api-version',
    versions,
    versionlessPaths: ['/'],
    routes: computeRoutes(context),
    openPaths: ['/', ROOT, `${ROOT}/`],
    untypedBodies: true,
    errorDocument: renderFault,
    unauthorizedDocument: renderFault,
    errorSchema: faultSchema,
  }
}
