/** The results of the runs, and how a figure is judged. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { LoopDelay } from './loop-delay.ts'
import type { Figures } from './measure.ts'
import type { StreamFigures } from './open-loop.ts'

export interface Run {
  readonly at: string
  readonly machine: string
  /** Small writes a second that the disk syncs, one after the other, before and after. */
  readonly syncsPerSecond: readonly [number, number]
  readonly loadAverage: number
}

export interface Judged {
  readonly what: string
  readonly figure: number
  readonly unit: string
  /** At least, or at most; null: there is no goal. */
  readonly bound: { readonly min: number } | { readonly max: number | null }
  readonly note?: string
  /** Of a run beside Placement, on which cloud. */
  readonly cloud?: string
}

export interface SizeFigures {
  readonly shape: string
  readonly hosts: number
  readonly scenario: string
  readonly items: number
  readonly one: Figures
  readonly eight: Figures
}

export interface AloneResults extends Run {
  readonly reads: readonly SizeFigures[]
  readonly claims: readonly { readonly hosts: number; readonly clients: number; readonly figures: Figures }[]
  readonly bulk: { readonly lines: number; readonly wallMs: number }
  readonly start: {
    readonly wallMs: number
    readonly cpuMs: number
    readonly providers: number
    readonly allocations: number
    readonly residentBytes: number
    readonly stateBytesPerProvider: number
    readonly summaryBytesPerProvider: number
    readonly stateBytesOfFull: number
  }
  readonly decisions: readonly { readonly name: string; readonly cpuMs: number }[]
  readonly judged: readonly Judged[]
}

/** What one server took, and how many candidates it gave. */
export interface Side extends Figures {
  readonly items: number
}

export interface PeerScenario {
  readonly shape: string
  readonly hosts: number
  readonly scenario: string
  /** Placement as Debian ships it; null for what it does not finish. */
  readonly peer: Side | null
  /** Upstream's newest, tuned; null if it was not measured. */
  readonly newest: Side | null
  readonly berth: Side
  /** Servers that have an answer of as many bytes ready; null if there is none. */
  readonly ready: { readonly http: Figures; readonly socket: Figures } | null
}

export interface PeerResults extends Run {
  /** The version of upstream's newest; null if it was not measured. */
  readonly newestVersion: string | null
  readonly scenarios: readonly PeerScenario[]
  readonly judged: readonly Judged[]
}

export interface LoadResults extends Run {
  readonly mixed: readonly {
    readonly hosts: number
    readonly readsAlone: Figures
    readonly claimsAlone: Figures
    /** Both at the same time. */
    readonly reads: Figures
    readonly claims: Figures
    /** At the same time, by two processes. */
    readonly readsApart: Figures
    readonly claimsApart: Figures
    readonly loopDelay: LoopDelay
  }[]
  /** Null if it was not measured. */
  readonly overload: {
    /** Requests a second of 64 clients. */
    readonly capacity: number
    readonly forMs: number
    readonly streams: readonly StreamFigures[]
    readonly answeredPerSecond: number
    readonly health: LoopDelay
    readonly residentGrowthBytes: number
  } | null
  readonly judged: readonly Judged[]
}

export interface MillionResults extends Run {
  readonly hosts: number
  readonly importMs: number
  readonly start: { readonly wallMs: number; readonly cpuMs: number }
  /** After the start, and after reads and claims. */
  readonly residentBytes: number
  readonly residentUsedBytes: number
  readonly storedBytes: number
  readonly providers: number
  readonly consumers: number
  readonly allocations: number
  readonly stateBytes: number
  readonly summaryBytes: number
  readonly reads: readonly { readonly name: string; readonly small: Figures; readonly big: Figures }[]
  readonly claims: { readonly small: Figures; readonly big: Figures }
  readonly judged: readonly Judged[]
}

/** Explanations, what-ifs, starts. */
export interface AnswersResults extends Run {
  readonly judged: readonly Judged[]
  /** The first requests of a server, by their number. */
  readonly early: readonly {
    readonly from: number
    readonly to: number
    readonly p50Ms: number
    readonly p99Ms: number
    readonly cpuMs: number
  }[]
}

/** Null: not measured yet. */
export interface DecisionRow {
  readonly hosts: number
  /** CPU of a choice and its claim, without HTTP and store. */
  readonly choice: { readonly now: number; readonly before: number | null } | null
  /** As many requests as the server answers, and half as many. */
  readonly server: {
    readonly full: Figures
    readonly half: Figures
    readonly fullBefore: Figures | null
  } | null
}

export interface ScheduleResults extends Run {
  readonly rows: readonly DecisionRow[]
  readonly judged: readonly Judged[]
}

interface AllResults {
  readonly alone: AloneResults
  readonly peer: PeerResults
  readonly load: LoadResults
  readonly million: MillionResults
  readonly answers: AnswersResults
  readonly schedule: ScheduleResults
}

const directory = new URL('results/', import.meta.url)

export function keep<K extends keyof AllResults>(name: K, results: AllResults[K]): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(new URL(`${name}.json`, directory), `${JSON.stringify(results, roundedNumber, 2)}\n`)
}

export function readResults<K extends keyof AllResults>(name: K): AllResults[K] {
  return JSON.parse(readFileSync(new URL(`${name}.json`, directory), 'utf8'))
}

/** Four digits are enough. */
const roundedNumber = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value

export const isReached = ({ figure, bound }: Judged): boolean =>
  'min' in bound ? figure >= bound.min : figure <= (bound.max ?? Number.POSITIVE_INFINITY)

export const formatNumber = (value: number): string =>
  value >= 100
    ? Math.round(value).toLocaleString('en')
    : value >= 10
      ? value.toFixed(1)
      : value >= 1
        ? value.toFixed(2)
        : value.toFixed(3)

/** Measured and told, without a goal. */
const isFree = (bound: Judged['bound']): boolean => 'max' in bound && bound.max === null

const renderBound = (bound: Judged['bound']): string => {
  if (isFree(bound)) return ''
  return 'min' in bound
    ? `at least ${formatNumber(bound.min)}`
    : `at most ${formatNumber(bound.max as number)}`
}

export function judgedTable(judged: readonly Judged[]): string[][] {
  return judged.map(one => [
    one.what,
    `${formatNumber(one.figure)} ${one.unit}`.trim(),
    renderBound(one.bound),
    [...(isFree(one.bound) ? [] : [isReached(one) ? 'reached' : 'not reached']), one.note ?? []]
      .flat()
      .join('; '),
  ])
}
