import { describe, expect, test } from 'vitest'
import { insert, remove, update } from '../../world/change.ts'
import { GENESIS } from '../chain.ts'
import { findNewestVersion, migrations } from '../migrations/migrations.ts'
import { LinkLost, TurnAborted } from '../shared/link.ts'
import { PlainRowTaken, StoreDiverged, StoreRefused, StoreRejected, StoreUnavailable } from '../store.ts'
import type { PlainPut } from '../tables/plain-tables.ts'
import { batchOf, freshLinks, inserted, keepAll, trait, until, write } from './fresh-database.fixture.ts'

const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (reason: unknown) => reason as Error,
  )

const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

/** Runs this when a trait is inserted: at once, or only in the COMMIT. */
const onTrait = (body: string, when: 'at once' | 'at commit') => `
  CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER meddle AFTER INSERT ON traits
    DEFERRABLE INITIALLY ${when === 'at once' ? 'IMMEDIATE' : 'DEFERRED'} FOR EACH ROW EXECUTE FUNCTION meddle()`

const names = async (query: (sql: string) => Promise<Record<string, unknown>[]>) =>
  (await query('SELECT name FROM traits ORDER BY id')).map(row => row.name)

describe('a turn', () => {
  test('begins with the head and what followed a revision, and commits', async () => {
    const { link } = await freshLinks()
    expect(await link.begin(0)).toEqual({
      head: GENESIS,
      history: { kept: true, changes: [] },
      nowMs: expect.any(Number),
    })
    await link.rollback()
    const first = await write(link, inserted(1))
    const second = await write(link, inserted(2))
    const { head, history } = await link.begin(first.revision)
    expect(head).toEqual(second)
    expect(history).toMatchObject({ kept: true, changes: [{ ...second, change: { ops: inserted(2) } }] })
    await link.rollback()
    expect(await link.head()).toEqual(second)
  })

  test('waits for the one before it and sees what that committed', async () => {
    const { link, links } = await freshLinks()
    const other = await links.connect()
    const { head } = await link.begin(0)
    const waiting = other.begin(0)
    const batch = batchOf(inserted(1))
    await link.commit(head, batch, keepAll)
    const turn = await waiting
    expect(turn.head.revision).toBe(1)
    expect(turn.history).toMatchObject({ changes: [{ batchId: batch.id }] })
    await other.close()
  })

  test('that does not get the lock in time is unavailable, and the link can be used again', async () => {
    const { link, links } = await freshLinks({ answerMsMax: 500 })
    const other = await links.connect()
    await link.begin(0)
    expect(await failure(other.begin(0))).toBeInstanceOf(StoreUnavailable)
    await link.rollback()
    expect((await write(other, inserted(1))).revision).toBe(1)
    await other.close()
  })

  test('of one that froze is over after a while, and the others go on', async () => {
    const { link, links } = await freshLinks({ frozenMsMax: 1_000 })
    const other = await links.connect()
    const { head } = await link.begin(0)
    expect((await write(other, inserted(1))).revision).toBe(1)
    const late = await failure(link.commit(head, batchOf(inserted(2)), keepAll))
    expect(late).toBeInstanceOf(TurnAborted)
    expect(await failure(link.begin(0))).toBeInstanceOf(LinkLost)
    await other.close()
  })

  test('behind a migration finds the new version and refuses to write', async () => {
    const { link, links, database } = await freshLinks()
    const other = await links.connect()
    await other.begin(0)
    const waiting = failure(link.begin(0))
    await until(async () => {
      const [row] = await database.query('SELECT count(*) FROM pg_locks WHERE NOT granted')
      return row?.count !== '0'
    })
    await database.query("INSERT INTO berth_schema VALUES (99, 'from the future')")
    await other.rollback()
    const newest = findNewestVersion(migrations)
    const refusal = `the database now has schema version 99 and this berth knows only up to ${newest}: use a newer berth`
    expect(await waiting).toEqual(new StoreRefused(refusal))
    expect(await failure(link.head())).toEqual(new StoreRefused(refusal))
    expect(await failure(links.snapshot())).toEqual(new StoreRefused(refusal))
    await database.query('DELETE FROM berth_schema WHERE version = 99')
    expect((await write(link, inserted(1))).revision).toBe(1)
    await other.close()
  })
})

