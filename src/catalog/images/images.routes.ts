import { json } from '../../http/api.ts'
import type { Schema } from '../../http/formats/json-schema.ts'
import { objectOf, text } from '../../http/formats/schema-forms.ts'
import { type CatalogContext, type CatalogRoute, catalogRoute, requireAllowed } from '../context.ts'
import { pageLinks } from '../links.ts'
import { pageQuery, readPage } from '../paging.ts'
import { schemaRoute } from '../schemas/schemas.routes.ts'
import { imageSchema, imagesSchema } from './image.schemas.ts'

/** Glance's sort keys. They are accepted although the list is empty. */
const SORT_KEYS = Object.fromEntries(
  'created_at updated_at id name status container_format disk_format size min_disk min_ram visibility'
    .split(' ')
    .map(key => [key, () => null]),
)
const PAGES = { sortKeys: SORT_KEYS, limitDefault: null, limitMin: 0 }
const SCHEMA_OF_LIST = '/v2/schemas/images'
const noImages: Schema = { type: 'array', maxItems: 0 }

/** Berth stores no images. The list exists, empty, because dashboards ask for it beside servers and flavors. */
export function imageRoutes(context: CatalogContext): CatalogRoute[] {
  return [
    catalogRoute({
      method: 'GET',
      path: '/v2/images',
      operation: 'get_images',
      takesNoBody: true,
      summary: 'List images (always empty)',
      query: pageQuery(PAGES),
      answers: { 200: objectOf({ images: noImages, first: text, schema: text }) },
      handle(request) {
        requireAllowed(context, request, 'get_images')
        readPage(request.query, PAGES)
        const { first } = pageLinks('/v2/images', request.query.lastValues(), null)
        return json(200, { images: [], first, schema: SCHEMA_OF_LIST })
      },
    }),
    schemaRoute('/v2/schemas/image', imageSchema),
    schemaRoute(SCHEMA_OF_LIST, imagesSchema),
  ]
}
