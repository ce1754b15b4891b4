import type { IncomingMessage } from 'node:http'

const UNSAFE_IN_HEADER = /[^\x21-\x7e]/

/** The URL of a path of this server, as the caller reaches it. */
export function makeAbsoluteUrl(request: IncomingMessage, path: string, trustProxy: boolean): string {
  const { headers, socket } = request
  const safe = UNSAFE_IN_HEADER.test(path) ? encodeURI(path) : path
  const proto = trustProxy ? readFirst(headers['x-forwarded-proto']) : undefined
  const scheme = proto ?? ('encrypted' in socket && socket.encrypted === true ? 'https' : 'http')
  const host = (trustProxy ? readFirst(headers['x-forwarded-host']) : undefined) ?? headers.host
  return `${scheme}://${host ?? `${socket.localAddress}:${socket.localPort}`}${safe}`
}

/** The trusted proxy appends the address that it sees; the client may have written what comes before. */
export function findCallerAddress(request: IncomingMessage, trustProxy: boolean): string {
  return (trustProxy ? findLastForwarded(request) : null) ?? request.socket.remoteAddress ?? 'unknown'
}

/** The client that an untrusted proxy names; null if none. It may be forged. */
export function findClaimedAddress(request: IncomingMessage, trustProxy: boolean): string | null {
  return trustProxy ? null : findLastForwarded(request)
}

const ADDRESS_CHARS_MAX = 64

function findLastForwarded({ headers }: IncomingMessage): string | null {
  const forwarded = headers['x-forwarded-for']
  if (typeof forwarded !== 'string') return null
  return (
    forwarded
      .slice(forwarded.lastIndexOf(',') + 1)
      .trim()
      .slice(0, ADDRESS_CHARS_MAX) || null
  )
}

/** Each proxy may append its own after a comma; the first is the client's. */
function readFirst(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header.split(',', 1)[0]?.trim() || undefined : undefined
}
