import type { Schema } from '../../http/formats/json-schema.ts'
import { listOf, mapOf, objectOf, text } from '../../http/formats/schema-forms.ts'
import type { CatalogRoute } from '../context.ts'
import { schemaLink } from '../links.ts'
import { type ServedSchema, servedSchemas } from './documents.ts'

/** JSON Schema has more words than these. */
const answer: Schema = {
  type: 'object',
  properties: {
    name: text,
    properties: mapOf({ type: 'object' }),
    definitions: mapOf({ type: 'object' }),
    required: listOf(text),
    links: listOf(objectOf({ rel: text, href: text })),
  },
  required: ['name', 'properties'],
}

/** For every caller with a token: clients read these first. */
export function schemaRoutes(): CatalogRoute[] {
  return Object.entries(servedSchemas).map(([name, schema]) => schemaRoute(schemaLink(name), schema))
}

export function schemaRoute(path: string, schema: ServedSchema): CatalogRoute {
  const body = JSON.stringify(schema)
  return {
    method: 'GET',
    path,
    operation: null,
    takesNoBody: true,
    summary: `Show the JSON schema of ${withArticle(schema.name.replaceAll('_', ' '))}`,
    answers: { 200: answer },
    handle: () => ({ status: 200, body }),
  }
}

function withArticle(words: string): string {
  if (words.endsWith('s')) return `a list of ${words}`
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`
}
