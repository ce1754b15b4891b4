import { expect, onTestFinished, test } from 'vitest'
import { insert } from '../../world/change.ts'
import { GENESIS } from '../chain.ts'
import { MemoryStore } from '../memory-store.fixture.ts'
import { findNewestVersion, migrations } from '../migrations/migrations.ts'
import { LinkLost } from '../shared/link.ts'
import { type Head, type Snapshot, StoreUnavailable, StoreUncertain } from '../store.ts'
import { connect } from './connect.ts'
import { resolveOptions } from './connection-options.ts'
import { fill } from './fill.ts'
import { type FreshDatabase, freshDatabase, nowhere, trait } from './fresh-database.fixture.ts'
import type { Question, Session } from './session.ts'

const TIMEOUTS = { answerMsMax: 10_000, frozenMsMax: 10_000 }

async function source(): Promise<Snapshot> {
  const store = new MemoryStore()
  const change = { ops: [insert('traits', trait(1))] }
  await store.write(GENESIS, () => ({ id: 'one', atMs: 1, changes: [{ change, names: {} }] }))
  return store.snapshot()
}

async function fresh(): Promise<FreshDatabase> {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  return database
}

/** A connection that breaks at the COMMIT, before or after that got through. */
function breaking(session: Session, getsThrough: boolean): Session {
  return {
    where: session.where,
    close: () => session.close(),
    async ask(questions: readonly Question[], msMax: number) {
      if (questions[0]?.text !== 'COMMIT') return session.ask(questions, msMax)
      if (getsThrough) await session.ask(questions, msMax)
      await session.close()
      return [{ ok: false, error: new LinkLost('the cable was cut') }]
    },
  } as unknown as Session
}

async function filled(database: FreshDatabase, getsThrough: boolean, isBack = true): Promise<Head> {
  const options = resolveOptions(database.url, nowhere)
  let connections = 0
  const means = {
    connect: async () => {
      if (connections++ > 0 && !isBack) throw new StoreUnavailable('no server listens there')
      const session = await connect({ ...options, connectMsMax: 10_000 }, TIMEOUTS)
      return connections === 1 ? breaking(session, getsThrough) : session
    },
    answerMsMax: 10_000,
    newestVersion: findNewestVersion(migrations),
  }
  return fill(means, await source(), () => undefined)
}

const traitsIn = async (database: FreshDatabase) => (await database.query('SELECT * FROM traits')).length

test('a COMMIT that got through before the connection broke is found', async () => {
  const database = await fresh()
  expect(await filled(database, true)).toEqual((await source()).head)
  expect(await traitsIn(database)).toBe(1)
})

test('a COMMIT that never arrived leaves nothing, and the error says so', async () => {
  const database = await fresh()
  await expect(filled(database, false)).rejects.toThrow(new StoreUnavailable('the cable was cut'))
  expect(await traitsIn(database)).toBe(0)
})

test('while the database is away the outcome is unknown', async () => {
  const database = await fresh()
  await expect(filled(database, true, false)).rejects.toBeInstanceOf(StoreUncertain)
})
