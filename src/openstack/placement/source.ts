import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { linesOf } from '../../client/lines.ts'
import { assembleLedger } from './assemble.ts'
import type { ReadLedger } from './ledger.ts'
import { PlacementApi } from './placement-api.ts'
import { readApi } from './read-api.ts'
import { type OnRows, readMysql, readPostgres, readSqlite } from './read-database.ts'
import { readDump } from './read-dump.ts'
import { type PlacementRows, SourceRefused } from './tables.ts'

interface SourceOptions {
  /** For the API. */
  readonly token: string | null
  readonly onRows: OnRows
}

/** Reads a whole Placement: from its database, a dump of it, or its API. */
export async function readPlacement(from: string, { token, onRows }: SourceOptions): Promise<ReadLedger> {
  if (/^https?:\/\//i.test(from)) return readApi(await PlacementApi.connect(from, token), onRows)
  return assembleLedger(await readRows(from, onRows))
}

async function readRows(from: string, onRows: OnRows): Promise<PlacementRows> {
  const [, dialect, rest = ''] = /^([a-z0-9]+)(?:\+[a-z0-9_]+)?:\/\/(.*)$/is.exec(from) ?? []
  if (dialect === undefined) return readFile(from, onRows)
  if (/^postgres(ql)?$/i.test(dialect)) return readPostgres(`postgresql://${rest}`, onRows)
  if (/^(mysql|mariadb)$/i.test(dialect)) return readMysql(`mysql://${rest}`, onRows)
  // SQLAlchemy: three slashes and a relative path, four for an absolute one.
  if (/^sqlite$/i.test(dialect)) return readSqlite(rest.replace(/^\//, ''), onRows)
  throw new SourceRefused(`${dialect}:// is not an address of a Placement`)
}

const SQLITE_MAGIC = 'SQLite format 3\0'

/** Files that are no text, by how they begin, and the command that makes one. */
const PACKED: readonly (readonly [string, string])[] = [
  ['\x1f\x8b', 'it is compressed: unpack it first, with zcat FILE > FILE.sql'],
  ['\x28\xb5\x2f\xfd', 'it is compressed: unpack it first, with zstdcat FILE > FILE.sql'],
  ['\xfd7zXZ', 'it is compressed: unpack it first, with xzcat FILE > FILE.sql'],
  ['BZh', 'it is compressed: unpack it first, with bzcat FILE > FILE.sql'],
  ['PGDMP', 'it is an archive of pg_dump: make text of it first, with pg_restore -f FILE.sql FILE'],
]

/** A SQLite database or a dump, by how it begins. */
async function readFile(path: string, onRows: OnRows): Promise<PlacementRows> {
  const start = await readStart(path).catch((error: NodeJS.ErrnoException) => {
    throw new SourceRefused(describeFileError(error, path))
  })
  if (start === SQLITE_MAGIC) return readSqlite(path, onRows)
  const [, remedy] = PACKED.find(([magic]) => start.startsWith(magic)) ?? []
  if (remedy !== undefined) throw new SourceRefused(`${path}: ${remedy}`)
  return readDump(linesOf(createReadStream(path, { highWaterMark: 1024 * 1024 })), onRows)
}

/** The first bytes, each as one character. */
async function readStart(path: string): Promise<string> {
  await using file = await open(path, 'r')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SQLITE_MAGIC.length), 0, SQLITE_MAGIC.length, 0)
  return buffer.subarray(0, bytesRead).toString('latin1')
}

/** A mistyped address of a database is read as a path; its password must not be shown. */
function describeFileError({ code, message }: NodeJS.ErrnoException, path: string): string {
  if (path.includes('@')) return `${code}: what is named is no file, and no address that begins like mysql://`
  return code === 'ESPIPE' ? `${path}: a pipe cannot be read, only a file` : message
}
