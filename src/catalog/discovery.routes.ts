import { type ApiAnswer, json } from '../http/api.ts'
import type { CatalogRequest, CatalogRoute } from './context.ts'

/** The version of the images API that these metadata definitions are from. */
const VERSION = 'v2.17'

function answerVersions(status: number, { addressOf }: CatalogRequest): ApiAnswer {
  const links = [{ rel: 'self', href: addressOf('/v2/') }]
  return json(status, { versions: [{ id: VERSION, status: 'CURRENT', links }] })
}

/** The root needs no token. */
export function discoveryRoutes(): CatalogRoute[] {
  return [
    { method: 'GET', path: '/', operation: null, handle: request => answerVersions(300, request) },
    { method: 'GET', path: '/versions', operation: null, handle: request => answerVersions(200, request) },
  ]
}
