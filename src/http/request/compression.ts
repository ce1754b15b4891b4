import { constants, gzip, zstdCompress } from 'node:zlib'
import type { Body } from '../api.ts'

/** Shorter answers fit into a few packets. */
const BYTES_MIN = 16 * 1024

export type Encoding = 'zstd' | 'gzip'

/** Null if the client accepts no known encoding or the answer is short. */
export function chooseEncoding(asked: string | undefined, bytes: number): Encoding | null {
  if (asked === undefined || bytes < BYTES_MIN) return null
  if (isAccepted(asked, 'zstd')) return 'zstd'
  return isAccepted(asked, 'gzip') ? 'gzip' : null
}

function isAccepted(asked: string, encoding: Encoding): boolean {
  for (const part of asked.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map(text => text.trim())
    if (name === encoding) return !parameters.some(text => /^q=0(\.0*)?$/.test(text))
  }
  return false
}

/** On a thread of the pool, at the fastest level: such JSON is so repetitive that more effort gains little. */
export function compress(body: Body, encoding: Encoding): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, bytes: Buffer): void =>
      error === null ? resolve(bytes) : reject(error)
    const whole =
      typeof body === 'string' ? body : body.length === 1 ? (body[0] as Buffer) : Buffer.concat(body)
    if (encoding === 'gzip') gzip(whole, { level: 1 }, done)
    else zstdCompress(whole, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }, done)
  })
}
