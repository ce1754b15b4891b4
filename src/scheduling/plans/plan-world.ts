import { assert } from '../../kernel/assert.ts'
import type { ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import type { Change } from '../../world/change.ts'
import type { RequestRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import type { SchedulingSetup } from '../framework/setup.ts'
import { chooseAndClaim } from '../hosts/claim.ts'
import { isServer, sumHeldGib } from '../hosts/host-figures.ts'
import { listAllHosts, listConsumers } from '../hosts/hosts.ts'
import { listHostsOfServer, makeMoveAsk, makeSpecOfServer } from '../hosts/known-server.ts'
import { findBrokenRules } from '../hosts/landing.ts'
import { specOf } from '../hosts/server-spec.ts'
import type { PlanBudget, PlannedMove, StuckServer } from './plan.ts'

export interface PlanningWay {
  readonly newUuid: () => string
  readonly seed: number
  readonly nowMs: number
  readonly pause: () => Promise<void>
}

interface MadeMove extends PlannedMove {
  readonly change: Change
}

type Why = StuckServer['why']

/** Hosts counted between two pauses for other requests. */
const HOSTS_PER_TURN = 200

/** A private copy of the world with the moves of a plan so far. Each move is decided by the same rule as a real move. */
export class PlanWorld {
  readonly copy: WorldCopy
  readonly world: World
  readonly setup: SchedulingSetup
  readonly way: PlanningWay
  readonly budget: PlanBudget
  readonly moves: MadeMove[] = []
  steps = 0
  isExhausted = false
  #gib = 0
  /** By server: the servers whose hints name it. */
  readonly #namedBy = new Map<string, string[]>()

  constructor(copy: WorldCopy, setup: SchedulingSetup, way: PlanningWay, budget: PlanBudget) {
    this.copy = copy
    this.world = copy.world
    this.setup = setup
    this.way = way
    this.budget = budget
  }

  /** Reads the hints of all servers: a move of one may break the ties of another. */
  async readTies(): Promise<void> {
    let looked = 0
    for (const row of this.world.rows('server_requests') as Iterable<RequestRow>) {
      if (++looked % 1_000 === 0) await this.way.pause()
      const { same_host, different_host } = specOf(row).hints
      for (const named of [...same_host, ...different_host]) {
        const known = this.#namedBy.get(named) ?? []
        known.push(this.world.consumers.row(row.consumer_id as ConsumerSlot).uuid)
        this.#namedBy.set(named, known)
      }
    }
  }

  listHosts(): string[] {
    return listAllHosts(this.world).map(slot => this.world.providers.uuid(slot))
  }

  nameOf(host: string): string {
    const slot = this.world.providers.find(host)
    return slot === undefined ? host : this.world.providers.name(slot)
  }

  /** The servers on a host, the largest first. */
  listServers(host: string): string[] {
    const { world } = this
    const slot = world.providers.find(host)
    if (slot === undefined) return []
    return listConsumers(world, slot)
      .filter(consumer => isServer(world, consumer))
      .map(consumer => ({ uuid: world.consumers.row(consumer).uuid, gib: this.computeGib(consumer) }))
      .sort((a, b) => b.gib - a.gib || (a.uuid < b.uuid ? -1 : 1))
      .map(({ uuid }) => uuid)
  }

  countServers(host: string): number {
    const { world } = this
    const slot = world.providers.find(host)
    if (slot === undefined) return 0
    return listConsumers(world, slot).filter(consumer => isServer(world, consumer)).length
  }

  /** The number of servers of every host. Pauses for other requests, as this takes long in a large cloud. */
  async countOnHosts(): Promise<{ readonly host: string; readonly servers: number }[]> {
    const counts: { readonly host: string; readonly servers: number }[] = []
    for (const host of this.listHosts()) {
      counts.push({ host, servers: this.countServers(host) })
      if (counts.length % HOSTS_PER_TURN === 0) await this.way.pause()
    }
    return counts
  }

  /** The host of a server; null if it is on none or on several. */
  findHostOf(instance: string): ProviderSlot | null {
    const consumer = this.world.consumers.find(instance)
    const hosts = consumer === undefined ? [] : listHostsOfServer(this.world, consumer)
    return hosts.length === 1 ? (hosts[0] as ProviderSlot) : null
  }

  /** Memory and disk that a consumer holds. */
  computeGib(consumer: ConsumerSlot): number {
    return sumHeldGib(this.world, consumer)
  }

  /** Moves a server to `target`, or to the best host outside `notHosts`. Returns the reason if it cannot. */
  async tryMove(
    instance: string,
    target: string | null,
    notHosts: readonly string[] = [],
  ): Promise<Why | null> {
    const { world, budget } = this
    // Always pause: a move in a large cloud takes milliseconds, and moves that the budget forbids do not count as steps.
    await this.way.pause()
    if (budget.never.has(instance)) return { kind: 'never' }
    const consumer = world.consumers.find(instance)
    if (consumer === undefined || this.findHostOf(instance) === null) return { kind: 'several-hosts' }
    const gib = this.computeGib(consumer)
    if (this.moves.length >= budget.movesMax || this.#gib + gib > budget.gibMax) return { kind: 'budget' }
    if (!this.countStep()) return { kind: 'steps' }
    return this.#move(instance, target, notHosts, null)
  }

  /** False if the search has reached its limit. */
  countStep(): boolean {
    if (this.steps >= this.budget.stepsMax) this.isExhausted = true
    else this.steps++
    return !this.isExhausted
  }

  /** Repeats moves that were possible from this state. */
  async redo(moves: readonly { readonly instance: string; readonly to: string }[]): Promise<void> {
    for (const { instance, to } of moves) {
      await this.way.pause()
      const why = this.#move(instance, to, [], null)
      assert(why === null, `the move of ${instance} is possible again`)
    }
  }

  /** Whether these moves are possible one after the other while every server still holds its source. Leaves no move behind. */
  async canBeUnderWay(
    moves: readonly { readonly instance: string; readonly to: string }[],
  ): Promise<boolean> {
    const before = this.moves.length
    let isPossible = true
    for (const { instance, to } of moves) {
      await this.way.pause()
      isPossible = this.#move(instance, to, [], this.way.newUuid()) === null
      if (!isPossible) break
    }
    this.undoTo(before)
    return isPossible
  }

  /** `sourceHolder`: the consumer that keeps the old allocations. */
  #move(
    instance: string,
    target: string | null,
    notHosts: readonly string[],
    sourceHolder: string | null,
  ): Why | null {
    const { world, setup, way } = this
    const from = this.findHostOf(instance)
    const consumer = world.consumers.find(instance)
    if (from === null || consumer === undefined) return { kind: 'several-hosts' }
    const gib = this.computeGib(consumer)
    const here = world.providers.uuid(from)
    const ask = { ...makeMoveAsk(world, consumer), host: target, not_hosts: [...notHosts, here] }
    const order = { ask, setup, seed: way.seed, alternates: 0, sourceHolder }
    const decision = chooseAndClaim(world, { ...order, decision: '', rankedHosts: [] }, way.nowMs)
    if (!decision.ok) return { kind: 'refused', refusal: decision.refusal }
    const [placed] = decision.answer.placed
    assert(placed !== undefined, 'a move that was decided has a host')
    const flavor = makeSpecOfServer(world, consumer).flavor.name
    const tied = this.#listTied(instance)
    const before = tied.map(one => this.#countBroken(one))
    this.copy.make(decision.change)
    const broken = tied.findIndex((one, at) => this.#countBroken(one) > (before[at] as number))
    if (broken !== -1) {
      this.copy.takeBack(decision.change)
      return { kind: 'ties', other: tied[broken] as string }
    }
    this.#gib += gib
    const names = { fromName: world.providers.name(from), toName: placed.host }
    const { change } = decision
    this.moves.push({ instance, from: here, to: placed.provider, ...names, flavor, gib, change })
    return null
  }

  /** Runs `work` with one more change, and takes the change back. */
  async suppose<T>(change: Change, work: () => Promise<T>): Promise<T> {
    this.copy.make(change)
    try {
      return await work()
    } finally {
      this.copy.takeBack(change)
    }
  }

  /** Takes back all moves but the first `count`. */
  undoTo(count: number): void {
    while (this.moves.length > count) {
      const last = this.moves.pop() as MadeMove
      this.#gib -= last.gib
      this.copy.takeBack(last.change)
    }
  }

  #listTied(instance: string): string[] {
    return this.#namedBy.get(instance) ?? []
  }

  #countBroken(instance: string): number {
    const consumer = this.world.consumers.find(instance)
    const host = this.findHostOf(instance)
    if (consumer === undefined || host === null) return 0
    const broken = findBrokenRules(this.world, consumer, host, this.setup)
    return 'kind' in broken ? 0 : broken.length
  }
}
