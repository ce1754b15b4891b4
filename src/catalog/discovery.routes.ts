import { type ApiAnswer, json } from '../http/api.ts'
import type { CatalogRequest, CatalogRoute } from './context.ts'

/** The version of the images API whose metadata definitions these are. */
const VERSION = 'v2.17'

function versions(status: number, { addressOf }: CatalogRequest): ApiAnswer {
  const links = [{ rel: 'self', href: addressOf('/v2/') }]
  return json(status, { versions: [{ id: VERSION, status: 'CURRENT', links }] })
}

/** What clients ask the root, without a token. */
export function discoveryRoutes(): CatalogRoute[] {
  return [
    { method: 'GET', path: '/', operation: null, handle: request => versions(300, request) },
    { method: 'GET', path: '/versions', operation: null, handle: request => versions(200, request) },
  ]
}