describe('a commit', () => {
  test('of many kinds of changes leaves their net effect, and each change in the record', async () => {
    const { link, database } = await freshLinks()
    await write(link, inserted(1, 2, 3))
    const swapped = [
      update('traits', trait(1), trait(1, 'SWAP')),
      update('traits', trait(2), trait(2, 'CUSTOM_1')),
      update('traits', trait(1, 'SWAP'), trait(1, 'CUSTOM_2')),
      remove('traits', trait(3)),
      insert('traits', trait(4, 'CUSTOM_3')),
      update('traits', trait(4, 'CUSTOM_3'), { ...trait(4, 'CUSTOM_3'), updated_at: 7 }),
    ]
    await write(link, swapped)
    expect(await names(database.query)).toEqual(['CUSTOM_2', 'CUSTOM_1', 'CUSTOM_3'])
    const history = await link.changesAfter(1, 10)
    expect(history).toMatchObject({ changes: [{ change: { ops: swapped } }] })
  })

  test.each([
    ['a row that is not as memory has it', [update('traits', trait(1, 'OTHER'), trait(1))], StoreDiverged],
    ['a row that is not there', [remove('traits', trait(9))], StoreDiverged],
    [
      'a row that does not follow from the batch',
      [...inserted(5), remove('traits', trait(5, 'X'))],
      StoreDiverged,
    ],
    ['a row that is there', inserted(1), StoreRejected],
    ['a row that the batch inserts twice', inserted(6, 6), StoreRejected],
    ['a number that is none', [insert('traits', { ...trait(7), updated_at: 0.5 })], StoreRejected],
  ])('with %s stores nothing, and the transaction is over', async (_, ops, Kind) => {
    const { link, database } = await freshLinks()
    const head = await write(link, inserted(1))
    const turn = await link.begin(0)
    const reason = await failure(link.commit(turn.head, batchOf([...inserted(2), ...ops]), keepAll))
    expect(reason?.constructor).toBe(Kind)
    expect(await link.head()).toEqual(head)
    expect((await write(link, inserted(3))).revision).toBe(2)
    expect(await names(database.query)).toEqual(['CUSTOM_1', 'CUSTOM_3'])
  })

  test('from any other head than the stored one diverges', async () => {
    const { link } = await freshLinks()
    const head = await write(link, inserted(1))
    for (const from of [GENESIS, { ...head, chain: GENESIS.chain }]) {
      await link.begin(0)
      expect(await failure(link.commit(from, batchOf(inserted(2)), keepAll))).toBeInstanceOf(StoreDiverged)
    }
    expect(await link.head()).toEqual(head)
  })

  test('whose session ended before it is taken back for certain', async () => {
    const { link, database } = await freshLinks()
    const { head } = await link.begin(0)
    await database.query(endSessions)
    const reason = await failure(link.commit(head, batchOf(inserted(1)), keepAll))
    expect(reason).toBeInstanceOf(TurnAborted)
    expect(await failure(link.head())).toBeInstanceOf(LinkLost)
    expect(await names(database.query)).toEqual([])
  })

  test('whose session ends in the midst of it is taken back for certain', async () => {
    const { link, database } = await freshLinks()
    await database.query(onTrait('PERFORM pg_terminate_backend(pg_backend_pid())', 'at once'))
    const { head } = await link.begin(0)
    const reason = await failure(link.commit(head, batchOf(inserted(1)), keepAll))
    expect(reason).toBeInstanceOf(TurnAborted)
    expect(await failure(link.head())).toBeInstanceOf(LinkLost)
  })

  test('whose session ends in the COMMIT itself may be stored or not', async () => {
    const { link, database } = await freshLinks()
    await database.query(onTrait('PERFORM pg_terminate_backend(pg_backend_pid())', 'at commit'))
    const { head } = await link.begin(0)
    expect(await failure(link.commit(head, batchOf(inserted(1)), keepAll))).toBeInstanceOf(LinkLost)
  })

  test('that is not answered in time may be stored or not', async () => {
    const { link, database } = await freshLinks({ answerMsMax: 500 })
    await database.query(onTrait('PERFORM pg_sleep(3)', 'at commit'))
    const { head } = await link.begin(0)
    const reason = await failure(link.commit(head, batchOf(inserted(1)), keepAll))
    expect(reason).toBeInstanceOf(LinkLost)
    expect(reason?.message).toContain('no answer within 1000 ms')
  })

  test('that the database is too slow for is unavailable', async () => {
    const { link, database } = await freshLinks({ answerMsMax: 500 })
    await database.query(onTrait('PERFORM pg_sleep(3)', 'at once'))
    const { head } = await link.begin(0)
    expect(await failure(link.commit(head, batchOf(inserted(1)), keepAll))).toBeInstanceOf(StoreUnavailable)
    expect(await link.head()).toEqual(GENESIS)
  })

  test('that fails in the COMMIT for a known reason is rolled back', async () => {
    const { link, database } = await freshLinks()
    await database.query(onTrait("RAISE 'no' USING ERRCODE = '23514'", 'at commit'))
    const { head } = await link.begin(0)
    const reason = await failure(link.commit(head, batchOf(inserted(1)), keepAll))
    expect(reason?.constructor).toBe(StoreRejected)
    expect(await link.head()).toEqual(GENESIS)
  })
})

