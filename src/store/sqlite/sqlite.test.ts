import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { storeContract } from '../store.contract.ts'
import type { Store } from '../store.ts'
import { openSqlite } from './open.ts'

storeContract('sqlite', async retention => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-store-'))
  const open = () => openSqlite({ directory, busyTimeoutMs: 20, ...retention })
  const first = await open()
  let current: Store = first
  return {
    store: first,
    reopen: async () => {
      await current.close()
      current = await open()
      return current
    },
    obstruct: async () => {
      const other = new DatabaseSync(join(directory, 'berth.sqlite'))
      other.exec('BEGIN IMMEDIATE')
      return async () => other.close()
    },
    end: async () => {
      await current.close()
      rmSync(directory, { recursive: true })
    },
  }
})
