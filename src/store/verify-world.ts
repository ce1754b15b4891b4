import { realpath } from 'node:fs/promises'
import { mirroredTables } from '../world/tables.ts'
import type { World } from '../world/world.ts'
import { loadWorld } from './load-world.ts'
import type { Store } from './store.ts'
import { checkWorld, diffWorlds, verifyStore } from './verify.ts'

export interface Difference {
  readonly table: string
  readonly key: string
  readonly stored: Readonly<Record<string, unknown>> | null
  readonly memory: Readonly<Record<string, unknown>> | null
}

/** What `POST /v1/verify` answers. */
export interface VerifyReport {
  /** The directory that was looked at, absolute and without symbolic links. */
  readonly data_dir: string
  readonly revision: number
  /** How many rows were compared. */
  readonly rows: number
  /** How many differences there are; `differences` may show fewer. */
  readonly differences_total: number
  readonly differences: readonly Difference[]
  /** What is wrong with the stored state or history by itself. */
  readonly problems_total: number
  readonly problems: readonly { readonly kind: string; readonly what: string }[]
}

/** Reads everything anew from the store and compares it with a world; the caller sees to it that both stand still. */
export async function verifyWorld(dataDir: string, store: Store, memory: World): Promise<VerifyReport> {
  const { world: stored, head } = await loadWorld(store)
  const differences = diffWorlds(stored, memory)
  const world = checkWorld(stored)
  const history = await verifyStore(store)
  return {
    data_dir: await realpath(dataDir),
    revision: head.revision,
    rows: mirroredTables.reduce((sum, table) => sum + count(stored.rows(table.name)), 0),
    differences_total: differences.count,
    differences: differences.items.map(({ table, key, a, b }) => ({ table, key, stored: a, memory: b })),
    problems_total: world.count + history.count,
    problems: [...world.items, ...history.items],
  }
}

function count(rows: Iterable<unknown>): number {
  let n = 0
  for (const _ of rows) n++
  return n
}
