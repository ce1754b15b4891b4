import type { Target } from './goals.ts'
import type { PlanWorld } from './plan-world.ts'

/** The result of a search for a plan with fewer moves. */
type Searched = 'found' | 'none' | 'exhausted'

/**
 * Tries all plans with at most `depthMax` moves, the shortest first (iterative deepening, bounded by the lower bound of missing
 * moves). Leaves the moves of the plan that it finds, or none.
 */
export async function findShortest(plan: PlanWorld, target: Target, depthMax: number): Promise<Searched> {
  const least = await target.countMissing(plan)
  for (let depth = least; depth <= depthMax; depth++) {
    const search = new Search(plan, target)
    if (await search.visit(depth)) return 'found'
    if (plan.isExhausted) return 'exhausted'
    if (!search.wasCut) return 'none'
  }
  return 'none'
}

class Search {
  readonly #plan: PlanWorld
  readonly #target: Target
  /** By state: the number of further moves that are known to be too few. */
  readonly #tried = new Map<string, number>()
  readonly #hosts: readonly string[]
  readonly #servers: readonly string[]
  /** Some branch was cut by the depth: more moves could reach the target. */
  wasCut = false

  constructor(plan: PlanWorld, target: Target) {
    this.#plan = plan
    this.#target = target
    const hosts = plan.listHosts()
    const closed = new Set(target.closed)
    this.#hosts = hosts.filter(host => !closed.has(host))
    this.#servers = [...new Set(hosts.flatMap(host => plan.listServers(host)))]
  }

  async visit(left: number): Promise<boolean> {
    const missing = await this.#target.countMissing(this.#plan)
    if (missing === 0) return true
    if (missing > left || left === 0 || this.#plan.isExhausted) {
      this.wasCut = true
      return false
    }
    const state = this.#describeState()
    if ((this.#tried.get(state) ?? -1) >= left) return false
    this.#tried.set(state, left)
    for (const server of this.#servers)
      for (const host of this.#hosts) {
        if (this.#wasOn(server, host) || (await this.#plan.tryMove(server, host)) !== null) continue
        if (await this.visit(left - 1)) return true
        this.#plan.undoTo(this.#plan.moves.length - 1)
      }
    return false
  }

  /** Servers do not return to hosts that they left: `berth plan apply` reads from their hosts how far it is. */
  #wasOn(server: string, host: string): boolean {
    const { moves, world } = this.#plan
    const slot = this.#plan.findHostOf(server)
    return (
      slot === null ||
      world.providers.uuid(slot) === host ||
      moves.some(move => move.instance === server && move.from === host)
    )
  }

  /** The moved servers with all their hosts: the earlier ones matter, as a server must not return to them. */
  #describeState(): string {
    return this.#plan.moves
      .map(({ instance, from, to }) => `${instance} ${from} ${to}`)
      .sort()
      .join()
  }
}
