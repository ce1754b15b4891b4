import { type DescribedRoute, json } from '../http/api.ts'
import { links, listOf, objectOf, text } from '../http/formats/schema-forms.ts'
import type { PlacementContext } from './context.ts'
import { type Features, versions } from './versions.ts'

const versionsSchema = objectOf({
  versions: listOf(objectOf({ id: text, max_version: text, min_version: text, status: text, links })),
})

/** Version discovery. The link is relative to this address, so it works behind any proxy. */
export function rootRoutes({ clock }: PlacementContext): DescribedRoute<Features>[] {
  return [
    {
      method: 'GET',
      path: '/',
      operation: null,
      summary: 'List versions',
      answers: { 200: versionsSchema },
      handle() {
        const version = {
          id: `v${versions.min}`,
          max_version: versions.max,
          min_version: versions.min,
          status: 'CURRENT',
          links: [{ rel: 'self', href: '' }],
        }
        return json(200, { versions: [version] }, clock.nowMs())
      },
    },
  ]
}
