/** A copy into MariaDB whose connections are cut at its COMMITs, before, after and while they arrive: it is whole in the end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../src/kernel/random.ts'
import { GENESIS } from '../src/store/chain.ts'
import { copyStore } from '../src/store/copy.ts'
import { MemoryStore } from '../src/store/memory-store.fixture.ts'
import { openMysqlLinks } from '../src/store/mysql/open.ts'
import { SharedStore } from '../src/store/shared/shared-store.ts'
import type { Snapshot } from '../src/store/store.ts'
import type { PlainPut } from '../src/store/tables/plain-tables.ts'
import { insert } from '../src/world/change.ts'
import { hasMariadb, sharedMariadb } from '../test/mariadb.ts'
import { Wire } from './history/wire.ts'

const LIMITS = { changesAgeMsMax: 1e12, changesCountMax: 1e9, retryMsMax: 10_000, settleMsMax: 10_000 }
const SEED = Number(process.env.BERTH_SIM_SEED ?? 20_261_118)
const TRAITS = 20_000
/** A part of the attempts ends with the death of the copier. */
const ATTEMPTS_CUT_SHORT = 4
const COMMITS_PER_CUT = 2
/** Those that end soon; `late` reaches the database after the copy has settled it over another connection. */
const CUTS = ['before', 'after', 'at-once', 'late'] as const

async function openSource(): Promise<MemoryStore> {
  const store = new MemoryStore()
  const ops = Array.from({ length: TRAITS }, (_, at) =>
    insert('traits', { id: at + 1, name: `CUSTOM_${at}`, updated_at: 1 }),
  )
  const plain = Array.from(
    { length: 50 },
    (_, at): PlainPut => ({
      table: 'idempotency_keys',
      row: { caller: 'me', key: `k${at}`, request: 'digest', status: 200, answer: '1', at_ms: 1 },
    }),
  )
  const changes = [{ change: { ops }, names: {} }]
  await store.write(GENESIS, () => ({ id: 'one', atMs: 1, changes, plain }))
  return store
}

/** The pages are small, so that there are many places to stop at; the copier dies after some of them. */
const dyingAfter = (snapshot: Snapshot, pages: number): Snapshot => {
  let left = pages
  return {
    head: snapshot.head,
    async *rows(name) {
      for await (const page of snapshot.rows(name, 1_000)) {
        if (left-- === 0) throw new Error('the copier dies')
        yield page
      }
    },
    close: () => snapshot.close(),
  }
}

test.skipIf(!hasMariadb)('a copy that is cut at its COMMITs and killed loses nothing', async () => {
  const random = new Random(SEED)
  const url = new URL(await (await sharedMariadb()).newDatabase())
  const wire = await Wire.start(Number(url.port))
  onTestFinished(() => wire.stop())
  url.port = String(wire.port)
  const openTarget = async () => {
    const { links } = await openMysqlLinks(url.href, { env: {} })
    return new SharedStore(links, LIMITS, { nowMs: () => performance.now(), sleep })
  }
  const source = await openSource()
  for (let attempt = 0; attempt < ATTEMPTS_CUT_SHORT; attempt++) {
    const target = await openTarget()
    wire.cutAtCommit(() =>
      random.below(COMMITS_PER_CUT) === 0 ? (CUTS[random.below(CUTS.length)] ?? null) : null,
    )
    const dying = dyingAfter(await source.snapshot(), 1 + random.below(6))
    await expect(target.fill(dying)).rejects.toThrow('the copier dies')
    wire.cutAtCommit(null)
    await target.close()
  }
  const target = await openTarget()
  onTestFinished(() => target.close())
  wire.cutAtCommit(() =>
    random.below(COMMITS_PER_CUT) === 0 ? (CUTS[random.below(CUTS.length)] ?? null) : null,
  )
  const report = await copyStore(source, target, { beginPhase: () => {}, addRows: () => {} })
  expect(report).toMatchObject({ rows: TRAITS, plain_rows: 50, differences_total: 0, problems: [] })
  expect([...wire.cuts.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(3)
})
