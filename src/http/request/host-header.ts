import type { IncomingMessage } from 'node:http'

/** What is wrong with the Host header. Two are refused: a proxy may have used the other one. */
export function findHostFault({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): string | null {
  if (headers.host === undefined) return httpVersionMinor > 0 ? 'host header required' : null
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1 ? 'more than one host header' : null
}
