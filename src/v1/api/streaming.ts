import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** So much is made ready before a client takes it; then its maker waits. */
const AHEAD_BYTES = 128 * 1024

/** A client that takes nothing for so long is cut off: others may have to wait for what it holds. */
const IDLE_MS_MAX = 60_000

/**
 * An answer made piece by piece, no faster than the client takes it. Pieces are never empty. `again` looks whether the
 * caller may still have them; null where the pieces see to that.
 */
export function streamed(
  reply: FastifyReply,
  mediaType: string,
  pieces: AsyncIterable<string | Uint8Array>,
  again: (() => Promise<unknown>) | null,
): Readable {
  reply.type(mediaType)
  reply.raw.setTimeout(IDLE_MS_MAX, () => void reply.raw.destroy())
  return Readable.from(again === null ? pieces : whileAllowed(pieces, again), {
    objectMode: false,
    highWaterMark: AHEAD_BYTES,
  })
}

/** Gives something up when the answer is over, however it ends: also before the first piece was asked for. */
export function closeWith(reply: FastifyReply, held: { close(): Promise<void> }): void {
  const close = (): void => void held.close().catch(() => undefined)
  if (reply.raw.destroyed) close()
  else reply.raw.once('close', close)
}

export const NDJSON = 'application/x-ndjson'
export const REVISION_HEADER = 'berth-revision'

/** The caller may not have the rest of an answer that began well. */
export class NoLongerAllowed extends Error {
  override name = 'NoLongerAllowed'
}

/** Ends an answer, visibly cut off, once its caller may no longer have it. */
export async function* whileAllowed<T>(
  pieces: AsyncIterable<T>,
  again: () => Promise<unknown>,
): AsyncGenerator<T> {
  for await (const piece of pieces) {
    if ((await again()) === null) throw new NoLongerAllowed('the token of the caller has ended')
    yield piece
  }
}
