import { setTimeout as sleep } from 'node:timers/promises'
import { isRefused } from '../client/http.ts'
import { Semaphore } from '../kernel/semaphore.ts'
import type { PlacementApi } from '../openstack/placement/placement-api.ts'
import { readHolders, readOrphaned } from '../openstack/placement/read-api.ts'
import type { ShadowReport } from './report.ts'
import { isUuid } from './subjects.ts'

type Amounts = ReadonlyMap<string, number>

interface OrphansParts {
  readonly report: ShadowReport
  readonly connect: () => Promise<PlacementApi>
  /** A number that changes with every write; null while a write about these is under way. */
  readonly stillness: (subjects: ReadonlySet<string>) => number | null
}

const TRIES_MAX = 20
const PAUSE_MS = 50
/** At most this many providers of one difference; the sweep reads all. */
const PROVIDERS_MAX = 50
/** Limits of waiting explanations and of their time, so that many differences at once do not slow Placement down. */
const LOOKS_MAX = 100
const LOOK_MS_MAX = 30_000

/**
 * Providers with allocations whose consumer Placement has lost. It happens when a write overlaps with the removal of the consumer. The API
 * shows neither the allocation nor the consumer, only the usage.
 */
export class Orphans {
  readonly #parts: OrphansParts
  readonly #byProvider = new Map<string, Amounts>()
  readonly #turns = new Semaphore(1)
  #looks = 0

  constructor(parts: OrphansParts) {
    this.#parts = parts
  }

  /** Remembers what was read, and reports new orphans. */
  note(read: ReadonlyMap<string, Amounts>): void {
    for (const [provider, amounts] of read) {
      const before = describeAmounts(this.#byProvider.get(provider))
      if (amounts.size > 0) this.#byProvider.set(provider, amounts)
      else this.#byProvider.delete(provider)
      const why = this.describe([provider])
      if (why === null || describeAmounts(amounts) === before) continue
      this.#parts.report.addRepair(
        why,
        `provider ${provider}: ${describeAmounts(amounts)} without a consumer`,
        null,
      )
    }
  }

  /** Reads providers, to explain why Placement counts more as used than its consumers hold. */
  async look(subjects: Iterable<string>): Promise<void> {
    const release = this.#looks < LOOKS_MAX ? await this.#wait() : null
    if (release === null) return
    await this.#lookInTurn(new Set([...subjects].filter(isUuid).slice(0, PROVIDERS_MAX)))
    release()
  }

  async #wait() {
    this.#looks++
    const release = await this.#turns.acquire(LOOK_MS_MAX)
    this.#looks--
    return release
  }

  async #lookInTurn(providers: ReadonlySet<string>): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const before = this.#parts.stillness(providers)
      const read = before === null ? null : await this.#read(providers).catch(() => null)
      if (read !== null && this.#parts.stillness(providers) === before) {
        this.note(read)
        return
      }
      await sleep(PAUSE_MS)
    }
  }

  /** As `look`, for a caller that is the only writer to Placement. */
  async lookAlone(subjects: Iterable<string>): Promise<void> {
    const read = await this.#read(new Set([...subjects].filter(isUuid).slice(0, PROVIDERS_MAX))).catch(
      () => null,
    )
    if (read !== null) this.note(read)
  }

  async #read(providers: ReadonlySet<string>): Promise<Map<string, Amounts>> {
    const api = await this.#parts.connect()
    const found = new Map<string, Amounts>()
    for (const uuid of providers)
      try {
        found.set(uuid, await readOrphaned(api, uuid, (await readHolders(api, uuid)).held))
      } catch (error) {
        if (!isRefused(error, 404)) throw error
        found.set(uuid, new Map())
      }
    return found
  }

  get size(): number {
    return this.#byProvider.size
  }

  /** Whether these providers have usage without a consumer, of any class or of these. */
  hasSome(subjects: ReadonlySet<string>, classes: ReadonlySet<string> | null = null): boolean {
    return this.#byProvider
      .entries()
      .some(
        ([uuid, amounts]) =>
          subjects.has(uuid) && (classes === null || amounts.keys().some(name => classes.has(name))),
      )
  }

  /** What the operator has to do about orphans of these providers; null if there are none. */
  describe(subjects: Iterable<string>): string | null {
    const found = [...subjects].flatMap(uuid => {
      const amounts = this.#byProvider.get(uuid)
      return amounts === undefined ? [] : [`${describeAmounts(amounts)} of provider ${uuid}`]
    })
    if (found.length === 0) return null
    return (
      `Placement has lost the consumer of ${found.join(', ')}: ` +
      'run placement-manage db online_data_migrations, which makes it visible again'
    )
  }
}

const describeAmounts = (amounts: Amounts = new Map()): string =>
  [...amounts].map(([name, used]) => `${used} ${name}`).join(' and ')
