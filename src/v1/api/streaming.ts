import { BodyStream } from '../../http/api.ts'
import { CustomAnswer } from './route.ts'

/** A function that takes what is to be done once an answer is over. */
export type OnClose = (callback: () => void) => void

/**
 * An answer made piece by piece, no faster than the client takes it. Pieces are never empty. `reauthenticate` looks whether
 * the caller may still have them; null where the pieces see to that.
 */
export function streamAnswer(
  mediaType: string,
  headers: Readonly<Record<string, string>>,
  pieces: AsyncIterable<string | Uint8Array>,
  reauthenticate: (() => Promise<unknown>) | null,
): CustomAnswer {
  return new CustomAnswer({
    status: 200,
    contentType: mediaType,
    headers,
    body: new BodyStream(reauthenticate === null ? pieces : whileAllowed(pieces, reauthenticate)),
  })
}

/** Gives something up when the answer is over, however it ends: also before the first piece was asked for. */
export function closeWith(onClose: OnClose, held: { close(): Promise<void> }): void {
  onClose(() => void held.close().catch(() => undefined))
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
  reauthenticate: () => Promise<unknown>,
): AsyncGenerator<T> {
  for await (const piece of pieces) {
    if ((await reauthenticate()) === null) throw new NoLongerAllowed('the token of the caller has ended')
    yield piece
  }
}
