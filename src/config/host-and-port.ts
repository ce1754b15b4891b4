import { isIP } from 'node:net'
import type { Kind, Reading } from './kinds.ts'

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

const PORT_MAX = 65_535
const ALL_ADDRESSES = '0.0.0.0'

/** `host:port`, `[::1]:port`, or `:port` for all addresses. Null if it is none of these. */
export function parseHostAndPort(text: string): HostAndPort | null {
  const colon = text.lastIndexOf(':')
  if (colon < 0) return null
  const [written, digits] = [text.slice(0, colon), text.slice(colon + 1)]
  const isBracketed = written.startsWith('[') && written.endsWith(']')
  const host = isBracketed ? written.slice(1, -1) : written === '' ? ALL_ADDRESSES : written
  if (isBracketed ? isIP(host) !== 6 : !/^[\w.-]+$/.test(host)) return null
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0
  return port >= 1 && port <= PORT_MAX ? { host, port } : null
}

export function hostAndPort(): Kind<string> {
  const check = (text: string): Reading<string> =>
    parseHostAndPort(text) === null
      ? { ok: false, wrong: 'is not an address with a port' }
      : { ok: true, value: text }
  return {
    type: 'text',
    allowed: '`host:port`, `[address]:port` of IPv6, or `:port` for all addresses',
    placeholder: 'host:port',
    fromText: check,
    fromJson: value =>
      typeof value === 'string' ? check(value) : { ok: false, wrong: 'is not a JSON string' },
  }
}
