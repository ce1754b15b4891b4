export interface Timeouts {
  /** To connect, to get the head lock, to answer. */
  readonly answerMsMax: number
  /** A server that holds the lock and says nothing loses it after this time. */
  readonly frozenMsMax: number
}

/** The database times out first and reports it; we close the connection if it does not. */
const SLACK_MS = 500

export const answerLimit = ({ answerMsMax }: Timeouts): number => answerMsMax + SLACK_MS

/** First the lock, then the missed changes. */
export const computeTurnLimit = ({ answerMsMax }: Timeouts): number => 2 * answerMsMax + SLACK_MS