describe('plain rows', () => {
  const answered = (key: string, answer: string, at_ms: number, isNew?: true): PlainPut => ({
    table: 'idempotency_keys',
    row: { caller: 'me', key, request: 'digest', status: 200, answer, at_ms },
    ...(isNew && { isNew }),
  })
  const DAY_MS = 24 * 60 * 60 * 1000

  test('are put without moving the head, found, and known to be held', async () => {
    const { link } = await freshLinks()
    const puts = [answered('a', '1', 1), answered('b', 'x\0\uFFFF0"\\', 2)]
    expect(await write(link, [], puts)).toEqual(GENESIS)
    expect(await link.plainRow('idempotency_keys', ['me', 'b'])).toEqual(puts[1]?.row)
    expect(await link.plainRow('idempotency_keys', ['you', 'b'])).toBe(null)
    expect(await link.holds(puts)).toBe(true)
    expect(await link.holds([answered('a', '2', 1)])).toBe(false)
    expect(await link.holds([answered('c', '1', 1)])).toBe(false)
    expect(await link.holds([])).toBe(true)
  })

  test('that must be new are taken where one is kept, in the database or in the batch', async () => {
    const { link } = await freshLinks()
    await write(link, [], [answered('a', '1', 1)])
    const attempt = async (puts: PlainPut[], atMs: number) => {
      const { head } = await link.begin(0)
      return failure(link.commit(head, batchOf(inserted(1), puts, atMs), keepAll))
    }
    expect(await attempt([answered('a', '2', 5, true)], 1 + DAY_MS)).toBeInstanceOf(PlainRowTaken)
    const twice = [answered('b', '1', 5, true), answered('b', '2', 5, true)]
    expect(await attempt(twice, 5)).toBeInstanceOf(PlainRowTaken)
    expect(await link.head()).toEqual(GENESIS)
    expect(await attempt([answered('a', '3', 2 + DAY_MS, true)], 2 + DAY_MS)).toBe(null)
    expect(await link.plainRow('idempotency_keys', ['me', 'a'])).toMatchObject({ answer: '3' })
  })

  test('of one key in one batch: the last counts', async () => {
    const { link } = await freshLinks()
    await write(link, [], [answered('a', '1', 1), answered('a', '2', 1)])
    expect(await link.plainRow('idempotency_keys', ['me', 'a'])).toMatchObject({ answer: '2' })
  })
})

describe('history', () => {
  test('comes in pages no longer than asked for, and no larger than a few megabytes', async () => {
    const { link, database } = await freshLinks()
    for (let id = 1; id <= 4; id++) await write(link, inserted(id))
    const revisions = async (after: number, limit: number) => {
      const page = await link.changesAfter(after, limit)
      return page.kept ? page.changes.map(({ revision }) => revision) : page
    }
    expect(await revisions(1, 2)).toEqual([2, 3])
    const large = `UPDATE changes SET names = '{"traits":{"1":"' || repeat('x', 5000000) || '"}}'`
    await database.query(large)
    expect(await revisions(0, 100)).toEqual([1, 2])
    expect(await revisions(2, 100)).toEqual([3, 4])
    await database.query(`${large.replace('5000000', '20000000')} WHERE revision = 3`)
    expect(await revisions(2, 100)).toEqual([3])
  })

  test('that is not kept is reported with the oldest that is, also if there is none', async () => {
    const { link, database } = await freshLinks()
    for (let id = 1; id <= 4; id++) await write(link, inserted(id))
    await database.query('DELETE FROM changes WHERE revision < 3')
    expect(await link.changesAfter(1, 10)).toEqual({ kept: false, oldestKept: 3 })
    expect(await link.changesAfter(2, 10)).toMatchObject({ kept: true })
    await database.query('DELETE FROM changes')
    expect(await link.changesAfter(3, 10)).toEqual({ kept: false, oldestKept: 5 })
    expect(await link.changesAfter(4, 10)).toEqual({ kept: true, changes: [] })
    expect((await link.begin(0)).history).toEqual({ kept: false, oldestKept: 5 })
  })
})
