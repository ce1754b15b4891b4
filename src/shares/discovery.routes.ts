import { json } from '../http/api.ts'
import { links, listOf, objectOf, text } from '../http/formats/schema-forms.ts'
import type { ShareApiRequest, ShareRoute } from './context.ts'
import { ROOT } from './links.ts'
import { versions } from './versions.ts'

/** When the API got its microversions; clients only show it. */
const UPDATED = '2015-08-27T11:33:21Z'

const describeVersion = ({ addressOf }: ShareApiRequest) => ({
  id: 'v2.0',
  status: 'CURRENT',
  version: versions.max,
  min_version: versions.min,
  updated: UPDATED,
  links: [{ rel: 'self', href: addressOf(`${ROOT}/`) }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.share+json;version=1' }],
})

const versionSchema = objectOf({
  id: text,
  status: text,
  version: text,
  min_version: text,
  updated: text,
  links,
  'media-types': listOf(objectOf({ base: text, type: text })),
})

/** Needs no token: clients ask this first. 300, as there are several versions to choose from. */
export function discoveryRoutes(): ShareRoute[] {
  const versions = (path: string, status: number): ShareRoute => ({
    method: 'GET',
    path,
    operation: null,
    summary: 'List versions',
    answers: { [status]: objectOf({ versions: listOf(versionSchema) }) },
    handle: request => json(status, { versions: [describeVersion(request)] }),
  })
  return [versions('/', 300), versions(ROOT, 200), versions(`${ROOT}/`, 200)]
}
