import { checkInvariants, type InvariantCheck } from '../../world/findings.ts'
import { mirroredTables } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import { loadWorld } from '../load-world.ts'
import { type Head, type Store, StoreUnavailable } from '../store.ts'
import { diffWorlds, verifyStore } from './verify.ts'

interface Difference {
  readonly table: string
  readonly key: string
  readonly stored: Readonly<Record<string, unknown>> | null
  readonly memory: Readonly<Record<string, unknown>> | null
}

/** The answer of `POST /v1/verify`. */
export interface VerifyReport {
  /** The directory, absolute and without symbolic links, or the address of the database. */
  readonly store: string
  readonly revision: number
  readonly rows: number
  /** The number of differences; `differences` may list fewer. */
  readonly differences_total: number
  readonly differences: readonly Difference[]
  /** Problems of the stored state or history itself. */
  readonly problems_total: number
  readonly problems: readonly { readonly kind: string; readonly what: string }[]
}

const CHANGES_PER_PAGE = 1_000
const TRIES_MAX = 5

/** Memory, and how to move it to the head of the store. */
interface Memory {
  readonly world: World
  readonly head: Head
  reach(seen: Head, before: Head): Promise<void>
}

/** Reads everything from the store and compares it with memory at the same revision; writes go on meanwhile. */
export async function verifyWorld(
  place: string,
  store: Store,
  memory: Memory,
  checks: readonly InvariantCheck[],
): Promise<VerifyReport> {
  const stored = await loadLike(store, memory)
  const differences = diffWorlds(stored, memory.world)
  const { revision } = stored
  const world = checkInvariants(stored, checks)
  const history = await verifyStore(store)
  return {
    store: place,
    revision,
    rows: mirroredTables.reduce((sum, table) => sum + count(stored.rows(table.name)), 0),
    differences_total: differences.count,
    differences: differences.items.map(({ table, key, a, b }) => ({ table, key, stored: a, memory: b })),
    problems_total: world.count + history.count,
    problems: [...world.items, ...history.items],
  }
}

/** The stored state, at the revision of memory when this resolves. */
async function loadLike(store: Store, memory: Memory): Promise<World> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { lives } = memory.world
    const { world, head } = await loadWorld(store)
    let at: Head | null = head
    while (at !== null && memory.world.lives === lives) {
      if (at.revision === memory.head.revision) return world
      if (at.revision > memory.head.revision) await memory.reach(at, memory.head)
      else at = await readOn(store, world, at, memory.head.revision)
    }
  }
  throw new StoreUnavailable('the store changes too fast to compare it with memory')
}

/** Applies what was stored after a head, up to a revision; null if nothing follows. */
async function readOn(store: Store, world: World, from: Head, upTo: number): Promise<Head | null> {
  const page = await store.changesAfter(from.revision, Math.min(CHANGES_PER_PAGE, upTo - from.revision))
  if (!page.kept) return null
  for (const { change, revision } of page.changes) {
    world.apply(change)
    world.revision = revision
  }
  return page.changes.at(-1) ?? null
}

function count(rows: Iterable<unknown>): number {
  let n = 0
  for (const _ of rows) n++
  return n
}
