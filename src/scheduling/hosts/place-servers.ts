import type { Change } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import { readWith, rehearse } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import { type ChoiceSummary, PARTS_MAX, roundPart } from '../framework/choice-summary.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import type { Contribution } from '../framework/weighing.ts'
import { OwnPlaces, withReleases } from '../reservations/own-places.ts'
import { bookCandidate, type HostCandidate, makeHostCandidate, releaseServer } from './host-candidate.ts'
import { isServer } from './host-figures.ts'
import { type AskRefusal, type ChoiceSteps, HostSelection } from './host-selection.ts'
import { isHost } from './hosts.ts'
import { listHostsOfServer } from './known-server.ts'
import type { FlavorWarning } from './query/query-draft.ts'
import type { RankedHosts } from './ranked-hosts.ts'
import type { ServerAsk } from './server-spec.ts'
import { WorldHost } from './world-host.ts'

/**
 * Everything that a decision depends on besides the world, as plain data. It is recorded, so that the
 * decision can be replayed.
 */
export interface ScheduleOrder {
  readonly ask: ServerAsk
  readonly setup: SchedulingSetup
  readonly seed: number
  /** How many alternate hosts to name for each server. */
  readonly alternates: number
  /** For a move: the consumer that keeps the old allocations; null if the claim releases them. */
  readonly sourceHolder: string | null
}

export interface PlacedServer extends HostCandidate {
  readonly instance: string
  readonly alternates: readonly HostCandidate[]
}

export interface Scheduled {
  readonly placed: readonly PlacedServer[]
  /** How the first server's host was chosen; null if it got a host that was ranked before. */
  readonly choice: ChoiceSummary | null
  /** For each server the uuid of its host, followed by the next best hosts. */
  readonly rankedHosts: readonly (readonly string[])[]
  /** The number of servers that got none of the hosts ranked for them. */
  readonly chosenAnew: number
  readonly warnings: readonly FlavorWarning[]
}

export type ScheduleRefusal =
  | AskRefusal
  | { readonly kind: 'server-exists'; readonly instance: string }
  /** The consumer has no allocations, none on a host, or is not a server. */
  | { readonly kind: 'server-missing'; readonly instance: string; readonly type: string | null }
  /** The server changed since the move was requested. */
  | { readonly kind: 'server-changed'; readonly instance: string }
  /** All its places are held or used, or it has ended or not begun. */
  | { readonly kind: 'reservation-complete'; readonly reservation: string }
  /** None of the ranked hosts passes any more. */
  | { readonly kind: 'ranked-hosts-stale'; readonly instance: string }
  | {
      readonly kind: 'no-host'
      readonly instance: string
      /** How many servers found a host before this one. */
      readonly placed: number
      readonly choice: ChoiceSummary
    }

/** A host for one server, and the change that allocates it. */
interface TakenHost {
  readonly candidate: HostCandidate
  readonly change: Change
  /** Null if the host was ranked before. */
  readonly choice: ChoiceSummary | null
  /** The next best hosts. */
  readonly others: readonly string[]
}

/** Finds the host of the nth server. */
type TakeHost = (server: ServerToPlace, nth: number) => TakenHost | ScheduleRefusal

/**
 * Finds a host for every server of an order, or for none. Places each server on a world with the earlier
 * ones, and restores the world before it returns. The change allocates all of them.
 */
export function placeServers(
  world: World,
  order: ScheduleOrder,
  booking: { readonly decision: string; readonly nowMs: number },
  takeHost: TakeHost,
): Decision<Scheduled, ScheduleRefusal> {
  const { ask } = order
  const wrong = checkServers(world, ask)
  if (wrong !== null) return refuse(wrong)
  return rehearse<Decision<Scheduled, ScheduleRefusal>>(world, rehearsal => {
    const taken: TakenHost[] = []
    let warnings: readonly FlavorWarning[] = []
    for (const nth of ask.instances.keys()) {
      const server = ServerToPlace.of(world, order, { ...booking, avoid: listRemoved(rehearsal.change) }, nth)
      if (!(server instanceof ServerToPlace)) return refuse(server)
      if (nth === 0) warnings = server.selection.query.warnings
      const one = takeHost(server, nth)
      if ('kind' in one) return refuse(one.kind === 'no-host' ? { ...one, placed: nth } : one)
      rehearsal.suppose(one.change)
      taken.push(one)
    }
    const alternates = findAlternates(world, order, taken)
    return accept(rehearsal.change, {
      placed: taken.map(({ candidate }, nth) => ({
        instance: ask.instances[nth] as string,
        ...candidate,
        alternates: alternates[nth] ?? [],
      })),
      choice: taken[0]?.choice ?? null,
      rankedHosts: taken.map(({ candidate, others }) => [candidate.provider, ...others]),
      chosenAnew: taken.filter(({ choice }) => choice !== null).length,
      warnings,
    })
  })
}

