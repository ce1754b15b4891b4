import { expect, test } from 'vitest'
import { betterRun, framesOf, isWithin, type TraceEvent } from './frames.ts'

const main = { pid: 1, tid: 1 }
const named = { ...main, name: 'thread_name', ph: 'M', ts: 0, args: { name: 'CrRendererMain' } }

/** In milliseconds; `cpu` is what it took on the processor. */
const task = (at: number, lasts: number, cpu: number, where = main): TraceEvent => ({
  ...where,
  name: 'RunTask',
  ph: 'X',
  ts: at * 1000,
  dur: lasts * 1000,
  tdur: cpu * 1000,
})
const frame = (at: number): TraceEvent => ({ ...main, name: 'FireAnimationFrame', ph: 'X', ts: at * 1000 })

test('the work of a frame is all that is done until the next one begins, in processor time', () => {
  const events = [
    ...[named, task(0, 4, 3), frame(1), task(6, 5, 5)],
    // Other programs stretched it: it took 20 ms and worked for 8.
    ...[task(16, 20, 8), frame(17), task(40, 30, 25)],
    ...[task(80, 3, 2), frame(81)],
  ]
  expect(framesOf(events)).toEqual({ busy: 3, medianMs: 8, p95Ms: 33, longestMs: 33, late: 1 })
})

test('idle frames, other threads and what was before the first frame do not count', () => {
  const other = { pid: 1, tid: 2 }
  const events = [
    ...[named, task(0, 40, 40), task(50, 1, 0.5), frame(50.2), task(51, 40, 40, other)],
    ...[task(66, 5, 4), frame(67), task(83, 1, 0.3), frame(83.1)],
  ]
  expect(framesOf(events)).toEqual({ busy: 1, medianMs: 4, p95Ms: 4, longestMs: 4, late: 0 })
})

test('a trace without frames is no measurement', () => {
  expect(() => framesOf([named, task(0, 5, 5)])).toThrow('no frames')
})

test('of two runs the one counts whose worse figure is better, not the one with the better p95', () => {
  const run = (p95Ms: number, longestMs: number) => ({ busy: 1, medianMs: 1, late: 0, p95Ms, longestMs })
  const [late, stuck, good] = [run(18, 30), run(10, 90), run(16, 49)]
  expect([late, stuck, good].map(isWithin)).toEqual([false, false, true])
  expect(betterRun(late, stuck)).toBe(late)
  expect(betterRun(stuck, late)).toBe(late)
  expect(betterRun(late, good)).toBe(good)
})
