import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from 'vitest'
import { sharedMariadb, testsMariadb } from '../../../test/mariadb.ts'
import { SharedStore } from '../shared/shared-store.ts'
import { storeContract } from '../store.contract.ts'
import type { Store } from '../store.ts'
import { openMysqlLinks } from './open.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describe.skipIf(!testsMariadb)('with mariadb-server', () => {
  storeContract('mysql', async retention => {
    const mariadb = await sharedMariadb()
    const url = await mariadb.newDatabase()
    const database = new URL(url).pathname.slice(1)
    const limits = { changesAgeMsMax: 7 * DAY_MS, changesCountMax: 1_000_000, ...retention }
    const patience = { retryMsMax: 10_000, settleMsMax: 10_000 }
    const time = { nowMs: () => performance.now(), sleep }
    const open = async () => {
      const { links } = await openMysqlLinks(url, { env: {} })
      return new SharedStore(links, { ...limits, ...patience }, time)
    }
    const first = await open()
    let current: Store = first
    return {
      store: first,
      resumesFill: true,
      reopen: async () => {
        await current.close()
        current = await open()
        return current
      },
      // As when a standby takes over and does not take writes yet.
      obstruct: async () => {
        await mariadb.query('SET GLOBAL read_only = 1')
        await mariadb.query(
          "REVOKE ALL ON *.* FROM berth@'%'; GRANT SELECT, UPDATE ON *.* TO berth@'%'; FLUSH PRIVILEGES",
        )
        await mariadb.killConnections(database)
        return async () => {
          await mariadb.query("SET GLOBAL read_only = 0; GRANT ALL ON *.* TO berth@'%'")
          await mariadb.killConnections(database)
          // For a moment after a failure nobody is asked.
          await sleep(300)
        }
      },
      end: async () => {
        await current.close()
        await mariadb.query(`DROP DATABASE ${database}`)
      },
    }
  })
})