/** New servers must not exist yet. A server that moves must be unchanged since the move was requested. */
function checkServers(world: World, ask: ServerAsk): ScheduleRefusal | null {
  const { consumers } = world
  const { operation, instances, generation } = ask
  if (ask.reserves !== undefined) {
    const row = world.reservations.rows.find(ask.reserves)
    const kept = row === undefined ? 0 : row.used + world.reservations.countSlots(row.id)
    if (row === undefined || kept + instances.length > row.servers)
      return { kind: 'reservation-complete', reservation: ask.reserves }
  }
  for (const instance of instances) {
    const server = consumers.find(instance)
    if (operation === 'create') {
      if (server !== undefined) return { kind: 'server-exists', instance }
    } else if (server === undefined) return { kind: 'server-missing', instance, type: null }
    else if (!isServer(world, server) || listHostsOfServer(world, server).length === 0)
      return { kind: 'server-missing', instance, type: consumers.row(server).consumer_type }
    else if (consumers.row(server).generation !== generation) return { kind: 'server-changed', instance }
  }
  return null
}

interface BookingFacts {
  readonly decision: string
  readonly nowMs: number
  /** Numbers of consumers that this change removes already. */
  readonly avoid: ReadonlySet<number>
}

const listRemoved = ({ ops }: Change): ReadonlySet<number> =>
  new Set(
    ops.flatMap(op =>
      op.table === 'consumers' && op.after === null && op.before !== null ? [op.before.id] : [],
    ),
  )

/** One server of an order, on a world with the earlier ones. */
class ServerToPlace {
  readonly instance: string
  readonly selection: HostSelection
  readonly #world: World
  readonly #ask: ServerAsk
  /** If the claim releases the old allocations, hosts are judged as if they were already released. */
  readonly #release: Change
  readonly #places: OwnPlaces
  readonly #book: (candidate: HostCandidate) => Change | null

  private constructor(
    world: World,
    ask: ServerAsk,
    instance: string,
    release: Change,
    selection: HostSelection,
    places: OwnPlaces,
    book: (candidate: HostCandidate) => Change | null,
  ) {
    this.#world = world
    this.#ask = ask
    this.#release = release
    this.#book = book
    this.#places = places
    this.instance = instance
    this.selection = selection
  }

  static of(
    world: World,
    { ask, setup, sourceHolder }: ScheduleOrder,
    { decision, nowMs, avoid }: BookingFacts,
    nth: number,
  ): ServerToPlace | AskRefusal {
    const instance = ask.instances[nth] as string
    const places = OwnPlaces.of(world, ask, instance)
    const released = sourceHolder === null ? releaseServer(world, instance) : NO_CHANGE
    const release = withReleases(released, places)
    const selection = readWith(world, release, () => HostSelection.of(world, ask, instance, setup))
    if (!(selection instanceof HostSelection)) return selection
    const booking = { ask, instance, decision, sourceHolder, avoid }
    const book = (candidate: HostCandidate): Change | null => {
      const root = places.isEmpty ? undefined : world.providers.find(candidate.provider)
      for (const freed of root === undefined ? [] : places.listFreed(root, candidate)) {
        const change = bookCandidate(world, { ...booking, freed }, candidate, nowMs)
        if (change !== null) return change
      }
      return bookCandidate(world, booking, candidate, nowMs)
    }
    return new ServerToPlace(world, ask, instance, release, selection, places, book)
  }

