import { json } from '../http/api.ts'
import type { ComputeRequest, ComputeRoute } from './context.ts'
import { ROOT } from './links.ts'
import { versions } from './versions.ts'

/** When the API got its microversions; clients are shown it and do nothing with it. */
const UPDATED = '2013-07-23T11:33:21Z'

const about = ({ addressOf }: ComputeRequest) => ({
  id: 'v2.1',
  status: 'CURRENT',
  version: versions.max,
  min_version: versions.min,
  updated: UPDATED,
  links: [{ rel: 'self', href: addressOf(`${ROOT}/`) }],
})

const MEDIA_TYPES = [{ base: 'application/json', type: 'application/vnd.openstack.compute+json;version=2.1' }]

/** What clients ask before anything else, without a token. */
export function discoveryRoutes(): ComputeRoute[] {
  const version = (path: string): ComputeRoute => ({
    method: 'GET',
    path,
    operation: null,
    handle: request => json(200, { version: { ...about(request), 'media-types': MEDIA_TYPES } }),
  })
  const versions: ComputeRoute = {
    method: 'GET',
    path: '/',
    operation: null,
    handle: request => json(200, { versions: [about(request)] }),
  }
  return [versions, version(ROOT), version(`${ROOT}/`)]
}
