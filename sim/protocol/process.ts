import type { Clock } from '../../src/kernel/clock.ts'
import { loadWorld } from '../../src/store/load-world.ts'
import type { Applied, SequencerObserver } from '../../src/store/sequencer/observer.ts'
import { Sequencer } from '../../src/store/sequencer/sequencer.ts'
import { Follower } from '../../src/store/shared/follower.ts'
import { SharedStore, type SharedStoreLimits } from '../../src/store/shared/shared-store.ts'
import type { Head, Store } from '../../src/store/store.ts'
import type { World } from '../../src/world/world.ts'
import { rules } from './cloud.ts'
import type { Database } from './database.ts'
import { Gate } from './gate.ts'
import { SimLinks } from './links.ts'
import type { Mutation } from './mutations.ts'
import { mutatedLinks, mutatedStore } from './mutations.ts'

/** The settings of a process. */
export interface ProcessSettings {
  readonly limits: SharedStoreLimits
  readonly pollMs: number
  readonly commandsPerBatchMax: number
  readonly mutation: Mutation | null
  /** Something that must never happen has happened. */
  readonly violated: (what: string) => void
}

/** The process has died after the call: the outcome is unknown. */
export class ProcessDied extends Error {
  override name = 'ProcessDied'
}

const RESTART_MS = 200
/** 2026, so that times look real. */
const EPOCH_MS = 1_790_000_000_000

/** The parts of a loaded process. */
export interface Running {
  readonly world: World
  readonly store: Store
  readonly sequencer: Sequencer<typeof rules>
  readonly follower: Follower
  readonly clock: Clock
}

/** One life of a simulated process: from its start until it crashes. */
export class SimProcess {
  readonly name: string
  readonly gate: Gate
  readonly links: SimLinks
  running: Running | null = null
  readonly #database: Database
  readonly #settings: ProcessSettings
  readonly #calls = new Set<(died: ProcessDied) => void>()
  #toldRevision = -1
  #isDead = false

  constructor(name: string, database: Database, settings: ProcessSettings) {
    const { schedule, chance } = database.surroundings
    this.name = name
    this.gate = new Gate(schedule, chance)
    this.links = new SimLinks(name, this.gate, database)
    this.#database = database
    this.#settings = settings
    void this.#start()
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Sends a request to the process, which may delay it or die. */
  call<T>(work: (running: Running) => Promise<T>): Promise<T> {
    if (this.#isDead) return Promise.reject(new ProcessDied('it is not there'))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#calls.add(reject)
    const end = () => this.#calls.delete(reject)
    this.gate.enter('client', () => {
      const { running } = this
      const answer =
        running === null ? Promise.reject(new ProcessDied('it does not listen yet')) : work(running)
      answer.then(resolve, reject).finally(end)
    })
    return promise
  }

  /** Closes its store at any moment; waiting requests must still be answered. */
  stop(ended: () => void): void {
    const { say, met } = this.#database.surroundings
    say?.(`${this.name}: is stopped`)
    met('a process was stopped')
    this.#isDead = true
    this.gate.enter('client', async () => {
      await this.running?.store.close()
      while (this.#calls.size > 0) await this.gate.sleep(50)
      this.#end()
      ended()
    })
  }

  crash(): void {
    const { say, met } = this.#database.surroundings
    say?.(`${this.name}: crashes`)
    met('a process crashed')
    this.#end()
  }

  #end(): void {
    this.#isDead = true
    this.running = null
    this.gate.shut()
    this.links.abandon()
    this.#database.surroundings.schedule.isTouched = true
    for (const reject of this.#calls) reject(new ProcessDied('it crashed'))
  }

  async #start(): Promise<void> {
    const { schedule, chance, say } = this.#database.surroundings
    const { limits, mutation, pollMs, commandsPerBatchMax } = this.#settings
    const skewMs = EPOCH_MS + chance.whole(-50, 50)
    const clock = { nowMs: () => Math.floor(skewMs + schedule.nowMs) }
    const time = { nowMs: clock.nowMs, sleep: (ms: number) => this.gate.sleep(ms) }
    const shared = new SharedStore(mutatedLinks(this.links, mutation), limits, time)
    const store = mutatedStore(shared, mutation)
    const { world, head } = await this.#loaded(store)
    let batches = 0
    const sequencer = new Sequencer({
      world,
      store,
      head,
      rules,
      clock,
      newBatchId: () => `${this.name}-${++batches}`,
      limits: { commandsPerBatchMax },
    })
    sequencer.subscribe(this.#observer())
    const settings = { reads: 'linearizable', staleMsMax: null, pollMsBusy: pollMs, pollMs } as const
    const follower = new Follower({ store, sequencer, settings, clock })
    this.#toldRevision = head.revision
    this.running = { world, store, sequencer, follower, clock }
    say?.(`${this.name}: listens at revision ${head.revision}`)
    // The follower's own timer is a real one: here the simulation wakes it.
    const look = () => void follower.look().catch(() => undefined)
    const poll = () => {
      look()
      this.gate.after(pollMs, poll)
    }
    this.gate.after(pollMs, poll)
  }

  async #loaded(store: Store): Promise<{ world: World; head: Head }> {
    for (;;) {
      try {
        return await loadWorld(store)
      } catch (reason) {
        this.#database.surroundings.say?.(`${this.name}: cannot start, ${reason}`)
        await this.gate.sleep(RESTART_MS)
      }
    }
  }

  #observer(): SequencerObserver {
    const { say, met } = this.#database.surroundings
    return {
      batchCommitted: (commands, changes) =>
        say?.(`${this.name}: ${commands} commands stored, ${changes} changes`),
      batchFailed: (commands, reason) => say?.(`${this.name}: ${commands} commands failed, ${reason}`),
      applied: (change: Applied) => {
        if (change.revision !== this.#toldRevision + 1)
          this.#settings.violated(`${this.name} told revision ${change.revision} after ${this.#toldRevision}`)
        this.#toldRevision = change.revision
      },
      reloaded: head => {
        met('memory was loaded anew')
        say?.(`${this.name}: loaded anew, revision ${head.revision}`)
        this.#toldRevision = head.revision
      },
      broken: reason => this.#settings.violated(`${this.name} gave up: ${reason}`),
    }
  }
}
