/** Time arrives as an argument; only this interface knows where it comes from. */
export interface Clock {
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }
