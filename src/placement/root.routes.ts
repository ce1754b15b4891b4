import { json, type Route } from '../http/api.ts'
import type { PlacementContext } from './context.ts'
import { type Features, VERSION_MAX, VERSION_MIN } from './versions.ts'

/** Version discovery. The link is relative to this very address, so it holds behind any proxy. */
export function rootRoutes({ clock }: PlacementContext): Route<Features>[] {
  return [
    {
      method: 'GET',
      path: '/',
      operation: null,
      handle() {
        const version = {
          id: `v${VERSION_MIN}`,
          max_version: VERSION_MAX,
          min_version: VERSION_MIN,
          status: 'CURRENT',
          links: [{ rel: 'self', href: '' }],
        }
        return json(200, { versions: [version] }, clock.nowMs())
      },
    },
  ]
}
