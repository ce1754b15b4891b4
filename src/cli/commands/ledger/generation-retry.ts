import { isRefused } from '../../../client/http.ts'
import { CONCURRENT_UPDATE } from '../../../client/placement.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { Session } from '../../connection/session.ts'

const RETRIES_MAX = 3

/**
 * Reads and writes. If another client wrote in between, reports that, and reads and writes again. The attempt
 * must read the generation that it writes with.
 */
export async function withFreshGeneration<T>(
  session: Session,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let retry = 1; ; retry++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRefused(error, 409, CONCURRENT_UPDATE)) throw error
      if (retry > RETRIES_MAX)
        throw new Stopped(
          `${what} was changed by someone else ${retry} times: nothing was written; try again later`,
          exitCodes.conflict,
        )
      session.note(
        `${what} was changed by someone else meanwhile; reading it again (${retry} of ${RETRIES_MAX})`,
      )
    }
  }
}
