/** The results of the two runs, and how a figure is judged. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Figures } from './measure.ts'

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
  /** At least, or at most. */
  readonly bound: { readonly min: number } | { readonly max: number }
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

const directory = new URL('results/', import.meta.url)

export function keep(name: 'alone' | 'peer', results: AloneResults | PeerResults): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(new URL(`${name}.json`, directory), `${JSON.stringify(results, roundedNumber, 2)}\n`)
}

export function readResults(name: 'alone'): AloneResults
export function readResults(name: 'peer'): PeerResults
export function readResults(name: string): AloneResults | PeerResults {
  return JSON.parse(readFileSync(new URL(`${name}.json`, directory), 'utf8'))
}

/** Four digits are enough. */
const roundedNumber = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value

export const isReached = ({ figure, bound }: Judged): boolean =>
  'min' in bound ? figure >= bound.min : figure <= bound.max

export const formatNumber = (value: number): string =>
  value >= 100
    ? Math.round(value).toLocaleString('en')
    : value >= 10
      ? value.toFixed(1)
      : value >= 1
        ? value.toFixed(2)
        : value.toFixed(3)

export function judgedTable(judged: readonly Judged[]): string[][] {
  return judged.map(one => [
    one.what,
    `${formatNumber(one.figure)} ${one.unit}`.trim(),
    'min' in one.bound ? `at least ${formatNumber(one.bound.min)}` : `at most ${formatNumber(one.bound.max)}`,
    (isReached(one) ? 'reached' : 'not reached') + (one.note === undefined ? '' : `; ${one.note}`),
  ])
}
