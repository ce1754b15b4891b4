import { json } from '../../http/api.ts'
import { listOf, objectOf } from '../../http/formats/schema-forms.ts'
import type { IdentityRequest, IdentityRoute } from './context.ts'
import { versionSchema } from './schemas.ts'

/** Clients only check that the version is 3. */
const describeVersion = ({ addressOf }: IdentityRequest) => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: addressOf('/v3/') }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
})

/** Needs no token: clients ask this first. */
export function discoveryRoutes(): IdentityRoute[] {
  const version = (path: string): IdentityRoute => ({
    method: 'GET',
    path,
    operation: null,
    summary: 'Show the version',
    answers: { 200: objectOf({ version: versionSchema }) },
    handle: request => json(200, { version: describeVersion(request) }),
  })
  const versions: IdentityRoute = {
    method: 'GET',
    path: '/',
    operation: null,
    summary: 'List versions',
    answers: { 300: objectOf({ versions: objectOf({ values: listOf(versionSchema) }) }) },
    handle: request => json(300, { versions: { values: [describeVersion(request)] } }),
  }
  return [versions, version('/v3'), version('/v3/')]
}
