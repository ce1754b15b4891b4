import type { Change } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { FunnelStep } from '../framework/pipeline.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import { isServer } from '../hosts/host-figures.ts'
import { isHost } from '../hosts/hosts.ts'
import { claimPlace, type Place, placeOf, released } from './claim.ts'
import { type AskRefusal, HostSelection, type Ranked } from './host-selection.ts'
import { hostsOfServer } from './known-server.ts'
import type { FlavorWarning } from './query/query-draft.ts'
import type { ServerAsk } from './server-spec.ts'
import { WorldHost } from './world-host.ts'

/** Plain data, from which the same is decided on the same world. */
export interface ScheduleCommand {
  readonly ask: ServerAsk
  readonly setup: SchedulingSetup
  readonly seed: number
  /** The uuid under which the decision is kept. */
  readonly decision: string
  /** How many further hosts to name for each server. */
  readonly alternates: number
  /** Of a move: who keeps the old place; null where it is given up with the claim of the new one. */
  readonly sourceHolder: string | null
  /** Of each server, the uuids of hosts, best first, as they were chosen a moment ago. Null: choose now. */
  readonly picks: readonly (readonly string[])[] | null
  /** Whether all hosts are looked at where none of the picks will do any more. */
  readonly allowFullSearch: boolean
}

export interface PlacedServer extends Place {
  readonly instance: string
  readonly alternates: readonly Place[]
}

/** How a host was chosen for one server. */
export interface Choice {
  readonly candidates: number
  readonly truncated: boolean
  readonly searchExhausted: boolean
  readonly funnel: readonly FunnelStep[]
  /** The best hosts that passed. */
  readonly top: readonly { readonly host: string; readonly provider: string; readonly weight: number }[]
}

export interface Scheduled {
  readonly placed: readonly PlacedServer[]
  /** Of the first server; null where it went to a host that was picked before. */
  readonly choice: Choice | null
  /** Of each server the host that it got, then the next best. */
  readonly picks: readonly (readonly string[])[]
  /** How many servers went to none of the hosts that were picked for them. */
  readonly chosenAnew: number
  readonly warnings: readonly FlavorWarning[]
}

export type ScheduleRefusal =
  | AskRefusal
  | { readonly kind: 'server-exists'; readonly instance: string }
  /** It holds nothing, or nothing of a host, or is no server. */
  | { readonly kind: 'server-missing'; readonly instance: string; readonly type: string | null }
  /** Somebody changed the server since it was looked at. */
  | { readonly kind: 'server-changed'; readonly instance: string }
  /** None of the picks will do any more. */
  | { readonly kind: 'picks-stale'; readonly instance: string }
  | {
      readonly kind: 'no-host'
      readonly instance: string
      /** How many of the servers had found a place before. */
      readonly placed: number
      readonly choice: Choice
    }

/** How many of the best hosts are remembered, and tried again if the best is gone. */
export const TOP_MAX = 20

/**
 * Finds a place for every server of a request and claims it, all or nothing. Each server is placed on a world that holds the
 * earlier ones. Picks are checked as if they had never been looked at.
 */
export function scheduleServers(
  world: World,
  command: ScheduleCommand,
  nowMs: number,
): Decision<Scheduled, ScheduleRefusal> {
  const { ask } = command
  const wrong = wrongServer(world, ask)
  if (wrong !== null) return refuse(wrong)
  const done: Change[] = []
  const taken: Taken[] = []
  try {
    for (const nth of ask.instances.keys()) {
      const one = takePlace(world, command, nth, nowMs)
      if ('kind' in one) return refuse(one.kind === 'no-host' ? { ...one, placed: nth } : one)
      world.apply(one.change)
      done.push(one.change)
      taken.push(one)
    }
    const alternates = alternatesOf(world, command, taken)
    return accept(
      { ops: done.flatMap(({ ops }) => ops) },
      {
        placed: taken.map(({ place }, nth) => ({
          instance: ask.instances[nth] as string,
          ...place,
          alternates: alternates[nth] ?? [],
        })),
        choice: taken[0]?.choice ?? null,
        picks: taken.map(({ place, others }) => [place.provider, ...others]),
        chosenAnew: taken.filter(({ choice }) => choice !== null).length,
        warnings: taken[0]?.warnings ?? [],
      },
    )
  } finally {
    for (const change of done.reverse()) world.undo(change)
  }
}

/** New servers must not exist yet; one that moves must be where it was when the move was asked for. */
function wrongServer(world: World, { operation, instances, generation }: ServerAsk): ScheduleRefusal | null {
  const { consumers } = world
  for (const instance of instances) {
    const server = consumers.find(instance)
    if (operation === 'create') {
      if (server !== undefined) return { kind: 'server-exists', instance }
    } else if (server === undefined) return { kind: 'server-missing', instance, type: null }
    else if (!isServer(world, server) || hostsOfServer(world, server).length === 0)
      return { kind: 'server-missing', instance, type: consumers.row(server).consumer_type }
    else if (consumers.row(server).generation !== generation) return { kind: 'server-changed', instance }
  }
  return null
}

interface Taken {
  readonly place: Place
  readonly change: Change
  /** Null where a pick was taken. */
  readonly choice: Choice | null
  /** The others, best first. */
  readonly others: readonly string[]
  readonly warnings: readonly FlavorWarning[]
}

function takePlace(
  world: World,
  command: ScheduleCommand,
  nth: number,
  nowMs: number,
): Taken | ScheduleRefusal {
  const { ask, sourceHolder } = command
  const instance = ask.instances[nth] as string
  // Where the old place is given up with the claim, it does not stand in the way of the new one.
  const release = sourceHolder === null ? released(world, instance) : NO_CHANGE
  const claims = (place: Place): Change | null => {
    world.undo(release)
    try {
      return claimPlace(world, { ...command, instance }, place, nowMs)
    } finally {
      world.apply(release)
    }
  }
  world.apply(release)
  try {
    return foundPlace(world, command, nth, claims)
  } finally {
    world.undo(release)
  }
}

function foundPlace(
  world: World,
  { ask, setup, seed, picks, allowFullSearch }: ScheduleCommand,
  nth: number,
  claims: (place: Place) => Change | null,
): Taken | ScheduleRefusal {
  const instance = ask.instances[nth] as string
  const placing = HostSelection.of(world, ask, instance, setup)
  if (!(placing instanceof HostSelection)) return placing
  const { warnings } = placing.asked
  const claimed = (host: WorldHost) => {
    const candidate = placing.candidateOn(host)
    const place = candidate === null ? null : placeOf(world, host, candidate)
    const change = place === null ? null : claims(place)
    return place === null || change === null ? null : { place, change, warnings }
  }
  const mine = picks?.[nth] ?? []
  for (const uuid of mine) {
    const host = pickedHost(world, ask, uuid)
    const claim = host !== null && placing.panel.firstRefusal(host) === null ? claimed(host) : null
    if (claim !== null) return { ...claim, choice: null, others: mine.filter(one => one !== uuid) }
  }
  if (picks !== null && !allowFullSearch) return { kind: 'picks-stale', instance }
  const ranked = placing.ranked(seed + nth)
  const choice = choiceOf(ranked)
  for (const host of ranked.hosts) {
    const claim = claimed(host)
    if (claim === null) continue
    const others = choice.top.map(({ provider }) => provider).filter(uuid => uuid !== host.uuid)
    return { ...claim, choice, others }
  }
  return { kind: 'no-host', instance, placed: 0, choice }
}

function pickedHost(world: World, ask: ServerAsk, uuid: string): WorldHost | null {
  const slot = world.providers.find(uuid)
  if (slot === undefined || !isHost(world, slot) || ask.not_hosts.includes(uuid)) return null
  return ask.host !== null && ask.host !== uuid ? null : new WorldHost(world, slot)
}

const choiceOf = ({ hosts, weights, candidates, truncated, searchExhausted, funnel }: Ranked): Choice => ({
  candidates,
  truncated,
  searchExhausted,
  funnel,
  top: hosts.slice(0, TOP_MAX).map((host, at) => ({
    host: host.name,
    provider: host.uuid,
    weight: weights[at] as number,
  })),
})

/** For each server further hosts that would do as well, on a world where all of them have their places. */
function alternatesOf(
  world: World,
  { ask, setup, seed, alternates }: ScheduleCommand,
  taken: readonly Taken[],
) {
  if (alternates === 0) return []
  let all: readonly WorldHost[] | null = null
  return taken.map(({ place, others }, nth) => {
    const placing = HostSelection.of(world, ask, ask.instances[nth] as string, setup)
    if (!(placing instanceof HostSelection)) return []
    const found = new Map<string, Place>()
    const tries = (hosts: Iterable<WorldHost | null>): void => {
      for (const host of hosts) {
        if (found.size >= alternates) return
        if (host === null || host.uuid === place.provider || found.has(host.uuid)) continue
        const candidate = placing.panel.firstRefusal(host) === null ? placing.candidateOn(host) : null
        if (candidate !== null) found.set(host.uuid, placeOf(world, host, candidate))
      }
    }
    tries(others.values().map(uuid => pickedHost(world, ask, uuid)))
    // The best of a moment ago may all be taken: what is left is looked for once, for all servers.
    if (found.size < alternates && taken.length > 1) {
      all ??= placing.ranked(seed).hosts
      tries(all)
    }
    return [...found.values()]
  })
}

/** Keeps a decision that changes nothing: what is to be put goes with the command. */
export const noteDecision = (): Decision<null, never> => accept(NO_CHANGE, null)
