import { open } from 'node:fs/promises'
import { APPLICATION_ID } from '../../../store/sqlite/schema.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { unreadable } from '../../connection/unreadable.ts'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'

/** Refuses a file that is not a complete database of Berth, by SQLite's file header. */
export async function checkDatabaseFile(path: string, name = path): Promise<void> {
  const makeError = (what: string) => new Stopped(`${name} ${what}`, exitCodes.invalid)
  const { header, bytes } = await headerOf(path, name)
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw makeError('is not a SQLite database')
  if (header.readUInt32BE(68) !== APPLICATION_ID) throw makeError('is a database, but not of Berth')
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  // The page count is valid only if it was written with the last change.
  const countHolds = header.readUInt32BE(24) === header.readUInt32BE(92)
  const expected = header.readUInt32BE(28) * pageBytes
  if (countHolds && bytes < expected)
    throw makeError(`is cut off: it has ${bytes} bytes of ${expected}; make the backup again`)
}

async function headerOf(path: string, name: string): Promise<{ header: Buffer; bytes: number }> {
  try {
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
      return { header: buffer.subarray(0, bytesRead), bytes: (await file.stat()).size }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw unreadable(error, name)
  }
}
