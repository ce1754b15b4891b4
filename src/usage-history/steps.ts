/** Steps of time that usage is kept in. All begin at multiples of their length since 1970. */

export const MINUTE_MS = 60_000
/** Aggregates and hosts are sampled less often than zones: there are many more of them. */
export const TEN_MINUTES_MS = 10 * MINUTE_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const startOfStep = (atMs: number, stepMs: number): number => Math.floor(atMs / stepMs) * stepMs
