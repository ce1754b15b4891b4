import { realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { hidePassword } from './database-url.ts'
import { loadEngine, type OpenedLinks } from './engines.ts'
import { SharedStore } from './shared/shared-store.ts'
import { type FillableStore, type Retention, StoreRefused } from './store.ts'

export interface StoreRequest extends Retention {
  /** `postgres://…` or `mysql://…`; null is SQLite in the directory. */
  readonly database: string | null
  readonly directory: string
  /** Refuse a missing store instead of creating it. */
  readonly mustExist?: boolean
  /** SQLite: use the existing database, or none, whatever the directory says about an earlier one. */
  readonly newLedger?: boolean
  /** Connections of one process to a database. */
  readonly connectionsMax: number
  /** How long a database may take to answer. */
  readonly answerMsMax: number
  /** A process that hangs while it holds the head loses it after this time. */
  readonly frozenMsMax: number
  /** Environment variables with passwords and certificates, as in the database's own tools. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDirectory: string
}

export interface OpenedStore extends Omit<OpenedLinks, 'links'> {
  readonly store: FillableStore
  /** Where it is, without secrets. */
  readonly place: string
}

/** Imports an engine only if it is used. Rejects with StoreRefused in one line. */
export async function openStore(request: StoreRequest): Promise<OpenedStore> {
  return request.database === null ? openFile(request) : openDatabase(request, request.database)
}

async function openFile(request: StoreRequest): Promise<OpenedStore> {
  const { directory, changesAgeMsMax, changesCountMax, mustExist = false, newLedger = false } = request
  const { openSqlite } = await import('./sqlite/open.ts')
  const { hadLedger } = await import('./sqlite/directory.ts')
  // Before a lock is created there.
  if (mustExist && !hadLedger(directory)) throw new StoreRefused(`there is no database in ${directory}`)
  const store = await openSqlite({ directory, changesAgeMsMax, changesCountMax, mustExist, newLedger })
  return { store, place: await realpath(directory), warnings: store.warnings, mayLose: null }
}

async function openDatabase(request: StoreRequest, url: string): Promise<OpenedStore> {
  const { changesAgeMsMax, changesCountMax, answerMsMax, frozenMsMax } = request
  const { links, warnings, mayLose } = await (await loadEngine(url)).openLinks(url, request)
  // A lock that its holder lost is released only after a while, even if the holder was this process.
  const patienceMs = answerMsMax + frozenMsMax
  const limits = { changesAgeMsMax, changesCountMax, retryMsMax: patienceMs, settleMsMax: patienceMs }
  const store = new SharedStore(links, limits, { nowMs: () => performance.now(), sleep })
  return { store, place: hidePassword(url), warnings, mayLose }
}
