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
  throw new SourceRefused(`${dialect}:// is no address of a Placement`)
}

const SQLITE_MAGIC = 'SQLite format 3\0'

/** A SQLite database or a dump, by how it begins. */
async function readFile(path: string, onRows: OnRows): Promise<PlacementRows> {
  const file = await open(path, 'r').catch((error: Error) => {
    throw new SourceRefused(error.message)
  })
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SQLITE_MAGIC.length), 0, SQLITE_MAGIC.length, 0)
  await file.close()
  if (buffer.subarray(0, bytesRead).toString('latin1') === SQLITE_MAGIC) return readSqlite(path, onRows)
  return readDump(linesOf(createReadStream(path, { highWaterMark: 1024 * 1024 })), onRows)
}
