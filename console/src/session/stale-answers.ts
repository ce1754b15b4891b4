import type { Query, QueryClient } from '@tanstack/react-query'
import { ownValue } from '../../../src/kernel/records.ts'
import type { RecordedChange } from '../../../src/wire/changes.ts'
import type { Follower } from '../fleet/live.ts'

/** Changes that arrive together are handled together. */
const GATHER_MS = 300
/** The shortest interval between two fetches of an answer: for stored data, and for computed answers. */
const APART_MS = { read: 1_000, computed: 5_000 } as const

type Pace = keyof typeof APART_MS
type Key = readonly string[]

/** Answers that the scheduler and the catalog compute from nearly everything. */
const PLACEMENT: readonly Key[] = [
  ...[
    ['why'],
    ['explain'],
    ['candidates'],
    ['matches'],
    ['what-if'],
    ['decisions'],
    ['attention'],
    ['fit'],
    ['host-preview'],
  ],
  ...[
    ['shares', 'explained'],
    ['shares', 'targets'],
    ['shares', 'dry-run'],
  ],
]
const DRIFT: Key = ['catalog', 'drift']

/** Which answers become stale when a table changes. */
const READ: Readonly<Record<string, readonly Key[]>> = {
  hosts: [['hosts']],
  host_aggregates: [['aggregates'], ['hosts']],
  host_aggregate_metadata: [['aggregates'], ['hosts']],
  host_aggregate_hosts: [['aggregates'], ['hosts']],
  flavors: [['flavors']],
  flavor_extra_specs: [['flavors']],
  flavor_access: [['flavors']],
  traits: [['traits']],
  resource_classes: [['classes']],
  ...Object.fromEntries(
    [
      ...['users', 'projects', 'roles', 'role_assignments', 'application_credentials', 'static_tokens'],
      'revoked_tokens',
    ].map(table => [table, [['access']]]),
  ),
}

const COMPUTED: Readonly<Record<string, readonly Key[]>> = {
  ...Object.fromEntries(
    [
      ...['resource_providers', 'inventories', 'provider_traits', 'provider_aggregates', 'allocations'],
      ...['hosts', 'host_aggregates', 'host_aggregate_hosts', 'server_groups', 'server_group_members'],
      'server_requests',
    ].map(table => [table, PLACEMENT]),
  ),
  host_aggregate_metadata: [...PLACEMENT, DRIFT],
  flavors: [...PLACEMENT, DRIFT],
  flavor_extra_specs: [...PLACEMENT, DRIFT],
}

/**
 * Marks answers as stale when their data changed. Visible ones are fetched
 * again, at a limited rate: a running fetch is never restarted, but followed by another.
 */
export class StaleAnswers implements Follower {
  readonly #lanes: readonly Lane[]
  readonly #byPace: Readonly<Record<Pace, Lane>>

  constructor(queries: QueryClient) {
    this.#byPace = {
      read: new Lane(queries, APART_MS.read),
      computed: new Lane(queries, APART_MS.computed),
    }
    this.#lanes = Object.values(this.#byPace)
  }

  changed({ ops }: RecordedChange): void {
    for (const { table, before, after } of ops) {
      for (const key of readFrom(table)) this.#byPace.read.add(key)
      for (const key of listComputedFrom(table)) this.#byPace.computed.add(key)
      if (table !== 'allocations') continue
      // A busy cloud has thousands of consumers: only those named here, and those with allocations of this provider.
      const row = after ?? before
      this.#byPace.read.add(['consumers', String(row?.provider)])
      this.#byPace.read.add(['consumers', 'one', String(row?.consumer)])
    }
  }

  reloaded(): void {
    this.#byPace.read.add([])
  }

  stop(): void {
    for (const lane of this.#lanes) lane.stop()
  }
}

function readFrom(table: string): readonly Key[] {
  if (table.startsWith('metadef_')) return [['catalog']]
  return ownValue(READ, table) ?? (table.startsWith('share') ? [['shares']] : [])
}

const listComputedFrom = (table: string): readonly Key[] =>
  ownValue(COMPUTED, table) ?? (table.startsWith('share') ? [...PLACEMENT, DRIFT] : [])

class Lane {
  readonly #queries: QueryClient
  readonly #apartMs: number
  readonly #keys = new Set<string>()
  /** Answers that were being fetched when they became stale: they may be from before. */
  #again = new Set<Query>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(queries: QueryClient, apartMs: number) {
    this.#queries = queries
    this.#apartMs = apartMs
  }

  add(key: Key): void {
    this.#keys.add(JSON.stringify(key))
    this.#plan()
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #plan(): void {
    const waitMs = Math.max(GATHER_MS, this.#lastMs + this.#apartMs - performance.now())
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#tell()
    }, waitMs)
  }

  #tell(): void {
    this.#lastMs = performance.now()
    const stale = this.#stale()
    this.#keys.clear()
    this.#again = new Set([...stale].filter(query => query.state.fetchStatus === 'fetching'))
    const idle = stale.difference(this.#again)
    if (idle.size > 0)
      void this.#queries.invalidateQueries({ predicate: query => idle.has(query) }, { cancelRefetch: false })
    if (this.#again.size > 0) this.#plan()
  }

  #stale(): Set<Query> {
    const all = this.#queries.getQueryCache().getAll()
    const found = all.filter(
      query => this.#again.has(query) || startsOf(query.queryKey).some(start => this.#keys.has(start)),
    )
    return new Set(found)
  }
}

/** All prefixes of a key, as stale keys are stored. */
const startsOf = (key: readonly unknown[]): string[] =>
  [0, 1, 2, 3].slice(0, key.length + 1).map(length => JSON.stringify(key.slice(0, length)))
