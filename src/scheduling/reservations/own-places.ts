import type { ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import {
  type Freed,
  holdsExactly,
  leaveOnly,
  listProjectReservations,
  type Place,
  usePlaces,
} from '../../placement/allocations/reserved.ts'
import type { Change, RowOp } from '../../world/change.ts'
import type { ReservationRow } from '../../world/reservations.ts'
import type { World } from '../../world/world.ts'
import { memoizeByIdentity } from '../framework/memoize.ts'
import { type HostCandidate, releaseConsumer } from '../hosts/host-candidate.ts'
import { getHostRow, isHostUp } from '../hosts/hosts.ts'
import { listHostsOfServer } from '../hosts/known-server.ts'
import type { ServerAsk, ServerSpec } from '../hosts/server-spec.ts'

/** The reserved places that a request may use: those of its project or, for a server on a host that is down, those kept for failover. */
export class OwnPlaces {
  readonly #world: World
  readonly #places: readonly Place[]

  private constructor(world: World, places: readonly Place[]) {
    this.#world = world
    this.#places = places
  }

  static of(world: World, ask: ServerAsk, instance: string): OwnPlaces {
    const { reservations } = world
    if (reservations.size === 0 || ask.reserves !== undefined) return new OwnPlaces(world, [])
    const rows =
      ask.operation === 'create'
        ? listProjectReservations(world, ask.project).filter(row => isSameRequest(row, ask.spec))
        : listFailoverOf(world, instance)
    const places = rows.flatMap(row => reservations.listSlots(row.id).map(slot => ({ row, slot })))
    return new OwnPlaces(world, places)
  }

  get isEmpty(): boolean {
    return this.#places.length === 0
  }

  /** Releases all places, to see where the request fits. The claim then uses only one place, or as much as the server needs. */
  listReleases(): RowOp[] {
    return this.#places.flatMap(({ slot }) => releaseConsumer(this.#world, slot).ops)
  }

  /** The same, of those on one host. */
  listReleasesOn(root: ProviderSlot): RowOp[] {
    return this.#places
      .filter(({ slot }) => this.#isIn(slot, root))
      .flatMap(({ slot }) => releaseConsumer(this.#world, slot).ops)
  }

  /** Whether a place is on this host. */
  isOn(root: ProviderSlot): boolean {
    return this.#places.some(({ slot }) => this.#isIn(slot, root))
  }

  /** The places that the claim of a candidate may use, the best first. */
  listFreed(root: ProviderSlot, { allocations }: HostCandidate): Freed[] {
    const world = this.#world
    const here = this.#places.filter(({ slot }) => this.#isIn(slot, root))
    if (here.length === 0) return []
    const claimed = Object.entries(allocations).map(([provider, resources]) => ({
      provider,
      resources: Object.entries(resources),
    }))
    if (here[0]?.row.kind === 'failover') return [takeAmounts(world, here, allocations)]
    const isEqual = ({ slot }: Place) => holdsExactly(world, slot, claimed)
    const first = here.filter(isEqual).slice(0, 1)
    return [...first, ...here.filter(one => !first.includes(one))].map(one => usePlaces(world, [one]))
  }

  #isIn(slot: ConsumerSlot, root: ProviderSlot): boolean {
    const { consumers, providers } = this.#world
    return consumers.holdings(slot).some(({ provider }) => providers.rootOf(provider) === root)
  }
}

const requestOf = memoizeByIdentity((row: ReservationRow) => describeRequest(JSON.parse(row.request)))

/** Leaves out the name of the flavor, which may be renamed. */
const describeRequest = ({ flavor, groups, group_policy, volume_backed }: ServerSpec): { text: string } => ({
  text: JSON.stringify([
    ...[flavor.vcpus, flavor.ram, flavor.disk, flavor.ephemeral, flavor.swap],
    Object.entries(flavor.extra_specs).sort(([a], [b]) => (a < b ? -1 : 1)),
    ...[groups, group_policy, volume_backed],
  ]),
})

const isSameRequest = (row: ReservationRow, spec: ServerSpec): boolean =>
  requestOf(row).text === describeRequest(spec).text

/** The failover reservations of the aggregates of a server's host, if that host is down. */
function listFailoverOf(world: World, instance: string): ReservationRow[] {
  const server = world.consumers.find(instance)
  const hosts = server === undefined ? [] : listHostsOfServer(world, server)
  const down = hosts.filter(host => !isHostUp(getHostRow(world, host)))
  const aggregates = new Set(down.flatMap(host => world.compute.getAggregates(host).map(({ uuid }) => uuid)))
  return world.reservations.rows
    .all()
    .filter(({ kind, aggregate }) => kind === 'failover' && aggregate !== null && aggregates.has(aggregate))
}

/** Takes what a server needs from the reserved places of its new host, and leaves the rest reserved. */
function takeAmounts(world: World, here: readonly Place[], allocations: HostCandidate['allocations']): Freed {
  const { consumers, providers, classes } = world
  const needs = new Map(
    Object.entries(allocations).flatMap(([provider, resources]) =>
      Object.entries(resources).map(([name, amount]) => [`${provider} ${name}`, amount] as const),
    ),
  )
  const claims = here.flatMap(({ slot }) => {
    let isTaken = false
    const left = new Map<string, [string, number][]>()
    for (const { provider, class: id, used } of consumers.holdings(slot)) {
      const [uuid, name] = [providers.uuid(provider), classes.name(id)]
      const need = needs.get(`${uuid} ${name}`) ?? 0
      const taken = Math.min(need, used)
      needs.set(`${uuid} ${name}`, need - taken)
      isTaken ||= taken > 0
      if (used > taken) left.set(uuid, [...(left.get(uuid) ?? []), [name, used - taken]])
    }
    const kept = [...left].map(([provider, resources]) => ({ provider, resources }))
    return isTaken ? [leaveOnly(world, slot, kept)] : []
  })
  return { claims, ops: [] }
}

/** For trying a change only: the change with the places released. */
export const withReleases = ({ ops }: Change, places: OwnPlaces): Change =>
  places.isEmpty ? { ops } : { ops: [...ops, ...places.listReleases()] }
