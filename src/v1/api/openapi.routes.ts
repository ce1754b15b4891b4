import { JSON_UTF8 } from '../../http/api.ts'
import { anyObject } from '../../wire/shape.ts'
import { openapiDocument } from './openapi.ts'
import { CustomAnswer, type V1Route, v1Route } from './route.ts'

/** The description of all routes, this one included; made when somebody first asks. */
export function openapiRoutes(all: () => readonly V1Route[], version: string): V1Route[] {
  let text: string | null = null
  return [
    v1Route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'berth:openapi',
      summary: 'Read the description of this API',
      description: 'An OpenAPI 3.1 document, made from what serves and checks the requests.',
      answer: { description: 'The document.', shape: anyObject('An OpenAPI 3.1 document.') },
      handle() {
        text ??= JSON.stringify(openapiDocument(all(), version))
        return new CustomAnswer({ status: 200, contentType: JSON_UTF8, body: text })
      },
    }),
  ]
}
