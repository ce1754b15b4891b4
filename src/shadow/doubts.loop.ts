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
  /** A number that changes with every write; null while one about these is under way. */
  readonly stillness: (subjects: ReadonlySet<string>) => number | null
  /** Everything has to be compared. */
  readonly sweepAll: (why: string) => void
}

interface Doubt {
  readonly subjects: ReadonlySet<string>
  readonly why: string
  tries: number
  /** How often the repair was refused. */
  refused: number
}

const DOUBTS_MAX = 5_000
/** After that many tries it is left to the sweep. */
const TRIES_MAX = 200
/** Placement may accept a repair that it refused once something else is repaired. */
const REFUSED_MAX = 3
/** Read together, while that succeeds: what they share is then read once. */
const TOGETHER_MAX = 64
const PAUSE_MS = 20
const PAUSE_MS_MAX = 2_000

/**
 * Things whose two sides may differ, because an outcome or an order is not known: they are read from both, and the side that does not
 * answer writes is made equal.
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

  /** Those that are looked at just now count as well. */
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
    // The same things are often in doubt again before anybody looked.
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

  /** The first, and those after it about which no write is under way either. */
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

  /** False: to be tried again later. */
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
    // One of them is the reason: each is tried by itself.
    if (isRefused && some.length > 1) return false
    noteRepair(report, checked, why, side)
    return !isRefused || some.every(one => ++one.refused === REFUSED_MAX)
  }
}

/** Notes what was repaired. */
export function noteRepair(report: ShadowReport, checked: Checked, why: string, truth: Side): void {
  if (checked.kind !== 'differed') return
  const other = truth === 'placement' ? 'berth' : 'placement'
  const text = describeDifferences(checked.differences)
  if (checked.failure === null) report.repaired(why, text, other)
  else report.repaired(`${why}; not repaired: ${checked.failure}`, text, null)
}

const DIFFERENCES_SHOWN = 10

function describeDifferences(differences: readonly LedgerDifference[]): string {
  const shown = differences.slice(0, DIFFERENCES_SHOWN).map(describeDifference)
  const left = differences.length - shown.length
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('; ')
}

const describeDifference = ({ kind, name, key, field, left, right }: LedgerDifference): string =>
  `${kind.replace('_', ' ')} ${name}${name === key ? '' : ` (${key})`}: ${field} is ${JSON.stringify(left)} in Placement, ${JSON.stringify(right)} in Berth`
