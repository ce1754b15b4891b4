import type { ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import { isServer } from '../hosts/host-figures.ts'
import { consumersOn } from '../hosts/hosts.ts'
import { chooseAndClaim } from './claim.ts'
import { askOfServer } from './known-server.ts'
import type { ScheduleRefusal } from './place-servers.ts'

/** What becomes of one server of a host that is drained. */
interface DrainedServer {
  readonly instance: string
  readonly from: string
  readonly to: { readonly host: string; readonly provider: string } | null
  /** Why it finds no place. */
  readonly refusal: ScheduleRefusal | null
}

export interface Drained {
  readonly servers: readonly DrainedServer[]
  /** Consumers of the hosts that are no servers, and of which nobody can say where they could go. */
  readonly others: number
}

/** The servers of the hosts, and how many others hold something of them. */
export function holdersOn(world: World, hosts: readonly ProviderSlot[]) {
  const found = hosts.flatMap(host => consumersOn(world, host).map(consumer => ({ host, consumer })))
  const once = [...new Map(found.map(one => [one.consumer, one])).values()]
  const servers = once.filter(({ consumer }) => isServer(world, consumer))
  return { servers, others: once.length - servers.length }
}

interface DrainingWay {
  readonly newUuid: () => string
  readonly seed: number
  readonly nowMs: number
  readonly pause: () => Promise<void>
}

/**
 * Moves every server off the hosts, one after the other, each where the earlier ones left room. The moves stand in the copy.
 * A server that finds no host stays.
 */
export async function drainHosts(
  copy: WorldCopy,
  hosts: readonly ProviderSlot[],
  setup: SchedulingSetup,
  { newUuid, seed, nowMs, pause }: DrainingWay,
): Promise<Drained> {
  const { world } = copy
  const { servers, others } = holdersOn(world, hosts)
  const not_hosts = hosts.map(host => world.providers.uuid(host))
  const drained: DrainedServer[] = []
  for (const { host, consumer } of servers) {
    const ask = { ...askOfServer(world, consumer as ConsumerSlot), not_hosts }
    const order = { ask, setup, seed, alternates: 0, sourceHolder: null }
    const outcome = chooseAndClaim(world, { ...order, decision: newUuid(), rankedHosts: [] }, nowMs)
    if (outcome.ok) copy.make(outcome.change)
    const placed = outcome.ok ? outcome.answer.placed[0] : undefined
    drained.push({
      instance: ask.instances[0] as string,
      from: world.providers.name(host),
      to: placed === undefined ? null : { host: placed.host, provider: placed.provider },
      refusal: outcome.ok ? null : outcome.refusal,
    })
    await pause()
  }
  return { servers: drained, others }
}
