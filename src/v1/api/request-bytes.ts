import type { IncomingMessage } from 'node:http'
import { allowLongBody } from '../../http/request/client-error.ts'
import type { Attempt } from './idempotency.ts'
import { Problem } from './problem.ts'

/** A client that sends nothing for so long is cut off. */
const IDLE_MS_MAX = 60_000

/**
 * A body as it comes, no faster than it is taken, and for as long as it comes. Whoever stops early leaves the
 * request itself open.
 */
export async function* bytesOf(request: IncomingMessage, attempt: Attempt): AsyncGenerator<Uint8Array> {
  const done = allowLongBody(request.socket)
  request.setTimeout(IDLE_MS_MAX, () => void request.destroy())
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      attempt.saw(chunk as Uint8Array)
      yield chunk as Uint8Array
    }
  } catch (error) {
    throw new Problem(400, 'request.aborted', `The request broke off: ${(error as Error).message}.`)
  } finally {
    done()
  }
  attempt.sawAll('')
}
