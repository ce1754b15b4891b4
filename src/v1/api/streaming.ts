import { BodyStream } from '../../http/api.ts'
import { CustomAnswer } from './route.ts'

/** Registers a callback for the end of an answer. */
export type OnClose = (callback: () => void) => void

/**
 * An answer in pieces, sent no faster than the client reads. Pieces are never empty. `reauthenticate` checks
 * whether the caller may still read the answer; null if the generator of the pieces checks that.
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
    body: new BodyStream(reauthenticate === null ? pieces : stopWhenForbidden(pieces, reauthenticate)),
  })
}

/** Closes a resource when the answer ends in any way, even before the first piece. */
export function closeWith(onClose: OnClose, held: { close(): Promise<void> }): void {
  onClose(() => void held.close().catch(() => undefined))
}

export const NDJSON = 'application/x-ndjson'
export const REVISION_HEADER = 'berth-revision'

/** The caller has lost the permission to read the rest of the answer. */
export class NoLongerAllowed extends Error {
  override name = 'NoLongerAllowed'
}

/** Cuts an answer off once its caller has lost the permission to read it. */
export async function* stopWhenForbidden<T>(
  pieces: AsyncIterable<T>,
  reauthenticate: () => Promise<unknown>,
): AsyncGenerator<T> {
  for await (const piece of pieces) {
    if ((await reauthenticate()) === null)
      throw new NoLongerAllowed('the token of the caller is no longer valid')
    yield piece
  }
}
