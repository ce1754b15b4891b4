import { Garbled, Refused, SettingsRefused, Unreachable } from '../../client/failure.ts'
import type { Connection } from '../../client/settings.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { CommandFailure } from './failures.ts'

/** A command cannot continue for an external reason, not because of a bug: one plain line and an exit code. */
export class Stopped extends Error {
  override name = 'Stopped'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode) {
    super(message)
    this.exitCode = exitCode
  }
}

export const makeUsageError = (message: string): Stopped => new Stopped(message, exitCodes.usage)

/** Null for unexpected errors, which are printed with their stack. `connection` is null if none was chosen. */
export function clientFailureOf(error: unknown, connection: Connection | null): CommandFailure | null {
  if (error instanceof Stopped) return { line: error.message, exitCode: error.exitCode }
  if (error instanceof SettingsRefused)
    return { line: error.message, exitCode: error.isUsage ? exitCodes.usage : exitCodes.configuration }
  if (error instanceof Unreachable)
    return { line: unreachableLine(error, connection), exitCode: exitCodes.unavailable }
  if (error instanceof Garbled)
    return { line: `${connection?.url}: ${error.message}`, exitCode: exitCodes.unavailable }
  if (error instanceof Refused) return describeRefusal(error, connection)
  return null
}

function unreachableLine(error: Unreachable, connection: Connection | null): string {
  if (!error.noServer) return `${error.url}: ${error.message}`
  const silence = `no server answers at ${error.url} (${error.message})`
  return connection?.urlFrom === 'default'
    ? `${silence}: start one with 'berth serve', or name another with --url or BERTH_URL`
    : `${silence}: check the address, which is from the ${connection?.urlFrom}`
}

function describeRefusal(error: Refused, connection: Connection | null): CommandFailure {
  const { status, message } = error
  if (status === 401) return { line: tokenLine(connection), exitCode: exitCodes.forbidden }
  if (status === 403) {
    const whose = connection?.tokenFrom == null ? '' : ` (${connection.tokenFrom})`
    return {
      line: `the token${whose} may not do this: ${message} Use a token with the role admin`,
      exitCode: exitCodes.forbidden,
    }
  }
  return { line: message, exitCode: exitCodeOf(status) }
}

const REMEDY = 'give one with --token-file or BERTH_TOKEN; a server keeps its own in DATA_DIR/admin-token'

function tokenLine(connection: Connection | null): string {
  const url = connection?.url ?? 'the server'
  return connection?.tokenFrom == null
    ? `${url} needs a token: ${REMEDY}`
    : `${url} does not know the token (${connection.tokenFrom}): ${REMEDY}`
}

function exitCodeOf(status: number): ExitCode {
  switch (status) {
    case 404:
    case 410:
      return exitCodes.missing
    case 409:
      return exitCodes.conflict
    case 408:
    case 429:
      return exitCodes.unavailable
    default:
      return status < 500 ? exitCodes.invalid : exitCodes.unavailable
  }
}
