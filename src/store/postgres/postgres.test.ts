import { setTimeout as sleep } from 'node:timers/promises'
import { sharedPostgres } from '../../../test/postgres.ts'
import { SharedStore } from '../shared/shared-store.ts'
import { storeContract } from '../store.contract.ts'
import type { Store } from '../store.ts'
import { freshDatabase, nowhere } from './fresh-database.fixture.ts'
import { openPostgresLinks } from './open.ts'

const DAY_MS = 24 * 60 * 60 * 1000

storeContract('postgres', async retention => {
  const postgres = await sharedPostgres()
  const database = await freshDatabase()
  const limits = { changesAgeMsMax: 7 * DAY_MS, changesCountMax: 1_000_000, ...retention }
  const patience = { retryMsMax: 10_000, settleMsMax: 10_000 }
  const time = { nowMs: () => performance.now(), sleep }
  const open = async () => {
    const links = await openPostgresLinks(database.url, nowhere)
    return new SharedStore(links, { ...limits, ...patience }, time)
  }
  const first = await open()
  let current: Store = first
  const takesWrites = (value: 'on' | 'off') =>
    postgres.query(
      `ALTER DATABASE ${database.name} SET default_transaction_read_only = ${value === 'on' ? 'off' : 'on'};
       SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`,
    )
  return {
    store: first,
    reopen: async () => {
      await current.close()
      current = await open()
      return current
    },
    // As when a standby takes over and does not take writes yet: connections break, and new ones can only read.
    obstruct: async () => {
      await takesWrites('off')
      return async () => {
        await takesWrites('on')
        // For a moment after a failure nobody is asked.
        await sleep(300)
      }
    },
    end: async () => {
      await current.close()
      await database.drop()
    },
  }
})
