import { resolveBodyLimit } from '../src/http/api.ts'
import type { Schema } from '../src/http/formats/json-schema.ts'
import { versions as placementVersions } from '../src/placement/versions.ts'
import { ALL_FILTERS } from '../src/scheduling/hosts/registry.ts'
import { versions as shareVersions } from '../src/shares/versions.ts'
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

/** Only routes of /v1 say of what shape their bodies are. */
function bodySchemas(): ReadonlyMap<string, Schema> {
  const routes = v1Routes({ placement: {} } as Parameters<typeof v1Routes>[0])
  return new Map(
    routes.flatMap(({ method, path, body }) =>
      body === undefined ? [] : [[`${method} ${path}`, body.schema]],
    ),
  )
}

const VERSIONS = {
  'openstack-api-version': `placement ${placementVersions.max}, compute latest, shared-file-system latest`,
  'x-openstack-manila-api-version': shareVersions.max,
}

export async function walkedRoutes(
  berth: Berth,
  token: string,
  bodyBytesMax: number,
): Promise<WalkedRoute[]> {
  const names = await namesIn(berth, token)
  const schemas = bodySchemas()
  return berth.server.routes.map(
    ({ service, method, mount, path, bodyLimit }): WalkedRoute => ({
      method,
      mount,
      path,
      paths: pathsOf(`${mount}${path}`, names),
      headers: { 'x-auth-token': token, ...VERSIONS },
      schema: (service === 'berth' ? schemas.get(`${method} ${path}`) : undefined) ?? null,
      bodyBytesMax: resolveBodyLimit(bodyLimit, bodyBytesMax),
    }),
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
