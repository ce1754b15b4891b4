import { assert } from '../../kernel/assert.ts'
import type { Route } from '../api.ts'
import { decodePercent } from './percent-decoding.ts'

/** All routes of one path. */
interface Endpoint<Features> {
  /** As declared, e.g. `/resource_providers/{uuid}`; the label in logs and metrics. */
  readonly path: string
  readonly paramNames: readonly string[]
  /** Routes with the same method exist in different versions. */
  readonly byMethod: ReadonlyMap<string, readonly Route<Features>[]>
  /** All methods of any version, in order of declaration. */
  readonly allow: string
}

type RouteMatch<Features> =
  | { readonly kind: 'no-path' }
  | NoRoute
  | {
      readonly kind: 'route'
      readonly path: string
      readonly route: Route<Features>
      readonly params: Readonly<Record<string, string>>
    }

/** A known path without a route for this method: in no version, or not in this one. */
export interface NoRoute {
  readonly kind: 'no-method' | 'not-in-version'
  readonly path: string
  readonly status: 404 | 405
  /** All methods, for the Allow header of a 405. */
  readonly allow: string
}

interface Node<Features> {
  readonly fixed: Map<string, Node<Features>>
  variable: Node<Features> | null
  endpoint: Endpoint<Features> | null
}

/** Finds routes by path, segment by segment; a fixed segment goes before a `{variable}` one. */
export class Router<Features> {
  readonly #root: Node<Features> = newNode()

  constructor(routes: readonly Route<Features>[]) {
    const byPath = Map.groupBy(routes, route => route.path)
    for (const [path, ofPath] of byPath) this.#add(path, ofPath)
  }

  find(method: string, path: string, features: Features): RouteMatch<Features> {
    const segments = splitPath(path)
    if (segments === null) return NO_PATH
    const values: string[] = []
    const endpoint = descend(this.#root, segments, 0, values)
    if (endpoint === null) return NO_PATH
    const routes = endpoint.byMethod.get(method)
    const { path: declared, allow } = endpoint
    if (routes === undefined) return { kind: 'no-method', path: declared, status: 405, allow }
    const route = findOpenRoute(routes, features)
    if (route !== null)
      return { kind: 'route', path: declared, route, params: zipParams(endpoint.paramNames, values) }
    return {
      kind: 'not-in-version',
      path: declared,
      status: routes.some(one => one.gateStatus === 405) ? 405 : 404,
      allow: listOpenMethods(endpoint, features),
    }
  }

  #add(path: string, routes: readonly Route<Features>[]): void {
    const paramNames: string[] = []
    let node = this.#root
    for (const segment of splitPath(path) ?? []) {
      if (segment.startsWith('{')) {
        paramNames.push(segment.slice(1, -1))
        node.variable ??= newNode()
        node = node.variable
      } else {
        const next = node.fixed.get(segment) ?? newNode<Features>()
        node.fixed.set(segment, next)
        node = next
      }
    }
    assert(
      node.endpoint === null,
      () => `${path} and ${node.endpoint?.path} are the same path by other names`,
    )
    const byMethod = Map.groupBy(routes, route => route.method as string)
    node.endpoint = { path, paramNames, byMethod, allow: [...byMethod.keys()].join(', ') }
  }
}

const NO_PATH = { kind: 'no-path' } as const

function newNode<Features>(): Node<Features> {
  return { fixed: new Map(), variable: null, endpoint: null }
}

/** Null for an impossible path. The root has no segments; an empty segment matches no variable. */
function splitPath(path: string): string[] | null {
  if (path === '' || path === '/') return []
  if (path.charCodeAt(0) !== SLASH) return null
  const segments = path.slice(1).split('/')
  if (!path.includes('%')) return segments
  // Decoded after the split: an escaped slash belongs to its segment.
  for (let at = 0; at < segments.length; at++) {
    const decoded = decodePercent(segments[at] as string)
    if (decoded === null) return null
    segments[at] = decoded
  }
  return segments
}

const SLASH = 0x2f

function descend<Features>(
  node: Node<Features>,
  segments: readonly string[],
  at: number,
  values: string[],
): Endpoint<Features> | null {
  if (at === segments.length) return node.endpoint
  const segment = segments[at] as string
  const fixed = node.fixed.get(segment)
  if (fixed !== undefined) {
    const endpoint = descend(fixed, segments, at + 1, values)
    if (endpoint !== null) return endpoint
  }
  if (node.variable === null || segment === '') return null
  values.push(segment)
  const endpoint = descend(node.variable, segments, at + 1, values)
  if (endpoint === null) values.pop()
  return endpoint
}

function zipParams(names: readonly string[], values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (let at = 0; at < names.length; at++) params[names[at] as string] = values[at] as string
  return params
}

export function isOpen<Features>(route: Route<Features>, features: Features): boolean {
  if (route.since !== undefined && !features[route.since]) return false
  return route.until === undefined || !features[route.until]
}

/** Of routes with the same method and path, the one of this version. */
export function findOpenRoute<Features>(
  routes: readonly Route<Features>[],
  features: Features,
): Route<Features> | null {
  for (const route of routes) if (isOpen(route, features)) return route
  return null
}

function listOpenMethods<Features>(endpoint: Endpoint<Features>, features: Features): string {
  const methods: string[] = []
  for (const [method, routes] of endpoint.byMethod)
    if (findOpenRoute(routes, features) !== null) methods.push(method)
  return methods.join(', ')
}
