import { json } from '../../http/api.ts'
import { type CatalogContext, type CatalogRoute, catalogRoute, requireAllowed } from '../context.ts'
import { pageLinks } from '../links.ts'
import { readPage } from '../paging.ts'
import { imageSchema, imagesSchema } from './image.schemas.ts'

/** Keys of Glance, by which nothing needs to be sorted. */
const SORT_KEYS = Object.fromEntries(
  'created_at updated_at id name status container_format disk_format size min_disk min_ram visibility'
    .split(' ')
    .map(key => [key, () => null]),
)

/** Berth stores no images. Dashboards list them beside servers and flavors, so the list is there and empty. */
export function imageRoutes(context: CatalogContext): CatalogRoute[] {
  const schema = (name: string, document: object): CatalogRoute => ({
    method: 'GET',
    path: `/v2/schemas/${name}`,
    operation: null,
    takesNoBody: true,
    handle: () => json(200, document),
  })
  return [
    catalogRoute({
      method: 'GET',
      path: '/v2/images',
      operation: 'get_images',
      takesNoBody: true,
      handle(request) {
        requireAllowed(context, request, 'get_images')
        readPage(request.query, { sortKeys: SORT_KEYS, limitDefault: null, limitMin: 0 })
        const { first } = pageLinks('/v2/images', request.query.lastValues(), null)
        return json(200, { images: [], first, schema: '/v2/schemas/images' })
      },
    }),
    schema('image', imageSchema),
    schema('images', imagesSchema),
  ]
}
