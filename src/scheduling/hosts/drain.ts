import type { ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import type { Change } from '../../world/change.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import { isServer } from '../hosts/host-figures.ts'
import { listConsumers } from '../hosts/hosts.ts'
import { chooseAndClaim } from './claim.ts'
import { makeMoveAsk } from './known-server.ts'
import type { ScheduleRefusal } from './place-servers.ts'

/** The outcome for one server of a drained host. */
export interface DrainedServer {
  readonly instance: string
  readonly from: string
  readonly to: { readonly host: string; readonly provider: string } | null
  /** Why no host takes it. */
  readonly refusal: ScheduleRefusal | null
}

export interface Drained {
  readonly servers: readonly DrainedServer[]
  /** Consumers on the hosts that are not servers, so they cannot be moved. */
  readonly others: number
}

/** The servers of the hosts, and the number of other consumers. */
export function findHolders(world: World, hosts: readonly ProviderSlot[]) {
  const found = hosts.flatMap(host => listConsumers(world, host).map(consumer => ({ host, consumer })))
  const once = [...new Map(found.map(one => [one.consumer, one])).values()]
  const servers = once.filter(({ consumer }) => isServer(world, consumer))
  return { servers, others: once.length - servers.length }
}

/** A consumer on a host that is emptied. */
interface Holder {
  readonly host: ProviderSlot
  readonly consumer: ConsumerSlot
}

export interface DrainingWay {
  readonly newUuid: () => string
  readonly seed: number
  readonly nowMs: number
  readonly pause: () => Promise<void>
}

/**
 * Moves every server off the hosts, one after the other, each with the earlier moves in place. The moves stay
 * in the copy. A server that finds no host stays.
 */
export async function drainHosts(
  copy: WorldCopy,
  hosts: readonly ProviderSlot[],
  setup: SchedulingSetup,
  way: DrainingWay,
): Promise<Drained> {
  const { servers, others } = findHolders(copy.world, hosts)
  const drained: DrainedServer[] = []
  for (const holder of servers) {
    drained.push(moveAway(copy, holder, hosts, setup, way).server)
    await way.pause()
  }
  return { servers: drained, others }
}

/** Moves one server to the best host that is none of these. The move stays in the copy. */
export function moveAway(
  copy: WorldCopy,
  { host, consumer }: Holder,
  closed: readonly ProviderSlot[],
  setup: SchedulingSetup,
  { newUuid, seed, nowMs }: DrainingWay,
): { readonly server: DrainedServer; readonly change: Change | null } {
  const { world } = copy
  const not_hosts = closed.map(one => world.providers.uuid(one))
  const ask = { ...makeMoveAsk(world, consumer), not_hosts }
  const order = { ask, setup, seed, alternates: 0, sourceHolder: null }
  const outcome = chooseAndClaim(world, { ...order, decision: newUuid(), rankedHosts: [] }, nowMs)
  if (outcome.ok) copy.make(outcome.change)
  const placed = outcome.ok ? outcome.answer.placed[0] : undefined
  const server = {
    instance: ask.instances[0] as string,
    from: world.providers.name(host),
    to: placed === undefined ? null : { host: placed.host, provider: placed.provider },
    refusal: outcome.ok ? null : outcome.refusal,
  }
  return { server, change: outcome.ok ? outcome.change : null }
}
