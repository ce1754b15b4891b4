import type { World } from '../../world/world.ts'
import { memoizeByIdentity } from '../framework/memoize.ts'
import { FilterPipeline } from '../framework/pipeline.ts'
import { partsOf, type SchedulingSetup } from '../framework/setup.ts'
import type { ServerQuery } from './host-selection.ts'
import { KnownHosts } from './known-hosts.ts'
import { renderSpec, type ServerAsk } from './server-spec.ts'
import type { Caller, CallerField, WatchedRequest } from './watched-request.ts'
import type { WishedSearch } from './wished-search.ts'

/** So many kinds of request are kept, and so many hosts with all of them together: some 50 MB. */
const KINDS_MAX = 1_000
const HOSTS_MAX = 250_000
/** Longer ones are rare, and would take more memory than what is known. */
const KIND_LENGTH_MAX = 8_192

/**
 * What is known of a kind of request: its query, the search, and of each host what filters and weighers found. Requests of
 * one kind are equal in all that these may read; project, user and server make a difference only if something reads them.
 */
export class KnownQuery {
  readonly query: ServerQuery
  readonly #world: World
  readonly #setup: SchedulingSetup
  readonly #search: WishedSearch
  readonly #watched: WatchedRequest
  /** The fields of the caller that are part of the kind. */
  readonly #named: ReadonlySet<CallerField>
  #hosts: KnownHosts | null = null

  constructor(
    world: World,
    setup: SchedulingSetup,
    query: ServerQuery,
    search: WishedSearch,
    watched: WatchedRequest,
    named: ReadonlySet<CallerField>,
  ) {
    this.#world = world
    this.#setup = setup
    this.query = query
    this.#search = search
    this.#watched = watched
    this.#named = named
  }

  newSearch(): WishedSearch {
    return this.#search.again()
  }

  /** What else of the caller was read: what is known is then known for that caller only. */
  get read(): readonly CallerField[] {
    const { read } = this.#watched
    return read.size === 0 ? [] : [...read].filter(field => !this.#named.has(field))
  }

  /** The number of hosts that something is known of. */
  get size(): number {
    return this.#hosts?.size ?? 0
  }

  /** What is known of hosts for this caller; null if it is known for another caller only. */
  hostsFor(caller: Caller): KnownHosts | null {
    if (this.read.length > 0) return null
    this.#watched.caller = caller
    this.#hosts ??= this.#makeHosts()
    return this.#hosts
  }

  #makeHosts(): KnownHosts {
    const { filters, weighers } = partsOf(this.#setup)
    const { settings } = this.#setup
    const { request } = this.#watched
    const pipeline = new FilterPipeline(filters, request, settings)
    return new KnownHosts({ world: this.#world, pipeline, weighers, request, settings })
  }
}

interface Kept {
  /** Null for a kind that was seen once since the cloud changed: what is seen twice is mostly seen often. */
  readonly known: KnownQuery | null
  readonly setup: SchedulingSetup
  readonly lives: number
  readonly cloudChanges: number
}

/** The other fields differ in every request, so kinds that name them would be of no use. */
const isNameable = (field: CallerField): boolean => field === 'project' || field === 'user'

/** The kinds of request that a world was asked for lately. */
class KnownQueries {
  /** The last used at the end. */
  readonly #kept = new Map<string, Kept>()
  /** The fields of callers that some filter, weigher or prefilter has read. */
  readonly #named = new Set<CallerField>()
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** Null for a kind of which nothing is known on the current world. */
  find(ask: ServerAsk, setup: SchedulingSetup): KnownQuery | null {
    const kind = this.#describe(ask)
    const kept = this.#kept.get(kind)
    if (kept === undefined || kept.known === null || !this.#isCurrent(kept, setup)) return null
    const { known } = kept
    for (const field of known.read) this.#named.add(field)
    if (known.read.length > 0) {
      this.#kept.clear()
      return null
    }
    this.#keep(kind, kept)
    return known
  }

  /** Keeps what was made for a request, if it is not the first of its kind. `search`: null if nothing can serve it. */
  learn(
    ask: ServerAsk,
    setup: SchedulingSetup,
    query: ServerQuery,
    search: WishedSearch | null,
    watched: WatchedRequest,
  ): KnownQuery | null {
    const world = this.#world
    const kind = this.#describe(ask)
    if (kind.length > KIND_LENGTH_MAX) return null
    // A claim on a sharing provider changes what all trees can serve that use it.
    const isKnowable =
      search !== null && !search.isHopeless && !search.isShared && [...this.#named].every(isNameable)
    const kept = this.#kept.get(kind)
    const isFirst = kept === undefined || !this.#isCurrent(kept, setup)
    const known =
      isFirst || !isKnowable
        ? null
        : new KnownQuery(world, setup, query, search, watched, new Set(this.#named))
    const { lives, cloudChanges } = world
    this.#keep(kind, { known, setup, lives, cloudChanges })
    this.#dropOldest()
    return known
  }

  #isCurrent(kept: Kept, setup: SchedulingSetup): boolean {
    const { lives, cloudChanges } = this.#world
    return kept.setup === setup && kept.lives === lives && kept.cloudChanges === cloudChanges
  }

  #keep(kind: string, kept: Kept): void {
    this.#kept.delete(kind)
    this.#kept.set(kind, kept)
  }

  #dropOldest(): void {
    let hosts = 0
    for (const { known } of this.#kept.values()) hosts += known?.size ?? 0
    for (const [kind, { known }] of this.#kept) {
      if (this.#kept.size <= KINDS_MAX && hosts <= HOSTS_MAX) return
      this.#kept.delete(kind)
      hosts -= known?.size ?? 0
    }
  }

  /** Everything that may be read of a request, apart from the hosts and the server group that it names. */
  #describe({ operation, spec, group, project, user }: ServerAsk): string {
    const named = this.#named
    const caller = [named.has('project') ? project : null, named.has('user') ? user : null]
    return `${operation} ${group === null} ${JSON.stringify(caller)} ${renderSpec(spec)}`
  }
}

export const getKnownQueries = memoizeByIdentity((world: World) => new KnownQueries(world))
