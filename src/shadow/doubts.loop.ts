import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerDifference } from '../openstack/placement/compare.ts'
import type { Checked, Repair } from './repair.ts'
import type { ShadowReport } from './report.ts'
import type { Side } from './rules.ts'
import { EVERYTHING, overlap } from './subjects.ts'

interface DoubtParts {
  readonly repair: Repair
  readonly report: ShadowReport
  readonly truth: () => Side
  /** A number that changes with every write; null while a write about these is under way. */
  readonly stillness: (subjects: ReadonlySet<string>) => number | null
  /** Starts a comparison of everything. */
  readonly sweepAll: (why: string) => void
}

interface Doubt {
  readonly subjects: ReadonlySet<string>
  readonly why: string
  tries: number
  /** How many repairs were refused. */
  refused: number
}

const DOUBTS_MAX = 5_000
/** After this many tries the sweep takes over. */
const TRIES_MAX = 200
/** A refused repair is tried again, as it may depend on another one. */
const REFUSED_MAX = 3
/** At most this many are read together, so that what they share is read once. */
const TOGETHER_MAX = 64
const PAUSE_MS = 20
const PAUSE_MS_MAX = 2_000

/**
 * Providers and consumers that may differ between the two sides, because the outcome or the order of writes is unknown. Reads them from
 * both, and makes the side that does not answer writes equal to the other.
 */
export class Doubts {
  readonly #parts: DoubtParts
  readonly #waiting: Doubt[] = []
  #isRunning = false
  #isStopped = false
  #current: readonly Doubt[] = []
  #together = 1

  constructor(parts: DoubtParts) {
    this.#parts = parts
  }

  /** Includes those that are being compared. */
  get length(): number {
    return this.#waiting.length + this.#current.length
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Whether some of these are in doubt. */
  hasAny(subjects: ReadonlySet<string>): boolean {
    return [...this.#current, ...this.#waiting].some(one => overlap(one.subjects, subjects))
  }

  add(subjects: ReadonlySet<string>, why: string): void {
    if (subjects.has(EVERYTHING) || this.#waiting.length >= DOUBTS_MAX) {
      this.#parts.sweepAll(why)
      return
    }
    // Often the same things are waiting already.
    if (this.#waiting.some(one => one.tries === 0 && subjects.isSubsetOf(one.subjects))) return
    this.#waiting.push({ subjects, why, tries: 0, refused: 0 })
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run()
  }

  async #run(): Promise<void> {
    let inRow = 0
    while (this.#waiting.length > 0 && !this.#isStopped) {
      const some = this.#takeNext()
      this.#current = some
      const isSettled = await this.#settle(some).catch(() => false)
      this.#current = []
      inRow = isSettled ? 0 : inRow + 1
      this.#together = isSettled ? Math.min(2 * this.#together, TOGETHER_MAX) : 1
      if (isSettled) continue
      for (const one of some) this.#tryLater(one)
      await sleep(Math.min(PAUSE_MS * inRow, PAUSE_MS_MAX))
    }
    this.#isRunning = false
  }

  /** The first, with those after it that no write is under way about. */
  #takeNext(): readonly Doubt[] {
    const [first, ...others] = this.#waiting.splice(0, this.#together) as [Doubt, ...Doubt[]]
    const { yes = [], no = [] } = Object.groupBy(others, ({ subjects }) =>
      this.#parts.stillness(subjects) === null ? 'no' : 'yes',
    )
    this.#waiting.push(...no)
    return [first, ...yes]
  }

  #tryLater(one: Doubt): void {
    if (++one.tries < TRIES_MAX) this.#waiting.push(one)
    else this.#parts.sweepAll(`${one.why}, and it never stood still`)
  }

  /** False if it has to be tried again. */
  async #settle(some: readonly Doubt[]): Promise<boolean> {
    const subjects = new Set(some.flatMap(one => [...one.subjects]))
    const why = [...new Set(some.map(one => one.why))].join('; ')
    const { repair, report, stillness, truth } = this.#parts
    const before = stillness(subjects)
    if (before === null) return false
    const side = truth()
    const checked = await repair.repair(subjects, side, () => stillness(subjects) === before)
    if (checked.kind === 'moved') return false
    const isRefused = checked.kind === 'differed' && checked.failure !== null
    // One of them is the reason, so each is tried alone.
    if (isRefused && some.length > 1) return false
    noteRepair(report, checked, why, side)
    return !isRefused || some.every(one => ++one.refused === REFUSED_MAX)
  }
}

/** Reports a repair, or why it failed. */
export function noteRepair(report: ShadowReport, checked: Checked, why: string, truth: Side): void {
  if (checked.kind !== 'differed') return
  const other = truth === 'placement' ? 'berth' : 'placement'
  const text = describeDifferences(checked.differences)
  if (checked.failure === null) report.addRepair(why, text, other)
  else report.addRepair(`${why}; not repaired: ${checked.failure}`, text, null)
}

const DIFFERENCES_SHOWN = 10

function describeDifferences(differences: readonly LedgerDifference[]): string {
  const shown = differences.slice(0, DIFFERENCES_SHOWN).map(describeDifference)
  const left = differences.length - shown.length
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('; ')
}

const describeDifference = ({ kind, name, key, field, left, right }: LedgerDifference): string =>
  `${kind.replace('_', ' ')} ${name}${name === key ? '' : ` (${key})`}: ${field} is ${JSON.stringify(left)} in Placement, ${JSON.stringify(right)} in Berth`
