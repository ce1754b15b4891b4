import type { FunnelStep } from '../../scheduling/pipeline.ts'
import type { FlavorWarning } from '../../scheduling/query-draft.ts'
import type { SchedulingSetup } from '../../scheduling/setup.ts'
import type { Change } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { isHost } from '../hosts/hosts.ts'
import { claimPlace, type Place, placeOf, type SourceKeeper } from './claim.ts'
import { type AskRefusal, Placing, type Ranked } from './placing.ts'
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
  /** Of each server that is moved, who keeps its old place; null where it is given up with the claim of the new one. */
  readonly keeper: SourceKeeper | null
  /** Of each server, the uuids of hosts, best first, as they were chosen a moment ago; they are tried before all others. */
  readonly picks: readonly (readonly string[])[]
}

export interface PlacedServer extends Place {
  readonly instance: string
  readonly alternates: readonly Place[]
}

/** How a host was chosen for one server. */
export interface Choice {
  readonly candidates: number
  readonly isCut: boolean
  readonly isExhausted: boolean
  readonly funnel: readonly FunnelStep[]
  /** The best hosts that passed. */
  readonly top: readonly { readonly host: string; readonly provider: string; readonly weight: number }[]
}

export interface Scheduled {
  readonly placed: readonly PlacedServer[]
  /** Of each server; null where it went to a host that was picked before. */
  readonly choices: readonly (Choice | null)[]
  readonly warnings: readonly FlavorWarning[]
}

export type ScheduleRefusal =
  | AskRefusal
  | { readonly kind: 'server-exists'; readonly instance: string }
  | { readonly kind: 'server-missing'; readonly instance: string }
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
 * earlier ones. Picks are checked as if they had never been looked at; only if none of a server's still does, all hosts
 * are looked at again.
 */
export function scheduleServers(
  world: World,
  command: ScheduleCommand,
  nowMs: number,
): Decision<Scheduled, ScheduleRefusal> {
  const { ask } = command
  for (const instance of ask.instances) {
    const isThere = world.consumers.find(instance) !== undefined
    if (ask.operation === 'create' && isThere) return refuse({ kind: 'server-exists', instance })
    if (ask.operation === 'move' && !isThere) return refuse({ kind: 'server-missing', instance })
  }
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
    const placed = taken.map((one, nth) => ({
      instance: ask.instances[nth] as string,
      ...one.place,
      alternates: alternatesOf(world, command, nth, one),
    }))
    const change = { ops: done.flatMap(({ ops }) => ops) }
    return accept(change, {
      placed,
      choices: taken.map(({ choice }) => choice),
      warnings: taken[0]?.warnings ?? [],
    })
  } finally {
    for (const change of done.reverse()) world.undo(change)
  }
}

interface Taken {
  readonly place: Place
  readonly change: Change
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
): Taken | Exclude<ScheduleRefusal, { kind: 'server-exists' | 'server-missing' }> {
  const { ask, decision, keeper, setup, seed } = command
  const instance = ask.instances[nth] as string
  const placing = Placing.of(world, ask, instance, setup)
  if (!(placing instanceof Placing)) return placing
  const { warnings } = placing.asked
  const claiming = { ask, instance, decision, keeper }
  const claimed = (host: WorldHost) => {
    const candidate = placing.candidateOn(host)
    if (candidate === null) return null
    const place = placeOf(world, host, candidate)
    const change = claimPlace(world, claiming, place, nowMs)
    return change === null ? null : { place, change }
  }
  const picks = command.picks[nth] ?? []
  for (const uuid of picks) {
    const host = pickedHost(world, ask, uuid)
    if (host === null || placing.panel.firstRefusal(host) !== null) continue
    const claim = claimed(host)
    if (claim !== null) return { ...claim, choice: null, warnings, others: picks.filter(one => one !== uuid) }
  }
  const ranked = placing.ranked(seed + nth)
  for (const host of ranked.hosts) {
    const claim = claimed(host)
    if (claim === null) continue
    const choice = choiceOf(ranked)
    const others = choice.top.map(({ provider }) => provider).filter(uuid => uuid !== host.uuid)
    return { ...claim, choice, warnings, others }
  }
  return { kind: 'no-host', instance, placed: 0, choice: choiceOf(ranked) }
}

function pickedHost(world: World, ask: ServerAsk, uuid: string): WorldHost | null {
  const slot = world.providers.find(uuid)
  if (slot === undefined || !isHost(world, slot) || ask.not_hosts.includes(uuid)) return null
  return ask.host !== null && ask.host !== uuid ? null : new WorldHost(world, slot)
}

const choiceOf = ({ hosts, weights, candidates, isCut, isExhausted, funnel }: Ranked): Choice => ({
  ...{ candidates, isCut, isExhausted, funnel },
  top: hosts.slice(0, TOP_MAX).map((host, at) => ({
    host: host.name,
    provider: host.uuid,
    weight: weights[at] as number,
  })),
})

/** Further hosts that would do as well, on a world where all servers of the request have their places. */
function alternatesOf(world: World, command: ScheduleCommand, nth: number, { others }: Taken): Place[] {
  const { ask, setup, alternates } = command
  if (alternates === 0 || others.length === 0) return []
  const placing = Placing.of(world, ask, ask.instances[nth] as string, setup)
  if (!(placing instanceof Placing)) return []
  const found: Place[] = []
  for (const uuid of others) {
    const host = pickedHost(world, ask, uuid)
    if (host === null || placing.panel.firstRefusal(host) !== null) continue
    const candidate = placing.candidateOn(host)
    if (candidate !== null) found.push(placeOf(world, host, candidate))
    if (found.length === alternates) break
  }
  return found
}
