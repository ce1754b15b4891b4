/** Reads the database directly, past all servers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { follows } from '../../src/store/chain.ts'
import type { Head } from '../../src/store/store.ts'
import { parseStoredChange } from '../../src/store/tables/stored-change.ts'
import { renderOps } from '../../src/world/naming.ts'
import type { Books, ConsumerBook, ProviderBook } from './books.ts'
import type { Revision, Row } from './witness.ts'

export interface StoredHistory {
  readonly revisions: readonly Revision[]
  readonly problems: readonly string[]
}

/** All tables in one snapshot. */
export function withDatabase<T>(url: string, look: (ask: Question) => Promise<T>): Promise<T> {
  return url.startsWith('mysql:') ? withMysql(url, look) : withPostgres(url, look)
}

const LOOK_MS_MAX = 60_000
/** The node is not part of the primary component, or not ready. */
const NOT_READY = 1047

/** Again while the node takes no queries: on a busy machine nodes lose each other also by themselves. */
async function withMysql<T>(url: string, look: (ask: Question) => Promise<T>): Promise<T> {
  const endMs = performance.now() + LOOK_MS_MAX
  for (;;)
    try {
      return await withMysqlOnce(url, look)
    } catch (error) {
      if ((error as { errno?: number }).errno !== NOT_READY || performance.now() > endMs) throw error
      await sleep(100)
    }
}

async function withMysqlOnce<T>(url: string, look: (ask: Question) => Promise<T>): Promise<T> {
  const connection = await createConnection({ uri: url, multipleStatements: true })
  try {
    await connection.query('SET SESSION wsrep_sync_wait = 1; START TRANSACTION WITH CONSISTENT SNAPSHOT')
    return await look(async (sql, ...values) => {
      const [rows] = await connection.query(sql.replaceAll(/\$\d/g, '?'), values)
      return rows as Row[]
    })
  } finally {
    connection.destroy()
  }
}

async function withPostgres<T>(url: string, look: (ask: Question) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    return await look(async (sql, ...values) => (await client.query(sql, values)).rows)
  } finally {
    await client.end()
  }
}

type Question = (sql: string, ...values: unknown[]) => Promise<Row[]>

export const storedHead = async (ask: Question): Promise<Head> => {
  const [head] = await ask('SELECT revision, chain FROM head')
  return { revision: Number(head?.revision), chain: String(head?.chain) }
}

/** All revisions after a head, and faults in their chain. */
export async function storedHistory(ask: Question, after: Head): Promise<StoredHistory> {
  const rows = await ask('SELECT * FROM changes WHERE revision > $1 ORDER BY revision', after.revision)
  const problems: string[] = []
  let last = after
  const revisions = rows.map(row => {
    const change = parseStoredChange({
      ...(row as Parameters<typeof parseStoredChange>[0]),
      revision: Number(row.revision),
      at_ms: Number(row.at_ms),
    })
    if (!follows(change, last)) problems.push(`revision ${change.revision} does not follow ${last.revision}`)
    last = change
    return { revision: change.revision, ops: renderOps(change) as unknown as Revision['ops'] }
  })
  const head = await storedHead(ask)
  if (head.revision !== last.revision || head.chain !== last.chain)
    problems.push(`the head is at ${head.revision}, the changes end at ${last.revision}`)
  return { revisions, problems }
}

export async function storedBooks(ask: Question): Promise<Books> {
  const providers = new Map<string, ProviderBook>()
  for (const row of await ask(`SELECT uuid, generation, total, max_unit FROM resource_providers
    JOIN inventories ON provider_id = id`))
    providers.set(String(row.uuid), {
      generation: Number(row.generation),
      total: Number(row.total),
      mark: Number(row.max_unit),
    })
  const consumers = new Map<string, ConsumerBook & { holdings: Map<string, number> }>()
  for (const row of await ask('SELECT uuid, generation, user_id FROM consumers'))
    consumers.set(String(row.uuid), {
      generation: Number(row.generation),
      signature: String(row.user_id),
      holdings: new Map(),
    })
  for (const row of await ask(`SELECT consumers.uuid AS consumer, resource_providers.uuid AS provider, used
    FROM allocations JOIN consumers ON consumers.id = consumer_id
    JOIN resource_providers ON resource_providers.id = provider_id`))
    consumers.get(String(row.consumer))?.holdings.set(String(row.provider), Number(row.used))
  return { providers, consumers }
}
