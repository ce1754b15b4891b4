import { useEffect, useMemo, useReducer, useRef } from 'react'

/** Work that can be paused and resumed: it yields often, and returns its result. */
export type Work<Result> = Generator<void, Result, void>

/** One slice per frame at most, so that the page stays responsive. */
const SLICE_MS = 5
const PAUSE_MS = 12
/** How many small steps run between two readings of the clock. */
const STEPS = 512

interface Task<Result> {
  readonly work: Work<Result>
  result: Result | null
  isDone: boolean
}

function advance<Result>(task: Task<Result>, ms: number): void {
  const endMs = performance.now() + ms
  while (!task.isDone && performance.now() < endMs) {
    const { done, value } = task.work.next()
    if (done !== true) continue
    task.isDone = true
    task.result = value
  }
}

/**
 * The result of a piece of work, computed again when a dependency changes. Short work runs at once; during
 * longer work the last result is shown (null at first).
 */
export function useSliced<Result>(
  begin: () => Work<Result>,
  dependencies: readonly unknown[],
): { readonly result: Result | null; readonly isBusy: boolean } {
  const last = useRef<Result | null>(null)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const task = useMemo(() => {
    const begun: Task<Result> = { work: begin(), result: null, isDone: false }
    advance(begun, SLICE_MS)
    return begun
  }, dependencies)
  useEffect(() => {
    if (task.isDone) return
    let timer = setTimeout(function go() {
      advance(task, SLICE_MS)
      if (task.isDone) redraw()
      else timer = setTimeout(go, PAUSE_MS)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [task])
  if (task.isDone) last.current = task.result
  return { result: last.current, isBusy: !task.isDone }
}

export function* filtered<Item>(items: Iterable<Item>, fits: (item: Item) => boolean): Work<Item[]> {
  const found: Item[] = []
  let steps = 0
  for (const item of items) {
    if (fits(item)) found.push(item)
    if (++steps % STEPS === 0) yield
  }
  return found
}

/** A stable sort by a key: the engine sorts runs, which are then merged. */
export function* sorted<Item>(items: readonly Item[], keyOf: (item: Item) => string | number): Work<Item[]> {
  const keys: (string | number)[] = new Array(items.length)
  let order = new Uint32Array(items.length)
  for (let at = 0; at < items.length; at++) {
    keys[at] = keyOf(items[at] as Item)
    order[at] = at
    if (at % STEPS === 0) yield
  }
  const isBefore = (one: number, other: number) => (keys[one] as string) < (keys[other] as string)
  const compare = (one: number, other: number) =>
    isBefore(one, other) ? -1 : isBefore(other, one) ? 1 : one - other
  for (let start = 0; start < order.length; start += STEPS) {
    order.subarray(start, start + STEPS).sort(compare)
    yield
  }
  let merged = new Uint32Array(order.length)
  for (let width = STEPS; width < order.length; width *= 2) {
    yield* mergeRuns(order, merged, width, isBefore)
    ;[order, merged] = [merged, order]
  }
  return Array.from(order, at => items[at] as Item)
}

function* mergeRuns(
  from: Uint32Array,
  to: Uint32Array,
  width: number,
  isBefore: (one: number, other: number) => boolean,
): Work<void> {
  let steps = 0
  for (let start = 0; start < from.length; start += 2 * width) {
    const middle = Math.min(start + width, from.length)
    const end = Math.min(start + 2 * width, from.length)
    let [left, right] = [start, middle]
    for (let at = start; at < end; at++) {
      const isRight =
        left === middle || (right < end && isBefore(from[right] as number, from[left] as number))
      to[at] = from[isRight ? right++ : left++] as number
      if (++steps % STEPS === 0) yield
    }
  }
}
