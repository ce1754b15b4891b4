import type { IncomingMessage } from 'node:http'
import { ApiError } from './api.ts'

/** The client went away before its request was complete; there is nobody to answer. */
export class RequestAborted extends Error {
  override name = 'RequestAborted'
}

export const NO_BODY: Buffer = Buffer.alloc(0)

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length']
  if (length !== undefined) return length !== '0'
  return request.headers['transfer-encoding'] !== undefined
}

/** The whole body, at most `bytesMax` of it. What a refused client still sends is read by Node and dropped. */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  // A Content-Length over the limit is refused before the first byte is kept.
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax))
  // Gone while somebody else was waited for: no event is left to come.
  if (request.destroyed) return Promise.reject(gone())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes <= bytesMax) chunks.push(chunk)
      else settle(() => reject(tooLarge(bytesMax)))
    }
    const onEnd = (): void =>
      settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes)))
    const onGone = (): void => settle(() => reject(gone()))
    const settle = (how: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      // A broken upload may still report its error; nobody waits for it any more.
      request.on('error', ignore)
      how()
    }
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
  })
}

const ignore = (): void => {}

const gone = (): RequestAborted => new RequestAborted('the client closed the connection while sending')

function tooLarge(bytesMax: number): ApiError {
  return new ApiError(413, `The body of a request may have at most ${bytesMax} bytes.`)
}
