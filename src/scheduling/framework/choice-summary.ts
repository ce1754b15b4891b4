import type { FunnelStep } from './pipeline.ts'

/** How many of the best hosts or pools are recorded. They are tried in turn if the best has become full. */
export const TOP_MAX = 20

/** So many of the best also have what each weigher gave them. */
export const PARTS_MAX = 5

/** Rounded as it is kept: enough to compare. */
export const roundPart = (weight: number): number => Math.round(weight * 10_000) / 10_000

/** How a host or pool was chosen, as recorded with a decision. */
export interface ChoiceSummary {
  readonly candidates: number
  readonly truncated: boolean
  readonly searchExhausted: boolean
  readonly funnel: readonly FunnelStep[]
  /** The weighers that counted, in the order of `parts`; absent in older decisions. */
  readonly weighers?: readonly string[]
  /** The best that passed. */
  readonly top: readonly {
    readonly host: string
    readonly provider: string
    readonly weight: number
    /** What each weigher gave it. */
    readonly parts?: readonly number[]
    /** The same in words, where a weigher says it. */
    readonly texts?: readonly (string | null)[]
  }[]
}
