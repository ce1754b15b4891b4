/** The address of the page: the request, and the selected candidate. */

const CHOSEN = 'candidate'

interface Address {
  /** The query as the server gets it. */
  readonly request: string
  /** Null: the first. */
  readonly chosen: string | null
}

export function readAddress(search: string): Address {
  const parts = search.replace(/^\?/, '').split('&')
  const own = parts.find(part => part.startsWith(`${CHOSEN}=`))
  return {
    request: parts.filter(part => part !== own).join('&'),
    chosen: own === undefined ? null : own.slice(CHOSEN.length + 1),
  }
}

export const writeAddress = ({ request, chosen }: Address): string =>
  chosen === null ? request : `${request}&${CHOSEN}=${chosen}`

interface Allocations {
  readonly [provider: string]: { readonly resources: Readonly<Record<string, number>> }
}

/** Identifies a candidate by its allocations, because its place in the list may change. */
export function nameOfCandidate(allocations: Allocations): string {
  const text = Object.entries(allocations)
    .flatMap(([uuid, { resources }]) =>
      Object.entries(resources).map(([name, amount]) => `${uuid} ${name} ${amount}`),
    )
    .sort()
    .join('\n')
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** Shown at once, unless the request says otherwise. */
const LIMIT = 50

/** The request with a limit, which copied commands have too, so that their result is the same. */
export const withLimit = (request: string): string =>
  /(^|&)limit=/.test(request) ? request : `${request}&limit=${LIMIT}`

export const limitOf = (limited: string): number => Number(/(?:^|&)limit=(\d+)/.exec(limited)?.[1] ?? LIMIT)
