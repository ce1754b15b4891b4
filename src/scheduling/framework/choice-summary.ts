import type { FunnelStep } from './pipeline.ts'

/** How many of the best hosts or pools are recorded, and tried if the best is full by then. */
export const TOP_MAX = 20

/** How a host or pool was chosen, as recorded with a decision. */
export interface ChoiceSummary {
  readonly candidates: number
  readonly truncated: boolean
  readonly searchExhausted: boolean
  readonly funnel: readonly FunnelStep[]
  /** The best that passed. */
  readonly top: readonly { readonly host: string; readonly provider: string; readonly weight: number }[]
}
