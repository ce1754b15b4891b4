import { checkWorld } from '../../src/server/check-world.ts'
import { describeHead, isSameHead } from '../../src/store/chain.ts'
import { diffWorlds } from '../../src/store/verify/verify.ts'
import { plan } from './calamities.ts'
import { Client, habitsOf } from './client.ts'
import { firstState } from './cloud.ts'
import { Cluster } from './cluster.ts'
import type { Database, Encounter, Model, Surroundings } from './database.ts'
import { Gate } from './gate.ts'
import { Ledger } from './ledger.ts'
import { type Mutation, sabotageOf } from './mutations.ts'
import { type ProcessSettings, SimProcess } from './process.ts'
import { Chance, drained, Schedule } from './schedule.ts'
import { SingleServer } from './single-server.ts'
import { verdict, worldOf } from './verdict.ts'
import { Watch } from './watch.ts'
import { clearUp, weatherOf } from './weather.ts'

const PROCESSES = 3
const CLIENTS = 4
const STORM_MS = 6_000
/** Without faults, every process answers within this time. */
const RECOVERY_MS_MAX = 25_000
const STEPS_MAX = 20_000

const DATABASES = { single: SingleServer, cluster: Cluster }

export interface Run {
  readonly seed: number
  readonly violations: readonly string[]
  readonly steps: number
  readonly virtualMs: number
  readonly writes: number
  readonly reads: number
  readonly met: ReadonlySet<Encounter>
}

interface Options {
  readonly model?: Model
  readonly mutation?: Mutation | null
  readonly say?: (what: string) => void
}

/** One whole run: the same seed gives the same run. */
export function simulate(seed: number, options: Options = {}): Promise<Run> {
  return new Simulation(seed, options).run()
}

class Simulation {
  readonly #seed: number
  readonly #surroundings: Surroundings
  readonly #database: Database
  readonly #settings: ProcessSettings
  readonly #ledger = new Ledger()
  readonly #watch: Watch
  readonly #violations: string[] = []
  readonly #processes: SimProcess[]
  readonly #client: Client
  readonly #met = new Set<Encounter>()
  #lives = 0
  #steps = 0
  #isStorm = true

