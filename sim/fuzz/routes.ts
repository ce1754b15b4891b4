/** Every route of every service, from the route tables of the server. */
import type { CatalogContext } from '../../src/catalog/context.ts'
import { catalogRoutes } from '../../src/catalog/routes.ts'
import type { ComputeContext } from '../../src/compute/context.ts'
import { computeRoutes } from '../../src/compute/routes.ts'
import type { Schema } from '../../src/http/formats/json-schema.ts'
import type { IdentityContext } from '../../src/identity/api/context.ts'
import { identityRoutes } from '../../src/identity/api/service.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { PlacementContext } from '../../src/placement/context.ts'
import { placementRoutes } from '../../src/placement/routes.ts'
import type { ShareContext } from '../../src/shares/context.ts'
import { shareServiceRoutes } from '../../src/shares/routes.ts'
import { type V1Context, v1Routes } from '../../src/v1/routes.ts'
import { World } from '../../src/world/world.ts'

export type ServiceName = 'placement' | 'compute' | 'image' | 'share' | 'identity' | 'v1' | 'plain'

export interface FuzzRoute {
  readonly service: ServiceName
  readonly method: string
  /** From the root of the server, with its `{parameters}`. */
  readonly path: string
  readonly body?: Schema
  readonly query?: Schema
  /** The media type of a body that is not one JSON value. */
  readonly rawBody?: string
  /** How often it is chosen, beside others. */
  readonly weight: number
}

/** Paths outside of the services: health, metrics, the index, files of the console, and an empty path. */
const PLAIN_PATHS = [
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/index.html',
  '/assets/app.js',
  '/hosts',
  '/v1',
  '/v2',
]

/** Routes that hash passwords, copy the database or read everything: chosen rarely, because they are slow. */
const SLOW: readonly (readonly [start: string, weight: number])[] = [
  ['POST /identity/v3/auth/tokens', 0.15],
  ['POST /identity/v3/users', 0.1],
  ['PATCH /identity/v3/users', 0.2],
  ['POST /v1/verify', 0.01],
  ['GET /v1/backup', 0.01],
  ['GET /v1/export', 0.1],
  ['GET /v1/changes', 0.2],
  ['GET /v1/openapi.json', 0.1],
]

interface Listed {
  readonly method: string
  readonly path: string
}

export function everyRoute(): FuzzRoute[] {
  // Only there to list the routes; they are never called here.
  const context = { world: new World(), settings: {}, clock: systemClock, placement: {} }
  const below = (service: ServiceName, routes: readonly Listed[]) =>
    routes.map(({ method, path }) => weighted({ service, method, path: `/${service}${path}` }))
  return [
    ...below('placement', placementRoutes(context as unknown as PlacementContext)),
    ...below('compute', computeRoutes(context as unknown as ComputeContext)),
    ...below('image', catalogRoutes(context as unknown as CatalogContext)),
    ...below('share', shareServiceRoutes(context as unknown as ShareContext)),
    ...below('identity', identityRoutes(context as unknown as IdentityContext)),
    ...v1Routes(context as unknown as V1Context).map(route =>
      weighted({
        service: 'v1',
        method: route.method,
        path: `/v1${route.path}`,
        ...(route.body === undefined ? {} : { body: route.body.schema }),
        ...(route.query === undefined ? {} : { query: route.query.schema }),
        ...('rawBody' in route && route.rawBody !== undefined ? { rawBody: route.rawBody } : {}),
      }),
    ),
    ...PLAIN_PATHS.map(path => weighted({ service: 'plain', method: 'GET', path })),
  ]
}

function weighted(route: Omit<FuzzRoute, 'weight'>): FuzzRoute {
  const slow = SLOW.find(([start]) => `${route.method} ${route.path}`.startsWith(start))
  // The same routes with the project in the path.
  const twin = /^\/(compute|share)\/v2(\.1)?\/\{project_id\}/.test(route.path) ? 0.2 : 1
  // Created more often, so that other routes find some.
  const makes = route.method === 'POST' && !route.path.includes('{') && route.service !== 'v1' ? 4 : 1
  return { ...route, weight: slow?.[1] ?? twin * makes }
}
