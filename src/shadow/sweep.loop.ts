import { setTimeout as sleep } from 'node:timers/promises'
import { inParallel } from '../client/in-parallel.ts'
import { isCustom } from '../openstack/placement/ledger.ts'
import type { PlacementApi } from '../openstack/placement/placement-api.ts'
import { type ListedProvider, readNames } from '../openstack/placement/read-api.ts'
import type { World } from '../world/world.ts'
import { noteRepair } from './doubts.loop.ts'
import { listHolders } from './own-ledger.ts'
import type { Repair } from './repair.ts'
import type { ShadowReport } from './report.ts'
import type { Side } from './rules.ts'

interface SweepParts {
  readonly world: World
  readonly repair: Repair
  readonly report: ShadowReport
  readonly connect: () => Promise<PlacementApi>
  readonly truth: () => Side
  /** A number that changes with every write; null while a write about these is under way. */
  readonly stillness: (subjects: ReadonlySet<string>) => number | null
  /** Whether this process sweeps. Only one of several does. */
  readonly leads: () => boolean
  readonly perSecond: number
  readonly failing: (why: string) => void
}

interface SweepStatus {
  /** Why everything is compared at full speed; null at the usual, slow pace. */
  readonly hurry: string | null
  readonly checked: number
  readonly total: number
  readonly passes: number
  readonly last_pass_ended_at: string | null
  readonly failure: string | null
}

const HURRIED_AT_ONCE = 4
const TRIES_MAX = 5
const PAUSE_MS = 1_000
/** A side that lacks more than this part of the other is empty, or the wrong Placement. */
const MISSING_PART_MAX = 0.2
const MISSING_MIN = 10

/** Compares both ledgers continuously, one provider with its consumers at a time, and repairs what differs. */
export class Sweep {
  readonly #parts: SweepParts
  #hurry: string | null
  #checked = 0
  #total = 0
  #passes = 0
  #lastEnd: string | null = null
  #failure: string | null = null
  #isStopped = false
  #wake: () => void = () => undefined

  /** Begins at full speed: nobody knows what changed while no process ran. */
  constructor(parts: SweepParts, hurry = 'the server started') {
    this.#parts = parts
    this.#hurry = hurry
  }

  get status(): SweepStatus {
    return {
      hurry: this.#hurry,
      checked: this.#checked,
      total: this.#total,
      passes: this.#passes,
      last_pass_ended_at: this.#lastEnd,
      failure: this.#failure,
    }
  }

  /** Compares everything as soon as possible. */
  sweepAll(why: string): void {
    this.#hurry = why
    this.#wake()
  }

  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      const hurry = this.#hurry
      if (hurry !== null || this.#parts.leads())
        try {
          await this.#pass(hurry)
          this.#failure = null
          // `sweepAll` may have been called again meanwhile.
          if (this.#hurry === hurry) this.#hurry = null
        } catch (error) {
          this.#failure = error instanceof Error ? error.message : String(error)
          this.#parts.failing(this.#failure)
        }
      await this.#pause(PAUSE_MS)
    }
  }

  async #pass(hurry: string | null): Promise<void> {
    const uuids = await this.listProviders()
    this.#total = uuids.length
    this.#checked = 0
    await this.#checkNames()
    await inParallel(uuids, hurry === null ? 1 : HURRIED_AT_ONCE, async uuid => {
      if (this.#isStopped || (hurry === null && this.#hurry !== null)) return
      await this.#check(new Set([uuid]))
      this.#checked++
      const things = 1 + listHolders(this.#parts.world, uuid).length
      if (hurry === null) await this.#pause((1_000 * things) / this.#parts.perSecond)
    })
    if (this.#isStopped || this.#checked < this.#total) return
    this.#passes++
    this.#lastEnd = new Date().toISOString()
  }

  /** The providers of both sides. Refuses two sides that have too little in common. */
  async listProviders(): Promise<string[]> {
    const { world, connect, truth } = this.#parts
    const api = await connect()
    const { resource_providers } = await api.get<{ resource_providers: ListedProvider[] }>(
      '/resource_providers',
    )
    const theirs = new Set(resource_providers.map(({ uuid }) => uuid))
    const ours = new Set<string>()
    for (const slot of world.providers.all())
      if (!world.shares.owns(slot)) ours.add(world.providers.uuid(slot))
    const [right, other] = truth() === 'placement' ? [theirs, ours] : [ours, theirs]
    const doomed = other.difference(right).size
    if (doomed > Math.max(MISSING_MIN, other.size * MISSING_PART_MAX))
      throw new Error(
        `${doomed} of ${other.size} providers of ${other === ours ? 'Berth' : 'Placement'} are not in the other ledger: ` +
          'nothing is repaired; run berth import placement --mirror if they are to be removed',
      )
    return [...theirs.union(ours)].sort()
  }

  async #check(subjects: ReadonlySet<string>): Promise<void> {
    const { repair, report, truth, stillness } = this.#parts
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const before = stillness(subjects)
      if (before !== null) {
        const side = truth()
        const checked = await repair.repair(subjects, side, () => stillness(subjects) === before, true)
        noteRepair(report, checked, 'the sweep found it', side)
        if (checked.kind !== 'moved') return
      }
      await sleep(50 * (tries + 1))
    }
  }

  /** Custom classes and traits that only one side has. */
  async listDifferingNames(): Promise<Set<string>> {
    const { world, connect } = this.#parts
    const { classes, traits } = await readNames(await connect())
    const own = (rows: Iterable<{ readonly name: string }>) => new Set([...rows].map(({ name }) => name))
    return new Set(
      [
        ...classes.symmetricDifference(own(world.classes.rows())),
        ...traits.symmetricDifference(own(world.traits.rows())),
      ].filter(isCustom),
    )
  }

  async #checkNames(): Promise<void> {
    for (const name of await this.listDifferingNames()) await this.#check(new Set([name]))
  }

  async #pause(ms: number): Promise<void> {
    const woken = new Promise<void>(resolve => {
      this.#wake = resolve
    })
    await Promise.race([sleep(ms), woken])
  }
}
