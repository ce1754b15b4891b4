import type { IncomingHttpHeaders } from 'node:http'
import type { CallerAddress } from '../http/request/internal-request.ts'

/** A request that is sent to both sides. */
export interface KeptRequest {
  readonly method: string
  /** Path and query below the mount. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly requestId: string
  readonly caller: CallerAddress
}

export interface Answer {
  readonly status: number
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** As received: names and values alternate. */
  readonly rawHeaders: readonly string[]
  /** Null if it is too long to be kept. */
  readonly body: Buffer | null
}

export const isWrite = (method: string): boolean =>
  method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'

const ROUTES: readonly (readonly [RegExp, string])[] = [
  [/^\/?$/, '/'],
  [/^\/allocation_candidates$/, '/allocation_candidates'],
  [/^\/allocations$/, '/allocations'],
  [/^\/allocations\/[^/]+$/, '/allocations/{consumer_uuid}'],
  [/^\/reshaper$/, '/reshaper'],
  [/^\/usages$/, '/usages'],
  [/^\/(traits|resource_classes|resource_providers)$/, '/$1'],
  [/^\/(traits|resource_classes)\/[^/]+$/, '/$1/{name}'],
  [/^\/resource_providers\/[^/]+$/, '/resource_providers/{uuid}'],
  [
    /^\/resource_providers\/[^/]+\/(aggregates|allocations|inventories|traits|usages)$/,
    '/resource_providers/{uuid}/$1',
  ],
  [
    /^\/resource_providers\/[^/]+\/inventories\/[^/]+$/,
    '/resource_providers/{uuid}/inventories/{resource_class}',
  ],
]

/** The route of a path, as Placement's documentation names it. */
export function findRoute(path: string): string {
  const [bare = ''] = path.split('?', 1)
  for (const [pattern, name] of ROUTES) if (pattern.test(bare)) return bare.replace(pattern, name)
  return 'none'
}
