import { faultDocument } from '../http/formats/fault-document.ts'
import type { Service } from '../http/service.ts'
import type { ComputeContext } from './context.ts'
import { ROOT } from './links.ts'
import { computeRoutes } from './routes.ts'
import { type Features, versions } from './versions.ts'

/** OpenStack compute, version 2.1: what is needed to say what goes where. */
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
    errorDocument: faultDocument,
    unauthorizedDocument: faultDocument,
  }
}