  /** The first of the hosts that still passes. Judges each one anew. */
  takeRanked(uuids: readonly string[]): TakenHost | null {
    for (const uuid of uuids) {
      const host = findEligible(this.#world, this.#ask, uuid)
      const booked = host === null ? null : this.#tryHost(host, true)
      if (booked !== null) return { ...booked, choice: null, others: uuids.filter(one => one !== uuid) }
    }
    return null
  }

  /** Judges all hosts and takes the best one that accepts the claim. */
  takeBest(seed: number, steps: ChoiceSteps | null = null): TakenHost | ScheduleRefusal {
    const { ranked, choice } = readWith(this.#world, this.#release, () => {
      const best = this.selection.rank(seed, steps)
      return { ranked: best, choice: summarizeChoice(best) }
    })
    for (const host of this.#withPlacesFirst(ranked.hosts())) {
      const booked = this.#tryHost(host, false)
      if (booked === null) continue
      const others = choice.top.map(({ provider }) => provider).filter(uuid => uuid !== host.uuid)
      return { ...booked, choice, others }
    }
    return { kind: 'no-host', instance: this.instance, placed: 0, choice }
  }

  /** What is reserved is used first. */
  #withPlacesFirst(hosts: Iterable<WorldHost>): Iterable<WorldHost> {
    if (this.#places.isEmpty) return hosts
    const all = [...hosts]
    const isOn = new Set(all.filter(({ slot }) => this.#places.isOn(slot)))
    return [...isOn, ...all.filter(host => !isOn.has(host))]
  }

  #tryHost(host: WorldHost, judge: boolean): Pick<TakenHost, 'candidate' | 'change'> | null {
    const { selection } = this
    const candidate = readWith(this.#world, this.#release, () => {
      if (judge && selection.pipeline.findFirstRefusal(host) !== null) return null
      const found = selection.findCandidate(host)
      return found === null ? null : makeHostCandidate(this.#world, host, found)
    })
    const change = candidate === null ? null : this.#book(candidate)
    return candidate === null || change === null ? null : { candidate, change }
  }
}

/** Null if it is no longer a host, or if the request does not allow it. */
function findEligible(world: World, ask: ServerAsk, uuid: string): WorldHost | null {
  const slot = world.providers.find(uuid)
  if (slot === undefined || !isHost(world, slot) || ask.not_hosts.includes(uuid)) return null
  return ask.host !== null && ask.host !== uuid ? null : new WorldHost(world, slot)
}

function summarizeChoice(ranked: RankedHosts): ChoiceSummary {
  const { candidates, truncated, searchExhausted, funnel } = ranked.judged
  const top = ranked.listTop()
  return {
    candidates,
    truncated,
    searchExhausted,
    funnel,
    weighers: top[0]?.listContributions().map(({ weigher }) => weigher) ?? [],
    top: top.map(({ host, weight, listContributions }, at) => ({
      host: host.name,
      provider: host.uuid,
      weight,
      ...(at < PARTS_MAX && summarizeParts(listContributions())),
    })),
  }
}

function summarizeParts(contributions: readonly Contribution[]) {
  const parts = contributions.map(({ weight }) => roundPart(weight))
  const texts = contributions.map(({ text = null }) => text)
  return texts.some(text => text !== null) ? { parts, texts } : { parts }
}

/** Further hosts for each server that would pass, on a world with all servers in place. */
function findAlternates(
  world: World,
  { ask, setup, seed, alternates }: ScheduleOrder,
  taken: readonly TakenHost[],
): HostCandidate[][] {
  if (alternates === 0) return []
  let all: RankedHosts | null = null
  return taken.map(({ candidate: own, others }, nth) => {
    const selection = HostSelection.of(world, ask, ask.instances[nth] as string, setup)
    if (!(selection instanceof HostSelection)) return []
    const found = new Map<string, HostCandidate>()
    const addFrom = (hosts: Iterable<WorldHost | null>): void => {
      for (const host of hosts) {
        if (found.size >= alternates) return
        if (host === null || host.uuid === own.provider || found.has(host.uuid)) continue
        const fits = selection.pipeline.findFirstRefusal(host) === null ? selection.findCandidate(host) : null
        if (fits !== null) found.set(host.uuid, makeHostCandidate(world, host, fits))
      }
    }
    addFrom(others.values().map(uuid => findEligible(world, ask, uuid)))
    // The other servers may have filled all the next best hosts. Then all hosts are ranked, once for all
    // servers.
    if (found.size < alternates && taken.length > 1) {
      all ??= selection.rank(seed)
      addFrom(all.hosts())
    }
    return [...found.values()]
  })
}
