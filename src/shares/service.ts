import { faultSchema, renderFault } from '../http/formats/fault-document.ts'
import type { Service } from '../http/service.ts'
import type { ShareContext } from './context.ts'
import { ROOT } from './links.ts'
import { shareServiceRoutes } from './routes.ts'
import { type Features, versions } from './versions.ts'

/** Manila v2. */
export function shareService(context: ShareContext): Service<Features> {
  return {
    name: 'share',
    serviceType: 'shared-file-system',
    olderVersionHeader: 'X-OpenStack-Manila-API-Version',
    versions,
    versionlessPaths: ['/'],
    routes: shareServiceRoutes(context),
    openPaths: ['/', ROOT, `${ROOT}/`],
    untypedBodies: true,
    errorDocument: renderFault,
    unauthorizedDocument: renderFault,
    errorSchema: faultSchema,
  }
}
