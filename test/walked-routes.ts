import { catalogRoutes } from '../src/catalog/routes.ts'
import { computeRoutes } from '../src/compute/routes.ts'
import { type BodyLimit, bodyBytesMaxOf } from '../src/http/api.ts'
import type { Schema } from '../src/http/formats/json-schema.ts'
import { identityRoutes } from '../src/identity/api/service.ts'
import { placementRoutes } from '../src/placement/routes.ts'
import { ALL_FILTERS } from '../src/scheduling/hosts/registry.ts'
import { shareRoutes } from '../src/shares/routes.ts'
import { v1Routes } from '../src/v1/routes.ts'
import type { Berth } from './running-berth.ts'

/** One route with real names in its path, ready to be asked. */
export interface WalkedRoute {
  readonly method: string
  readonly mount: string
  readonly path: string
  readonly paths: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** Null where routes say nothing of their bodies. */
  readonly schema: Schema | null
  readonly bodyBytesMax: number
}

/** Routes look at their context only when somebody asks them something, so that any will do for the list of them. */
// biome-ignore lint/suspicious/noExplicitAny: every service has a context of its own
const NO_CONTEXT: any = new Proxy(() => undefined, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => '' : NO_CONTEXT),
})

interface Listed {
  readonly method: string
  readonly path: string
  readonly bodyLimit?: BodyLimit
  readonly body?: { readonly schema: Schema }
}

const SERVICES: readonly { readonly mount: string; readonly routes: () => readonly Listed[] }[] = [
  {
    mount: '/placement',
    routes: () =>
      placementRoutes({ settings: {}, world: NO_CONTEXT, sequencer: NO_CONTEXT, clock: NO_CONTEXT } as never),
  },
  { mount: '/compute', routes: () => computeRoutes(NO_CONTEXT) },
  { mount: '/image', routes: () => catalogRoutes(NO_CONTEXT) },
  { mount: '/share', routes: () => shareRoutes(NO_CONTEXT) },
  { mount: '/identity', routes: () => identityRoutes(NO_CONTEXT) },
  { mount: '/v1', routes: () => v1Routes({ placement: {} } as Parameters<typeof v1Routes>[0]) },
]

const VERSIONS = {
  'openstack-api-version': 'placement 1.39, compute latest, shared-file-system latest',
  'x-openstack-manila-api-version': '2.80',
}

export async function walkedRoutes(
  berth: Berth,
  token: string,
  bodyBytesMax: number,
): Promise<WalkedRoute[]> {
  const names = await namesIn(berth, token)
  return SERVICES.flatMap(({ mount, routes }) =>
    routes().map(
      ({ method, path, bodyLimit, body }): WalkedRoute => ({
        method,
        mount,
        path,
        paths: pathsOf(`${mount}${path}`, names),
        headers: { 'x-auth-token': token, ...VERSIONS },
        schema: body?.schema ?? null,
        bodyBytesMax: bodyBytesMaxOf(bodyLimit, bodyBytesMax),
      }),
    ),
  )
}

type Names = ReadonlyMap<string, string>

const FILTERS = ALL_FILTERS.map(({ name }) => name)

function pathsOf(path: string, names: Names): string[] {
  if (path.includes('/filters/{name}')) return FILTERS.map(filter => path.replace('{name}', filter))
  return [path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names.get(name) ?? 'x')]
}

/** Something that is there for each name of a path. */
async function namesIn(berth: Berth, token: string): Promise<Names> {
  const first = async (path: string, key: string, field: string): Promise<string> => {
    const answer = await fetch(`${berth.server.url}${path}`, {
      headers: { 'x-auth-token': token, ...VERSIONS },
    })
    const all = ((await answer.json()) as Record<string, Record<string, unknown>[]>)[key]
    return String(all?.[0]?.[field] ?? 'x')
  }
  return new Map([
    ['uuid', await first('/placement/resource_providers', 'resource_providers', 'uuid')],
    ['flavor_id', await first('/compute/v2.1/flavors', 'flavors', 'id')],
    ['aggregate_id', await first('/compute/v2.1/os-aggregates', 'aggregates', 'id')],
    ['share_id', await first('/share/v2/shares?all_tenants=1', 'shares', 'id')],
    ['type_id', await first('/share/v2/types', 'share_types', 'id')],
    ['namespace', await first('/image/v2/metadefs/namespaces', 'namespaces', 'namespace')],
    ['user_id', await first('/identity/v3/users', 'users', 'id')],
    ['project_id', await first('/identity/v3/projects', 'projects', 'id')],
  ])
}
