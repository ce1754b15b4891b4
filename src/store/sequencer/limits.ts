export interface SequencerLimits {
  readonly commandsPerBatchMax: number
  /** A batch closes when it has this many row ops; a command with more goes alone. */
  readonly opsPerBatchMax: number
  readonly waitingMax: number
  /** How long commands wait for the outcome of a batch; null is unlimited. The batch itself continues. */
  readonly outcomeMsMax: number | null
}

export const LIMITS: SequencerLimits = {
  commandsPerBatchMax: 512,
  opsPerBatchMax: 20_000,
  waitingMax: 50_000,
  outcomeMsMax: null,
}
