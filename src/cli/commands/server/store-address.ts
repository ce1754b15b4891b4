import { resolve } from 'node:path'
import type { Config } from '../../../config/keys.ts'
import { makeUsageError, type Stopped } from '../../connection/client-failures.ts'

/** The keys of the configuration that say where a store is. */
export type StoreAddress = Pick<Config, 'database' | 'data_dir'>

/** `sqlite:` and a data directory, or the address of a PostgreSQL database. What is wrong is not shown: it may hold a password. */
export function storeAddress(text: string): StoreAddress | Stopped {
  const [, directory] = /^sqlite:(.+)$/s.exec(text) ?? []
  if (directory !== undefined) return { database: null, data_dir: directory }
  if (/^postgres(ql)?:\/\//.test(text)) return { database: text, data_dir: '' }
  return makeUsageError('a store is named by sqlite:DIRECTORY or postgres://USER@HOST:PORT/NAME')
}

export function isSameAddress(a: StoreAddress, b: StoreAddress): boolean {
  if (a.database !== null || b.database !== null) return a.database === b.database
  return resolve(a.data_dir) === resolve(b.data_dir)
}
