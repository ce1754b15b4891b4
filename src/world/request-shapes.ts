import type { Row } from './tables.ts'

/** The servers of one flavor, or of the same groups of resources, without image, zone and hints. */
export interface RequestShape {
  /** The request of one of them. */
  readonly request: string
  servers: number
}

/**
 * How many servers there are of each shape of request. Kept with every change, so that a scheduler can read the mix of
 * requests of a large cloud without walking over its servers.
 */
export class RequestShapes {
  readonly #byText = new Map<string, RequestShape>()
  /** The servers of all shapes. */
  servers = 0
  /** Raised when the weight of some shape, or of all together, changes, for caches. */
  version = 0

  put(before: Row<'server_requests'> | null, after: Row<'server_requests'> | null): void {
    if (before?.request === after?.request) return
    if (before !== null) this.#add(before.request, -1)
    if (after !== null) this.#add(after.request, 1)
  }

  list(): readonly RequestShape[] {
    return [...this.#byText.values()]
  }

  #add(request: string, servers: number): void {
    const text = shapeOf(request)
    let shape = this.#byText.get(text)
    if (shape === undefined) {
      shape = { request, servers: 0 }
      this.#byText.set(text, shape)
    }
    const weight = roundedCount(shape.servers)
    const weightOfAll = roundedCount(this.servers)
    shape.servers += servers
    this.servers += servers
    if (shape.servers === 0) this.#byText.delete(text)
    if (roundedCount(shape.servers) !== weight || roundedCount(this.servers) !== weightOfAll) this.version++
  }
}

/** The part before the image: flavor and groups come first in a stored request. */
function shapeOf(request: string): string {
  const end = request.indexOf(',"image":')
  return end < 0 ? request : request.slice(0, end)
}

/**
 * The nearest power of two. What depends on counts would change with every server; what depends on these changes
 * rarely, and can be cached.
 */
export const roundedCount = (servers: number): number =>
  servers === 0 ? 0 : 2 ** Math.round(Math.log2(servers))
