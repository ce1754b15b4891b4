import type { IncomingMessage } from 'node:http'
import type { Attempt } from './idempotency.ts'
import { Problem } from './problem.ts'

/** A body as it comes, no faster than it is taken. Whoever stops early leaves the request itself open. */
export async function* bytesOf(request: IncomingMessage, attempt: Attempt): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      attempt.saw(chunk as Uint8Array)
      yield chunk as Uint8Array
    }
  } catch (error) {
    throw new Problem(400, 'request.aborted', `The request broke off: ${(error as Error).message}.`)
  }
  attempt.sawAll('')
}