  constructor(seed: number, { model = 'single', mutation = null, say }: Options) {
    const schedule = new Schedule()
    const chance = new Chance(seed)
    const stamped = (what: string) => say?.(`${schedule.nowMs.toFixed(2).padStart(10)} ${what}`)
    const violated = (what: string) => {
      stamped(`VIOLATION: ${what}`)
      this.#violations.push(what)
    }
    this.#seed = seed
    const sabotage = sabotageOf(mutation)
    const weather = weatherOf(chance)
    const met = (what: Encounter) => this.#met.add(what)
    this.#surroundings = { schedule, chance, weather, sabotage, met, say: say && stamped }
    this.#database = new DATABASES[model](this.#surroundings, firstState)
    this.#settings = settingsOf(chance, mutation, violated)
    this.#watch = new Watch(this.#database.timeline, violated)
    this.#processes = Array.from({ length: PROCESSES }, (_, nth) => this.#start(nth))
    this.#client = new Client({
      schedule,
      chance,
      ledger: this.#ledger,
      violated,
      met,
      say: say && stamped,
      outside: new Gate(schedule, chance),
      habits: habitsOf(chance),
      onRead: (read, running) => this.#watch.read(read, running),
    })
  }

  async run(): Promise<Run> {
    const { schedule } = this.#surroundings
    const story = this.#story().catch((reason: unknown) => {
      this.#violations.push(
        `the simulation itself failed: ${reason instanceof Error ? reason.stack : reason}`,
      )
    })
    let isOver = false
    void story.then(() => {
      isOver = true
    })
    await drained()
    while (!isOver && this.#violations.length === 0) {
      if (!schedule.step() || ++this.#steps > STEPS_MAX) {
        this.#violations.push('nothing more happens, and not everything was answered')
        break
      }
      if (!schedule.isTouched) continue
      schedule.isTouched = false
      await drained()
      for (const process of this.#processes) this.#watch.look(process)
    }
    return {
      seed: this.#seed,
      violations: this.#violations,
      steps: this.#steps,
      virtualMs: schedule.nowMs,
      writes: this.#ledger.writes.length,
      reads: this.#ledger.reads,
      met: this.#met,
    }
  }

  #start(nth: number): SimProcess {
    return new SimProcess(`p${nth}.${++this.#lives}`, this.#database, this.#settings)
  }

  async #story(): Promise<void> {
    const { chance } = this.#surroundings
    plan(
      {
        database: this.#database,
        processes: this.#processes,
        start: (nth: number) => this.#start(nth),
        isOver: () => !this.#isStorm,
      },
      STORM_MS * chance.pick([0.1, 0.5, 1]),
    )
    const outside = new Gate(this.#surroundings.schedule, chance)
    while (this.#processes.some(({ running, isDead }) => running === null && !isDead)) await outside.sleep(50)
    const requests = chance.whole(4, 14)
    await Promise.all(Array.from({ length: CLIENTS }, () => this.#client.work(this.#processes, requests)))
    this.#clearUp()
    await Promise.all(this.#processes.map((_, nth) => this.#recovered(nth)))
    // Without traffic, periodic polling must bring every process up to date.
    await outside.sleep(2 * this.#settings.pollMs + 1_000)
    this.#compareAll()
    this.#violations.push(...verdict(this.#ledger, this.#database))
  }

  #clearUp(): void {
    this.#surroundings.say?.('everything is well from now on')
    this.#isStorm = false
    clearUp(this.#surroundings.weather)
  }

  /** Every process must accept a write and a read again, without help and in time. */
  async #recovered(nth: number): Promise<void> {
    const { schedule } = this.#surroundings
    const endMs = schedule.nowMs + RECOVERY_MS_MAX
    const outside = new Gate(schedule, this.#surroundings.chance)
    for (let isWell = false; !isWell; ) {
      const process = this.#processes[nth] as SimProcess
      if (schedule.nowMs > endMs) {
        this.#violations.push(`${process.name} takes nothing, long after everything is well`)
        return
      }
      // With a key, so that there is always something to store.
      const write = this.#ledger.newWrite([{ ...NOTHING_OF, consumer: process.name }], true)
      const { kind } = await this.#client.attempt(process, write)
      isWell = (kind === 'done' || kind === 'nothing') && (await this.#client.read(process))
      if (!isWell) await outside.sleep(100)
    }
  }

  #compareAll(): void {
    const { head, rows } = this.#database.state
    const stored = worldOf(rows)
    const wrong = checkWorld(stored)
    if (wrong.count > 0) this.#violations.push(`stored: ${wrong.items[0]?.what}`)
    for (const { name, running } of this.#processes) {
      if (running === null) continue
      if (!isSameHead(running.sequencer.head, head))
        this.#violations.push(
          `${name} ends at ${describeHead(running.sequencer.head)}, not at ${describeHead(head)}`,
        )
      const [first] = diffWorlds(running.world, stored).items
      if (first !== undefined) this.#violations.push(`${name} ends with ${JSON.stringify(first)}`)
      const [problem] = checkWorld(running.world).items
      if (problem !== undefined) this.#violations.push(`${name}: ${problem.what}`)
    }
  }
}

const NOTHING_OF = { projectId: 'p', userId: 'u', type: undefined, generation: undefined, allocations: [] }

function settingsOf(
  chance: Chance,
  mutation: Mutation | null,
  violated: (what: string) => void,
): ProcessSettings {
  return {
    limits: {
      changesAgeMsMax: chance.pick([1e9, 1e9, 2_000]),
      changesCountMax: chance.pick([2, 5, 1_000]),
      retryMsMax: chance.pick([0, 1_000, 5_000]),
      settleMsMax: chance.pick([0, 1_000, 10_000]),
    },
    pollMs: chance.pick([500, 2_000]),
    commandsPerBatchMax: chance.pick([1, 2, 100]),
    mutation,
    violated,
  }
}
