import { isIP } from 'node:net'

/** Whether only this machine can reach the host. A name other than localhost could resolve to anything. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (isIP(bare) === 4) return bare.startsWith('127.')
  if (isIP(bare) === 6) return bare === '::1' || bare === '0:0:0:0:0:0:0:1' || bare.startsWith('::ffff:127.')
  return bare === 'localhost'
}
