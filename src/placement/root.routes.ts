import { json, type Route } from '../http/api.ts'
import type { PlacementContext } from './context.ts'
import { type Features, versions } from './versions.ts'

/** Version discovery. The link is relative to this very address, so it holds behind any proxy. */
export function rootRoutes({ clock }: PlacementContext): Route<Features>[] {
  return [
    {
      method: 'GET',
      path: '/',
      operation: null,
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
