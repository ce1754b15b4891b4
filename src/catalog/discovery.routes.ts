import { type ApiAnswer, json } from '../http/api.ts'
import { links, listOf, objectOf, text } from '../http/formats/schema-forms.ts'
import type { CatalogRequest, CatalogRoute } from './context.ts'

/** The version of the images API that these metadata definitions are from. */
const VERSION = 'v2.17'

function answerVersions(status: number, { addressOf }: CatalogRequest): ApiAnswer {
  const links = [{ rel: 'self', href: addressOf('/v2/') }]
  return json(status, { versions: [{ id: VERSION, status: 'CURRENT', links }] })
}

const answer = objectOf({ versions: listOf(objectOf({ id: text, status: text, links })) })

/** The root needs no token. */
export function discoveryRoutes(): CatalogRoute[] {
  const versions = (path: string, status: number): CatalogRoute => ({
    method: 'GET',
    path,
    operation: null,
    summary: 'List versions',
    answers: { [status]: answer },
    handle: request => answerVersions(status, request),
  })
  return [versions('/', 300), versions('/versions', 200)]
}
