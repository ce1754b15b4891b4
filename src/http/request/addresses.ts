import type { IncomingMessage } from 'node:http'

const UNSAFE_IN_HEADER = /[^\x21-\x7e]/

/** Where the caller reaches a path of this server. */
export function absoluteAddress(request: IncomingMessage, path: string, trustProxy: boolean): string {
  const { headers, socket } = request
  const safe = UNSAFE_IN_HEADER.test(path) ? encodeURI(path) : path
  const proto = trustProxy ? firstOf(headers['x-forwarded-proto']) : undefined
  const scheme = proto ?? ('encrypted' in socket && socket.encrypted === true ? 'https' : 'http')
  const host = (trustProxy ? firstOf(headers['x-forwarded-host']) : undefined) ?? headers.host
  return `${scheme}://${host ?? `${socket.localAddress}:${socket.localPort}`}${safe}`
}

/** The proxy in front adds the address it sees at the end; what stands before that anybody may have written. */
export function callerAddress(request: IncomingMessage, trustProxy: boolean): string {
  return (trustProxy ? lastForwarded(request) : null) ?? request.socket.remoteAddress ?? 'unknown'
}

/** Whom a proxy that is not trusted says it asks for; null if nobody. Anybody may have made it up. */
export function claimedAddress(request: IncomingMessage, trustProxy: boolean): string | null {
  return trustProxy ? null : lastForwarded(request)
}

const ADDRESS_CHARS_MAX = 64

function lastForwarded({ headers }: IncomingMessage): string | null {
  const forwarded = headers['x-forwarded-for']
  if (typeof forwarded !== 'string') return null
  return (
    forwarded
      .slice(forwarded.lastIndexOf(',') + 1)
      .trim()
      .slice(0, ADDRESS_CHARS_MAX) || null
  )
}

/** Each proxy on the way may add its own after a comma; the first is what the client used. */
function firstOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header.split(',', 1)[0]?.trim() || undefined : undefined
}
