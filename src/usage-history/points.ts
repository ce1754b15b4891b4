/** Usage of one class during one step of time: of a single sample, or of all samples of an hour or a day. */
export interface Point {
  /** At the last sample. */
  readonly capacity: number
  /** Sum over all samples, from which the mean is computed. */
  readonly sum: number
  readonly min: number
  readonly max: number
  readonly samples: number
}

/** The points of one scope and step, by resource class. */
export type Points = ReadonlyMap<string, Point>

export const pointOf = (capacity: number, used: number): Point => ({
  capacity,
  sum: used,
  min: used,
  max: used,
  samples: 1,
})

/** One point of two, the later one second. */
export function joinPoints(first: Point | undefined, second: Point): Point {
  if (first === undefined) return second
  return {
    capacity: second.capacity,
    sum: first.sum + second.sum,
    min: Math.min(first.min, second.min),
    max: Math.max(first.max, second.max),
    samples: first.samples + second.samples,
  }
}

/** A class that is in only one of the two stays as it is. */
export function joinAll(first: Points | null, second: Points): Points {
  if (first === null) return second
  const joined = new Map(first)
  for (const [name, point] of second) joined.set(name, joinPoints(first.get(name), point))
  return joined
}

type Encoded = readonly [capacity: number, sum: number, min: number, max: number, samples: number]

export const encodePoints = (points: Points): string =>
  JSON.stringify(
    Object.fromEntries(
      [...points].map(([name, { capacity, sum, min, max, samples }]) => [
        name,
        [capacity, sum, min, max, samples],
      ]),
    ),
  )

export function decodePoints(text: string): Points {
  const encoded = JSON.parse(text) as Readonly<Record<string, Encoded>>
  return new Map(
    Object.entries(encoded).map(([name, [capacity, sum, min, max, samples]]) => [
      name,
      { capacity, sum, min, max, samples },
    ]),
  )
}
