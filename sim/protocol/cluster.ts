import { describeHead, isSameHead } from '../../src/store/chain.ts'
import { TurnAborted } from '../../src/store/shared/link.ts'
import { StoreDiverged } from '../../src/store/store.ts'
import { ClusterNode } from './cluster-node.ts'
import type { Database, Server, Surroundings } from './database.ts'
import type { Commit, Fence } from './request.ts'
import { type State, withBatch } from './state.ts'
import { Timeline } from './timeline.ts'

const NODES = 3
/** How long an evicted node stays away. */
const REJOIN_MS_MAX = 500

/** Which nodes the processes use: all the same one while it is up, each its own, or any. */
type Preference = 'one' | 'own' | 'any'

/**
 * Several servers that all accept writes, like Galera. Locks are local to a node. A commit gets its place in one
 * order for all nodes, and takes effect unless one before it in that order, which its transaction had not seen, wrote
 * the same row; and all write the row of the head. The node of the transaction has it at once, the others later.
 */
export class Cluster implements Database {
  readonly surroundings: Surroundings
  readonly timeline: Timeline
  readonly hasForgotten = false
  readonly nodes: readonly ClusterNode[]
  readonly blows: Database['blows'] = {
    'node leaves': briefMs => this.#pickNode().restart(briefMs),
    'node freezes': () => this.#freeze(),
    'no quorum': briefMs => this.#loseQuorum(briefMs),
  }
  readonly #preference: Preference
  /** Called after each commit, in order. */
  readonly #states: State[]
  readonly #fences = new Set<number>()
  /** While a member is silent and not yet evicted, no commit gets its place in the order. */
  #stalledUntilMs = 0

  constructor(surroundings: Surroundings, first: State, preference?: Preference) {
    this.surroundings = surroundings
    this.#states = [first]
    this.timeline = new Timeline(surroundings.schedule, first)
    this.#preference = preference ?? surroundings.chance.pick(['one', 'own', 'any'])
    this.nodes = Array.from({ length: NODES }, (_, nth) => new ClusterNode(`node${nth}`, this))
  }

  get state(): State {
    return this.stateAt(this.position)
  }

  /** The number of commits so far. */
  get position(): number {
    return this.#states.length - 1
  }

  stateAt(position: number): State {
    return this.#states[position] as State
  }

  get stalledMs(): number {
    return Math.max(0, this.#stalledUntilMs - this.surroundings.schedule.nowMs)
  }

  stall(ms: number): void {
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.surroundings.schedule.nowMs + ms)
  }

  pickServer(preference: number): Server {
    const { chance } = this.surroundings
    const first = { one: 0, own: preference, any: chance.whole(0, NODES - 1) }[this.#preference]
    const nodes = this.nodes.map((_, nth) => this.nodes[(first + nth) % NODES] as ClusterNode)
    return nodes.find(node => node.isUp) ?? (nodes[0] as ClusterNode)
  }

  failHard(downMs: number): void {
    this.#pickNode().restart(downMs)
  }

  /** The statements of a transaction run on what its node showed when it began. */
  check(request: Commit | Fence, since: number): void {
    if (request.kind === 'commit') this.#after(this.stateAt(since), request)
  }

  commit(origin: ClusterNode, request: Commit | Fence, since: number): void {
    const { met, say } = this.surroundings
    if (since !== this.position && this.#writesHead(request)) {
      met('a commit failed certification')
      const isFenced = this.#states.some((_, at) => at > since && this.#fences.has(at))
      if (request.kind === 'commit' && isFenced) met('a fence stopped a late commit')
      throw new TurnAborted('deadlock: certification failed (1213)')
    }
    const what = request.kind === 'fence' ? 'a fence' : request.batch.id
    if (request.kind === 'fence') {
      this.#states.push(this.state)
      this.#fences.add(this.position)
    } else {
      const { state, passed } = this.#after(this.state, request)
      this.#states.push(state)
      this.timeline.committed(passed)
    }
    say?.(
      `${origin.name}: ${what} is commit ${this.position} of the cluster, ${describeHead(this.state.head)}`,
    )
    origin.show(this.position)
    for (const node of this.nodes) if (node !== origin) node.receive(this.position)
  }

  #writesHead(request: Commit | Fence): boolean {
    const isPlain = request.kind === 'commit' && request.batch.changes.length === 0
    return !(isPlain && this.surroundings.sabotage.plainRowsWithoutHead)
  }

  #after(state: State, { from, batch, retention }: Commit): ReturnType<typeof withBatch> {
    if (batch.changes.length > 0 && !isSameHead(from, state.head))
      throw new StoreDiverged(
        `the batch follows ${describeHead(from)}, the head is ${describeHead(state.head)}`,
      )
    return withBatch(state, batch, retention)
  }

  #pickNode(): ClusterNode {
    return this.surroundings.chance.pick(this.nodes)
  }

  #freeze(): void {
    const { chance } = this.surroundings
    const rejoinMs = chance.between(0, REJOIN_MS_MAX)
    this.#pickNode().freeze(
      chance.happens(0.5) ? chance.between(20, 500) : chance.between(500, 8_000),
      rejoinMs,
    )
  }

  #loseQuorum(briefMs: number): void {
    this.surroundings.met('no node had a quorum')
    for (const node of this.nodes) node.restart(briefMs)
  }
}
