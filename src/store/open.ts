import { realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { SharedStore } from './shared/shared-store.ts'
import { type FillableStore, type Retention, StoreRefused } from './store.ts'

/** Which store, and how it is to be used. */
export interface StoreRequest extends Retention {
  /** `postgres://…`; null is SQLite in the directory. */
  readonly database: string | null
  readonly directory: string
  /** Refuse what is not there instead of making it. */
  readonly mustExist?: boolean
  /** SQLite: take the database that is there, or none, whatever the directory says about an earlier one. */
  readonly newLedger?: boolean
  /** How many connections to a database one process may have. */
  readonly connectionsMax: number
  /** How long a database may take to answer. */
  readonly answerMsMax: number
  /** A process that froze while it held the head loses it after so long. */
  readonly frozenMsMax: number
  /** Where a database's passwords and certificates may be named, as its own tools do. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
}

export interface OpenedStore {
  readonly store: FillableStore
  /** Where it is, in words that tell no secret. */
  readonly place: string
  /** What was odd when it was opened, one line each. */
  readonly warnings: readonly string[]
}

/** Each engine is loaded only where it is used. Rejects with StoreRefused in one plain line. */
export async function openStore(request: StoreRequest): Promise<OpenedStore> {
  return request.database === null ? openFile(request) : openDatabase(request, request.database)
}

async function openFile(request: StoreRequest): Promise<OpenedStore> {
  const { directory, changesAgeMsMax, changesCountMax, mustExist = false, newLedger = false } = request
  const { openSqlite } = await import('./sqlite/open.ts')
  const { hadLedger } = await import('./sqlite/directory.ts')
  // Before a lock is made there.
  if (mustExist && !hadLedger(directory)) throw new StoreRefused(`there is no database in ${directory}`)
  const store = await openSqlite({ directory, changesAgeMsMax, changesCountMax, mustExist, newLedger })
  return { store, place: await realpath(directory), warnings: store.warnings }
}

async function openDatabase(request: StoreRequest, url: string): Promise<OpenedStore> {
  const { openPostgresLinks, withoutPassword } = await import('./postgres/open.ts')
  const { changesAgeMsMax, changesCountMax, answerMsMax, frozenMsMax } = request
  const links = await openPostgresLinks(url, request)
  // A lock that its holder lost is free only after a while, also if that was this process.
  const patienceMs = answerMsMax + frozenMsMax
  const limits = { changesAgeMsMax, changesCountMax, retryMsMax: patienceMs, settleMsMax: patienceMs }
  const store = new SharedStore(links, limits, { nowMs: () => performance.now(), sleep })
  return { store, place: withoutPassword(url), warnings: [] }
}
