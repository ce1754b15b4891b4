import { Stopped } from './client-failures.ts'
import { exitCodes } from './exit-codes.ts'

/** A file that cannot be read, in one line. */
export function unreadable(error: unknown, name: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) return error
  const why =
    code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a directory' : `cannot be read (${code})`
  return new Stopped(`${name} ${why}`, exitCodes.missing)
}
