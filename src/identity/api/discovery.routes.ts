import { json } from '../../http/api.ts'
import type { IdentityRequest, IdentityRoute } from './context.ts'

/** The version of the API that is spoken here; clients only look at the 3. */
const about = ({ addressOf }: IdentityRequest) => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: addressOf('/v3/') }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
})

/** What clients ask before anything else, without a token. */
export function discoveryRoutes(): IdentityRoute[] {
  const version = (path: string): IdentityRoute => ({
    method: 'GET',
    path,
    operation: null,
    handle: request => json(200, { version: about(request) }),
  })
  const versions: IdentityRoute = {
    method: 'GET',
    path: '/',
    operation: null,
    handle: request => json(300, { versions: { values: [about(request)] } }),
  }
  return [versions, version('/v3'), version('/v3/')]
}
