export interface SequencerLimits {
  readonly commandsPerBatchMax: number
  /** A batch closes once it holds so many row ops; one command that has more goes alone. */
  readonly opsPerBatchMax: number
  readonly waitingMax: number
  /** Nobody waits longer for the outcome of a batch; null is as long as it takes. The batch itself is not given up. */
  readonly outcomeMsMax: number | null
}

export const LIMITS: SequencerLimits = {
  commandsPerBatchMax: 512,
  opsPerBatchMax: 20_000,
  waitingMax: 50_000,
  outcomeMsMax: null,
}
