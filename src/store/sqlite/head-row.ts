import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { type Head, StoreRefused } from '../store.ts'

export const SELECT_HEAD = 'SELECT revision, chain FROM head'

/** The only row of the table `head`, from `SELECT_HEAD`. */
export function parseHead(row: unknown, file: string): Head {
  if (row === undefined)
    throw new StoreRefused(`${file} is damaged: its table head has no row; restore it from a backup`)
  const { revision, chain } = row as Head
  return { revision, chain }
}

export function readHead(db: DatabaseSync): Head {
  return parseHead(db.prepare(SELECT_HEAD).get(), db.location() ?? 'the database')
}

/** The head in the database file alone, without its log: that of the last copy. Takes no lock. */
export function readHeadAlone(file: string): Head {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  const db = new DatabaseSync(url, { readOnly: true })
  try {
    return readHead(db)
  } finally {
    db.close()
  }
}
