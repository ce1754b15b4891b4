/** Code gets the time as an argument; only this interface knows its source. */
export interface Clock {
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }
