/** Clients that claim, move, release and resize at random, on few providers, each time at a random server. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../src/kernel/random.ts'
import { type Ask, isWrite, type Operation } from './operation.ts'
import type { Recorder } from './recorder.ts'
import type { Server } from './server.ts'

const CLIENTS = 9
const PROVIDERS = 3
const CONSUMERS = 8
/** The average capacity of a provider; a claim takes a good part of it. */
export const TOTAL = 10
const AMOUNT_MAX = 4
const THINK_MS_MAX = 4
/** Less than half of the clients. */
const WAITING_PER_SERVER_MAX = 4
/** After a request without an answer. */
const PAUSE_MS = 30

const listUuids = (group: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `00000000-0000-4000-8${group}-${String(at + 1).padStart(12, '0')}`)

export const providers: readonly string[] = listUuids('000', PROVIDERS)
const consumers: readonly string[] = listUuids('001', CONSUMERS)
/** For the probes at the end. */
export const probes: readonly string[] = listUuids('002', 9)

/** The state that clients expect, from the latest answers to any of them. */
interface Beliefs {
  readonly generations: Map<string, number | null>
  readonly holdings: Map<string, Readonly<Record<string, number>>>
}

export class Traffic {
  readonly #servers: readonly Server[]
  readonly #recorder: Recorder
  readonly #random: Random
  readonly #beliefs: Beliefs = { generations: new Map(), holdings: new Map() }
  #isOver = false
  #clients: Promise<unknown> = Promise.resolve()

  constructor(servers: readonly Server[], recorder: Recorder, random: Random) {
    this.#servers = servers
    this.#recorder = recorder
    this.#random = random
  }

  start(): void {
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, () => this.#client()))
  }

  /** Resolves when the last client has its last answer. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#clients
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      const operation = await this.#recorder.ask(this.#anyServer(), this.#nextAsk())
      this.#learn(operation)
      const { kind } = operation.result
      // A client that got an acknowledgement must find the write at every server.
      if (kind === 'done' && this.#chance(60))
        this.#learn(await this.#recorder.ask(this.#anyServer(), this.#readOf(operation)))
      await sleep(kind === 'nothing' ? PAUSE_MS : this.#random.below(THINK_MS_MAX))
    }
  }

  /** So that not all clients wait for one silent server. */
  #anyServer(): Server {
    return this.#any(this.#servers.filter(one => this.#recorder.waitingFor(one) < WAITING_PER_SERVER_MAX))
  }

  #nextAsk(): Ask {
    const dice = this.#random.below(100)
    const consumer = this.#any(consumers)
    const provider = this.#any(providers)
    if (dice < 28) return { kind: 'claim', claims: [this.#claim(consumer, this.#someHoldings())] }
    if (dice < 36) return this.#move(consumer)
    if (dice < 44) return { kind: 'claim', claims: [this.#claim(consumer, {})] }
    if (dice < 52) return { kind: 'forget', consumer }
    if (dice < 60) {
      const total = TOTAL - 3 + this.#random.below(7)
      return { kind: 'resize', provider, generation: this.#beliefs.generations.get(provider) ?? 0, total }
    }
    return this.#read(consumer, provider)
  }

  #read(consumer: string, provider: string): Ask {
    const dice = this.#random.below(100)
    if (dice < 40) return { kind: 'see-consumer', consumer }
    if (dice < 55) return { kind: 'see-usage', provider }
    if (dice < 70) return { kind: 'see-holders', provider }
    if (dice < 85) return { kind: 'see-inventory', provider }
    return { kind: 'see-candidates', amount: 1 + this.#random.below(AMOUNT_MAX) }
  }

  #readOf({ ask }: Operation): Ask {
    if (ask.kind === 'resize') return { kind: 'see-inventory', provider: ask.provider }
    if (ask.kind === 'forget') return { kind: 'see-consumer', consumer: ask.consumer }
    if (ask.kind !== 'claim') return ask
    return { kind: 'see-consumer', consumer: this.#any(ask.claims).consumer }
  }

  /** A consumer gives its allocations, as the client knows them, to another. */
  #move(from: string): Ask {
    const to = this.#any(consumers.filter(one => one !== from))
    const held = this.#beliefs.holdings.get(from) ?? {}
    const holdings = Object.keys(held).length > 0 ? held : this.#someHoldings()
    return { kind: 'claim', claims: [this.#claim(from, {}), this.#claim(to, holdings)] }
  }

  #claim(consumer: string, holdings: Readonly<Record<string, number>>) {
    const believed = this.#beliefs.generations.get(consumer) ?? null
    const generation = this.#chance(8) ? (believed ?? 0) + 1 : believed
    return { consumer, generation, holdings }
  }

  #someHoldings(): Record<string, number> {
    const holdings: Record<string, number> = {}
    for (let count = 1 + this.#random.below(2); count > 0; count--)
      holdings[this.#any(providers)] = 1 + this.#random.below(AMOUNT_MAX)
    return holdings
  }

  #learn({ ask, result }: Operation): void {
    const { generations, holdings } = this.#beliefs
    if (result.kind === 'seen' && 'provider' in ask)
      generations.set(ask.provider, (result.view as { generation: number }).generation)
    if (result.kind === 'seen' && ask.kind === 'see-consumer') {
      const seen = result.view as { generation?: number; holds: Record<string, { amount: number }> }
      generations.set(ask.consumer, seen.generation ?? null)
      const amounts = Object.entries(seen.holds).map(([provider, { amount }]) => [provider, amount])
      holdings.set(ask.consumer, Object.fromEntries(amounts))
    }
    if (result.kind === 'refused' && result.refusal.kind === 'consumer-generation' && ask.kind === 'claim')
      if (ask.claims.length === 1) generations.set(ask.claims[0]?.consumer as string, result.refusal.actual)
    if (result.kind === 'done' && isWrite(ask)) this.#learnDone(ask, result.generation)
  }

  #learnDone(ask: Ask, generation: number | undefined): void {
    const { generations, holdings } = this.#beliefs
    if (ask.kind === 'resize') generations.set(ask.provider, generation ?? 0)
    if (ask.kind === 'forget') generations.set(ask.consumer, null)
    if (ask.kind !== 'claim') return
    for (const claim of ask.claims) {
      const isGone = Object.keys(claim.holdings).length === 0
      generations.set(claim.consumer, isGone ? null : (claim.generation ?? 0) + 1)
      holdings.set(claim.consumer, claim.holdings)
    }
  }

  #any<T>(items: readonly T[]): T {
    return items[this.#random.below(items.length)] as T
  }

  #chance(percent: number): boolean {
    return this.#random.below(100) < percent
  }
}
