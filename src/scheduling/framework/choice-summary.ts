import type { FunnelStep } from './pipeline.ts'

/** How many of the best hosts or pools are remembered, and tried again if the best is gone. */
export const TOP_MAX = 20

/** How a host or pool was chosen: what a decision keeps of it. */
export interface ChoiceSummary {
  readonly candidates: number
  readonly truncated: boolean
  readonly searchExhausted: boolean
  readonly funnel: readonly FunnelStep[]
  /** The best that passed. */
  readonly top: readonly { readonly host: string; readonly provider: string; readonly weight: number }[]
}
