import { JSON_UTF8 } from '../../http/api.ts'
import { anyObject } from '../../wire/shape.ts'
import { Problem } from '../api/problem.ts'
import { CustomAnswer, type V1Route, v1Route } from '../api/route.ts'
import { type DocumentedService, serviceDocument } from './service-document.ts'
import { v1Document } from './v1-document.ts'

interface OpenapiContext {
  /** All routes of /v1, these included. */
  readonly routes: () => readonly V1Route[]
  readonly services: () => readonly DocumentedService[]
  readonly version: string
}

const answer = {
  description: 'The document.',
  shape: anyObject('An OpenAPI 3.1 document.'),
}

/** Documents are made at the first request, and kept. */
export function openapiRoutes({ routes, services, version }: OpenapiContext): V1Route[] {
  let own: string | null = null
  const ofServices = new Map<string, Promise<string>>()
  const textOf = (service: DocumentedService): Promise<string> => {
    const text = ofServices.get(service.name) ?? serviceDocument(service, version).then(JSON.stringify)
    ofServices.set(service.name, text)
    return text
  }
  return [
    v1Route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'berth:openapi',
      summary: 'Read the description of this API',
      description: 'An OpenAPI 3.1 document, made from what serves and checks the requests.',
      answer,
      handle() {
        own ??= JSON.stringify(v1Document(routes(), version))
        return new CustomAnswer({ status: 200, contentType: JSON_UTF8, body: own })
      },
    }),
    v1Route({
      method: 'GET',
      path: '/openapi/{document}',
      operation: 'berth:openapi',
      summary: 'Read the description of an OpenStack API that this server has',
      description:
        'An OpenAPI 3.1 document, made from the routes and schemas that serve the requests. Microversions are described ' +
        'as OpenStack’s own documents do it: `x-openstack` has the first and the last version of an operation, a parameter ' +
        'or a schema, as `min-ver` and `max-ver`.',
      params: {
        document:
          '`placement.json`, `compute.json`, `image.json`, `share.json` or `identity.json`, as far as this server has the API.',
      },
      answer,
      problems: { 404: 'This server has no such API; `documents` lists those it has.' },
      async handle({ params }) {
        const asked = params.document as string
        const service = services().find(({ name }) => asked === `${name}.json`)
        if (service === undefined) throw noDocument(asked, services())
        return new CustomAnswer({ status: 200, contentType: JSON_UTF8, body: await textOf(service) })
      },
    }),
  ]
}

function noDocument(asked: string, services: readonly DocumentedService[]): Problem {
  const documents = services.map(({ name }) => `${name}.json`)
  return new Problem(
    404,
    'openapi.missing',
    `There is no ${asked}; the documents are ${documents.join(', ')}.`,
    {
      documents,
    },
  )
}
