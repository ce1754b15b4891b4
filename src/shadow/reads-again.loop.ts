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
  /** Changes with every write; null while a write is under way or the ledgers may differ. */
  readonly stillness: () => string | null
}

interface WaitingRead {
  readonly request: KeptRequest
  tries: number
  /** How often the answers differed without a write under way. Once is not enough: another process may have written. */
  differed: number
}

const DIFFERED_MIN = 2

/**
 * Repeats reads that the sides answered differently while no write is under way. Only a difference then counts, because the ledger may
 * have changed between the first two answers.
 */
export class ReadsAgain {
  readonly #parts: AgainParts
  readonly #waiting: WaitingRead[] = []
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

  /** False if it has to be tried again. */
  async #ask(one: WaitingRead): Promise<boolean> {
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
    report.addDifference(one.request, difference, known, theirs, ours)
    return true
  }

  /** Counts a try; true after the last one. */
  #giveUp({ request, tries }: WaitingRead): boolean {
    if (tries < TRIES_MAX) return false
    this.#parts.report.count(request, 'raced')
    return true
  }
}
