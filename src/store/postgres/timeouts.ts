/** How long what may take. */
export interface Timeouts {
  /** To connect, to get the head lock, to answer. */
  readonly answerMsMax: number
  /** A server that holds the lock and says nothing loses it after so long. */
  readonly frozenMsMax: number
}

/** The database gives up first and says so; we hang up when it does not. */
const SLACK_MS = 500

export const answerLimit = ({ answerMsMax }: Timeouts): number => answerMsMax + SLACK_MS

/** First the lock, then what was missed meanwhile. */
export const turnLimit = ({ answerMsMax }: Timeouts): number => 2 * answerMsMax + SLACK_MS
