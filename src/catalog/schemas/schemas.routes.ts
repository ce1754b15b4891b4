import type { CatalogRoute } from '../context.ts'
import { schemaLink } from '../links.ts'
import { servedSchemas } from './documents.ts'

/** For every caller with a token: clients read these first. */
export function schemaRoutes(): CatalogRoute[] {
  return Object.entries(servedSchemas).map(([name, schema]) => {
    const body = JSON.stringify(schema)
    return {
      method: 'GET',
      path: schemaLink(name),
      operation: null,
      takesNoBody: true,
      handle: () => ({ status: 200, body }),
    }
  })
}
