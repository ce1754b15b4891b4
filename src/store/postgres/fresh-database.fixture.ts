import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type Postgres, sharedPostgres } from '../../../test/postgres.ts'
import { insert, type RowOp } from '../../world/change.ts'
import type { Row } from '../../world/tables.ts'
import { computeHeads } from '../chain.ts'
import type { Link, Links } from '../shared/link.ts'
import type { LinksLimits } from '../shared/pooled-links.ts'
import type { Batch, Head } from '../store.ts'
import type { PlainPut } from '../tables/plain-tables.ts'
import { openPostgresLinks } from './open.ts'

/** Databases for tests, and what tests do with a link. */

export const nowhere = { env: {}, homeDirectory: '/nowhere' }

const prepared = globalThis as unknown as { berthPreparedDatabase?: Promise<string> }

/** A template database with all tables: copying it is faster than creating them. */
async function preparedDatabase(postgres: Postgres): Promise<string> {
  const url = await postgres.newDatabase()
  const links = await openPostgresLinks(url, nowhere)
  await links.close()
  return nameOf(url)
}

const nameOf = (url: string) => new URL(url).pathname.slice(1)

export interface FreshDatabase {
  readonly url: string
  readonly name: string
  query(sql: string): Promise<Record<string, unknown>[]>
  drop(): Promise<void>
}

export async function freshDatabase(content: 'berth' | 'nothing' = 'berth'): Promise<FreshDatabase> {
  const postgres = await sharedPostgres()
  if (content === 'berth') prepared.berthPreparedDatabase ??= preparedDatabase(postgres)
  const template = content === 'berth' ? await prepared.berthPreparedDatabase : undefined
  const url = await postgres.newDatabase(template)
  const name = nameOf(url)
  return {
    url,
    name,
    query: sql => postgres.query(sql, name),
    drop: async () => void (await postgres.query(`DROP DATABASE ${name} WITH (FORCE)`)),
  }
}

/** The links of an empty store; closed at the end of the test. */
export async function freshLinks(
  limits: Partial<LinksLimits> = {},
): Promise<{ links: Links; link: Link; database: FreshDatabase }> {
  const database = await freshDatabase()
  const links = await openPostgresLinks(`${database.url}?connect_timeout=20`, { ...nowhere, ...limits })
  const link = await links.connect()
  onTestFinished(async () => {
    await link.close()
    await links.close()
    await database.drop()
  })
  return { links, link, database }
}

export const trait = (id: number, name = `CUSTOM_${id}`): Row<'traits'> => ({ id, name, updated_at: 1 })
export const inserted = (...ids: number[]): RowOp[] => ids.map(id => insert('traits', trait(id)))

export const keepAll = { changesAgeMsMax: 1e12, changesCountMax: 1e9 }

let batches = 0

export function batchOf(ops: RowOp[], plain: PlainPut[] = [], atMs = 1_000): Batch {
  const changes = ops.length === 0 ? [] : [{ change: { ops }, names: {} }]
  return { id: `batch-${++batches}`, atMs, changes, plain }
}

/** Writes in one turn and returns the new head. */
export async function write(link: Link, ops: RowOp[], plain: PlainPut[] = []): Promise<Head> {
  const { head } = await link.begin(0)
  const batch = batchOf(ops, plain)
  await link.commit(head, batch, keepAll)
  return computeHeads(head, batch.id, batch.changes.length).at(-1) ?? head
}

/** Polls until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('it did not happen')
    await sleep(10)
  }
}
