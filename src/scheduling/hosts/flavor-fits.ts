import type { Bitset } from '../../kernel/bitset.ts'
import { NO_PROVIDER, type ProviderSlot } from '../../kernel/ids.ts'
import type { ExpandedCandidate } from '../../placement/candidates/candidates.ts'
import { SHARING_TRAIT } from '../../placement/candidates/plan.ts'
import type { FlavorRow } from '../../world/compute.ts'
import { rehearse } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import { countClaims, makeHolding } from './count-fits.ts'
import { type AskRefusal, HostSelection } from './host-selection.ts'
import { EMPTY_SPEC } from './known-server.ts'
import { type ServerAsk, toFlavorSpec } from './server-spec.ts'
import { WatchedHost } from './watched-host.ts'
import { HostColumns } from './world-host.ts'

/** What the servers that fit on a host take from a sharing provider. */
interface Borrowed {
  readonly lender: ProviderSlot
  readonly classId: number
  readonly amount: number
}

/** How many more servers of a flavor fit on one host, if other hosts take none. */
interface HostFit {
  readonly servers: number
  /** False: fewer may fit, because a filter reads what is already on the host. */
  readonly isExact: boolean
  readonly borrowed: readonly Borrowed[]
}

const NONE: HostFit = { servers: 0, isExact: true, borrowed: [] }

/** Providers of a tree are filled one after the other, at most this many. */
const ROUNDS_MAX = 256

/** The request of a new server of a flavor, without image, zone and hints. */
export function makeFlavorAsk(world: World, flavor: FlavorRow, project: string, user: string): ServerAsk {
  const spec = { ...EMPTY_SPEC, flavor: toFlavorSpec(flavor, world.compute.getExtraSpecs(flavor.id)) }
  const places = { host: null, not_hosts: [], group: null }
  return { operation: 'create', project, user, spec, instances: [''], generation: null, ...places }
}

/**
 * Counts servers of one flavor, host by host, on the live world. Takes microseconds per host if hosts are
 * single providers. Valid until the world changes. `countFits` gives the exact number, on a copy.
 */
export class FlavorFits {
  readonly #world: World
  readonly #selection: HostSelection
  readonly #columns: HostColumns
  /** Sharing providers, including those in the tree of a host. */
  readonly #lenders: Bitset | null

  private constructor(world: World, selection: HostSelection) {
    this.#world = world
    this.#selection = selection
    this.#columns = new HostColumns(world)
    const sharing = world.traits.id(SHARING_TRAIT)
    const lenders = sharing === undefined ? undefined : world.providerTraits.members(sharing)
    this.#lenders = lenders === undefined || lenders.size === 0 ? null : lenders
  }

  static of(world: World, ask: ServerAsk, setup: SchedulingSetup): FlavorFits | AskRefusal {
    const selection = HostSelection.of(world, ask, ask.instances[0] as string, setup)
    return selection instanceof HostSelection ? new FlavorFits(world, selection) : selection
  }

  countOn(slot: ProviderSlot): HostFit {
    const space = this.#selection.countSpace(slot)
    if (space === 0) return NONE
    const host = new WatchedHost(this.#world, slot, this.#columns)
    const first = space === null ? this.#selection.findCandidate(host) : null
    if (space === null && first === null) return NONE
    if (this.#selection.pipeline.findFirstRefusal(host) !== null) return NONE
    const isExact = !host.readsUsage
    if (first === null) return { servers: space as number, isExact, borrowed: [] }
    if (this.#isAlone(slot)) return { servers: countClaims(this.#world, first), isExact, borrowed: [] }
    return { ...this.#fill(host, first), isExact }
  }

  /** True if nothing can replace the provider once it is full. */
  #isAlone(slot: ProviderSlot): boolean {
    return this.#lenders === null && this.#world.providers.firstChild[slot] === NO_PROVIDER
  }

  /** Fills the tree completely, then undoes that. */
  #fill(host: WatchedHost, first: ExpandedCandidate): Omit<HostFit, 'isExact'> {
    const taken = new Map<string, { lender: ProviderSlot; classId: number; amount: number }>()
    return rehearse<Omit<HostFit, 'isExact'>>(this.#world, rehearsal => {
      let servers = 0
      let candidate: ExpandedCandidate | null = first
      for (let round = 0; candidate !== null && round < ROUNDS_MAX; round++) {
        const more = countClaims(this.#world, candidate)
        servers += more
        for (const [lender, amounts] of candidate.allocations)
          if (this.#lenders?.has(lender) === true)
            for (const [classId, need] of amounts) {
              const known = taken.get(`${lender} ${classId}`)?.amount ?? 0
              taken.set(`${lender} ${classId}`, { lender, classId, amount: known + need * more })
            }
        rehearsal.suppose(makeHolding(this.#world, `fit-${round}`, candidate, more))
        candidate = this.#selection.findCandidate(host)
      }
      return { servers, borrowed: [...taken.values()] }
    })
  }
}

/** Adds up hosts that may use the same sharing providers, whose resources count only once. */
export class FitSum {
  readonly #world: World
  readonly #lent = new Map<string, number>()
  servers = 0
  hosts = 0
  isExact = true

  constructor(world: World) {
    this.#world = world
  }

  add({ servers, isExact, borrowed }: HostFit): void {
    if (servers === 0) return
    let fits = servers
    for (const { lender, classId, amount } of borrowed)
      fits = Math.min(fits, Math.floor(this.#free(lender, classId) / (amount / servers)))
    if (fits < servers) this.isExact = false
    if (fits <= 0) return
    for (const { lender, classId, amount } of borrowed) {
      const key = `${lender} ${classId}`
      this.#lent.set(key, (this.#lent.get(key) ?? 0) + Math.ceil((amount / servers) * fits))
    }
    this.servers += fits
    this.hosts++
    this.isExact &&= isExact
  }

  #free(lender: ProviderSlot, id: number): number {
    const columns = this.#world.inventories.columns(id as Parameters<World['inventories']['columns']>[0])
    if (columns === undefined) return 0
    const lent = this.#lent.get(`${lender} ${id}`) ?? 0
    return (columns.capacity[lender] ?? 0) - (columns.used[lender] ?? 0) - lent
  }
}
