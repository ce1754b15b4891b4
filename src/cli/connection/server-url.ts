import { isIPv6 } from 'node:net'

/** The URL of a server that listens on this host and port, for clients on the same machine. */
export function serverUrl(host: string, port: number, isTls = false): string {
  const bare = host.replace(/^\[|\]$/g, '')
  const reachable = bare === '0.0.0.0' ? '127.0.0.1' : bare === '::' ? '::1' : bare
  return `${isTls ? 'https' : 'http'}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}
