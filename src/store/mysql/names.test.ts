import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startMariadb, testsMariadb } from '../../../test/mariadb.ts'
import { insert } from '../../world/change.ts'
import { GENESIS } from '../chain.ts'
import { SharedStore } from '../shared/shared-store.ts'
import { openMysqlLinks } from './open.ts'

const patience = { changesAgeMsMax: 1e12, changesCountMax: 1e9, retryMsMax: 10_000, settleMsMax: 10_000 }

/** As some servers in the wild are set up. */
const ODD = [
  '--character-set-server=utf8mb3',
  '--collation-server=utf8mb3_general_ci',
  '--sql-mode=ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES',
  '--transaction-isolation=READ-UNCOMMITTED',
  '--autocommit=0',
  '--max-allowed-packet=1M',
  '--wait-timeout=3',
  '--innodb-flush-log-at-trx-commit=0',
]

const NAMES = ['a', 'A', 'á', 'a ', 'a  ', 'ａ', 'a\\', "a'", 'a"', 'a\0', '😀', 'ß', 'ss', 'ẞ', '\uffff']

test.skipIf(!testsMariadb)(
  'names that differ by case, accents or trailing blanks stay apart, however the server is set up',
  async () => {
    const mariadb = await startMariadb(ODD)
    onTestFinished(() => mariadb.remove())
    const { links, warnings, mayLose } = await openMysqlLinks(await mariadb.newDatabase(), { env: {} })
    const store = new SharedStore(links, patience, { nowMs: () => performance.now(), sleep })
    onTestFinished(() => store.close())
    expect(warnings).toEqual([expect.stringContaining('innodb_flush_log_at_trx_commit is 0')])
    expect(mayLose).toContain('loses acknowledged writes of the last second')
    const ops = NAMES.map((name, at) => insert('traits', { id: at + 1, name, updated_at: 1 }))
    // Longer than a packet of this server.
    const many = Array.from({ length: 6_000 }, (_, at) =>
      insert('traits', { id: 1_000 + at, name: `${'x'.repeat(200)}${at}`, updated_at: 1 }),
    )
    const half = many.length / 2
    const changes = [ops, many.slice(0, half), many.slice(half)].map(some => ({
      change: { ops: some },
      names: {},
    }))
    await store.write(GENESIS, () => ({ id: 'batch', atMs: 1, changes }))
    // For longer than the server keeps idle connections.
    await sleep(3_500)
    const found: string[] = []
    await store.load((table, rows) => {
      if (table === 'traits') found.push(...rows.map(({ name }) => name as string))
    })
    expect(found.slice(0, NAMES.length)).toEqual(NAMES)
    expect(found).toHaveLength(NAMES.length + many.length)
  },
)
