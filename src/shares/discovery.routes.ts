import { json } from '../http/api.ts'
import type { ShareApiRequest, ShareRoute } from './context.ts'
import { ROOT } from './links.ts'
import { versions } from './versions.ts'

/** When the API got its microversions; clients are shown it and do nothing with it. */
const UPDATED = '2015-08-27T11:33:21Z'

const about = ({ addressOf }: ShareApiRequest) => ({
  id: 'v2.0',
  status: 'CURRENT',
  version: versions.max,
  min_version: versions.min,
  updated: UPDATED,
  links: [{ rel: 'self', href: addressOf(`${ROOT}/`) }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.share+json;version=1' }],
})

/** What clients ask before anything else, without a token. Of several versions one is to be chosen, hence 300. */
export function discoveryRoutes(): ShareRoute[] {
  const versions = (path: string, status: number): ShareRoute => ({
    method: 'GET',
    path,
    operation: null,
    handle: request => json(status, { versions: [about(request)] }),
  })
  return [versions('/', 300), versions(ROOT, 200), versions(`${ROOT}/`, 200)]
}
