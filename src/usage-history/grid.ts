import { joinPoints, type Point } from './points.ts'
import { startOfStep } from './steps.ts'

/** Equal steps of time; a step without a sample is null, so that gaps show. */
export interface Grid {
  readonly fromMs: number
  readonly stepMs: number
  readonly steps: number
}

/** The steps from a time until now, some of `baseMs` joined to one so that there are at most `stepsMax`. */
export function chooseGrid(spanMs: number, baseMs: number, stepsMax: number, nowMs: number): Grid {
  const stepMs = baseMs * Math.max(1, Math.ceil(spanMs / baseMs / stepsMax))
  const fromMs = startOfStep(nowMs - spanMs, stepMs) + stepMs
  return { fromMs, stepMs, steps: (startOfStep(nowMs, stepMs) - fromMs) / stepMs + 1 }
}

/** Joins points, oldest first, into the steps of a grid. */
export function fillGrid(
  { fromMs, stepMs, steps }: Grid,
  points: Iterable<readonly [atMs: number, point: Point]>,
): (Point | null)[] {
  const filled = new Array<Point | null>(steps).fill(null)
  for (const [atMs, point] of points) {
    const at = Math.floor((atMs - fromMs) / stepMs)
    if (at >= 0 && at < steps) filled[at] = joinPoints(filled[at] ?? undefined, point)
  }
  return filled
}
