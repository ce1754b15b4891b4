import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../world/world.ts'
import type { KeptRequest } from './exchange.ts'
import { explainDifference } from './known-bugs.ts'
import type { Orphans } from './orphans.ts'
import type { ShadowReport } from './report.ts'
import { askInVersionOf, type Sides } from './sides.ts'
import { listSubjects } from './subjects.ts'

const WAITING_MAX = 500
const TRIES_MAX = 40
const PAUSE_MS = 50

interface AgainParts {
  readonly world: World
  readonly sides: Sides
  readonly report: ShadowReport
  readonly orphans: Orphans
  /** Changes with every write; null while one is under way or the ledgers are not known to be equal. */
  readonly stillness: () => string | null
}

interface Waiting {
  readonly request: KeptRequest
  tries: number
  /** How often it differed with nothing under way. A process beside this one may have written: once is not enough. */
  differed: number
}

const DIFFERED_MIN = 2

/**
 * Asks both sides again what they answered differently, while no write is under way. Only what differs then counts: the first time
 * something may have changed in between.
 */
export class ReadsAgain {
  readonly #parts: AgainParts
  readonly #waiting: Waiting[] = []
  #isRunning = false
  #isStopped = false

  constructor(parts: AgainParts) {
    this.#parts = parts
  }

  get length(): number {
    return this.#waiting.length
  }

  stop(): void {
    this.#isStopped = true
  }

  add(request: KeptRequest): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.#parts.report.count(request, 'skipped')
      return
    }
    this.#waiting.push({ request, tries: 0, differed: 0 })
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run()
  }

  async #run(): Promise<void> {
    for (
      let one = this.#waiting.shift();
      one !== undefined && !this.#isStopped;
      one = this.#waiting.shift()
    ) {
      const isSettled = await this.#ask(one).catch(() => this.#giveUp(one))
      if (isSettled) continue
      this.#waiting.push(one)
      await sleep(PAUSE_MS)
    }
    this.#isRunning = false
  }

  /** False: to be tried again later. */
  async #ask(one: Waiting): Promise<boolean> {
    const { sides, report, stillness, world } = this.#parts
    one.tries++
    const before = stillness()
    if (before === null) return this.#giveUp(one)
    const theirs = await sides.askTheirs(one.request)
    const request = askInVersionOf(one.request, theirs)
    const ours = await sides.askOurs(request, 'real')
    const difference = await sides.compareRead(request, theirs, ours)
    if (difference === null) {
      report.count(one.request, 'equal')
      return true
    }
    if (stillness() !== before) return this.#giveUp(one)
    if (++one.differed < DIFFERED_MIN) return false
    const subjects = listSubjects(world, request.path, request.body)
    const known = await explainDifference(this.#parts, request, subjects, theirs, ours)
    report.differ(one.request, difference, known, theirs, ours)
    return true
  }

  /** True after the last try. */
  #giveUp({ request, tries }: Waiting): boolean {
    if (tries < TRIES_MAX) return false
    this.#parts.report.count(request, 'raced')
    return true
  }
}
