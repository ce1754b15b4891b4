import { json } from '../http/api.ts'
import { links, listOf, objectOf, text } from '../http/formats/schema-forms.ts'
import type { ComputeRequest, ComputeRoute } from './context.ts'
import { ROOT } from './links.ts'
import { versions } from './versions.ts'

/** When the API got its microversions; clients only show it. */
const UPDATED = '2013-07-23T11:33:21Z'

const describeVersion = ({ addressOf }: ComputeRequest) => ({
  id: 'v2.1',
  status: 'CURRENT',
  version: versions.max,
  min_version: versions.min,
  updated: UPDATED,
  links: [{ rel: 'self', href: addressOf(`${ROOT}/`) }],
})

const MEDIA_TYPES = [{ base: 'application/json', type: 'application/vnd.openstack.compute+json;version=2.1' }]

const versionFields = { id: text, status: text, version: text, min_version: text, updated: text, links }

/** Needs no token: clients ask this first. */
export function discoveryRoutes(): ComputeRoute[] {
  const version = (path: string): ComputeRoute => ({
    method: 'GET',
    path,
    operation: null,
    summary: 'Show the version',
    answers: {
      200: objectOf({
        version: objectOf({ ...versionFields, 'media-types': listOf(objectOf({ base: text, type: text })) }),
      }),
    },
    handle: request => json(200, { version: { ...describeVersion(request), 'media-types': MEDIA_TYPES } }),
  })
  const versions: ComputeRoute = {
    method: 'GET',
    path: '/',
    operation: null,
    summary: 'List versions',
    answers: { 200: objectOf({ versions: listOf(objectOf(versionFields)) }) },
    handle: request => json(200, { versions: [describeVersion(request)] }),
  }
  return [versions, version(ROOT), version(`${ROOT}/`)]
}
