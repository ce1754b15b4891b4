import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** So much is made ready before a client takes it; then its maker waits. */
const AHEAD_BYTES = 128 * 1024

/** A client that takes nothing for so long is cut off: others may have to wait for what it holds. */
const IDLE_MS_MAX = 60_000

/** An answer made piece by piece, no faster than the client takes it. Pieces are never empty. */
export function streamed(
  reply: FastifyReply,
  mediaType: string,
  pieces: AsyncIterable<string | Uint8Array>,
): Readable {
  reply.type(mediaType)
  reply.raw.setTimeout(IDLE_MS_MAX, () => void reply.raw.destroy())
  return Readable.from(pieces, { objectMode: false, highWaterMark: AHEAD_BYTES })
}

/** Gives something up when the answer is over, however it ends: also before the first piece was asked for. */
export function closeWith(reply: FastifyReply, held: { close(): Promise<void> }): void {
  const close = (): void => void held.close().catch(() => undefined)
  if (reply.raw.destroyed) close()
  else reply.raw.once('close', close)
}

export const NDJSON = 'application/x-ndjson'
export const REVISION_HEADER = 'berth-revision'
