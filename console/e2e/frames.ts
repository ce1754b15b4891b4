/** What the main thread of a page does between one frame and the next, read from a trace of the browser. */
import type { Browser, Page } from 'playwright-core'

export interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  /** Time on the processor, which other programs on the machine do not stretch. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

export interface Frames {
  /** Those in which there was something to do. */
  readonly busy: number
  readonly medianMs: number
  readonly p95Ms: number
  readonly longestMs: number
  /** Longer than a frame at 60 a second. */
  readonly late: number
}

const FRAME_MS = 1000 / 60
/** Nineteen frames of twenty are in time, and none keeps somebody waiting. */
export const BUDGET = { p95Ms: FRAME_MS, longestMs: 50 }

/** How much of its budget the worse of both figures takes: above 1 it is exceeded. */
const share = ({ p95Ms, longestMs }: Frames): number =>
  Math.max(p95Ms / BUDGET.p95Ms, longestMs / BUDGET.longestMs)

export const isWithin = (frames: Frames): boolean => share(frames) <= 1

/** Of two runs the one whose worse figure is better. Figures of different runs are never put together. */
export const betterRun = (one: Frames, other: Frames): Frames => (share(other) < share(one) ? other : one)

/** What an animation that draws nothing takes is no work. */
const IDLE_MS = 1

/**
 * An animation runs all the while, so that a frame is due 60 times a second. All that the main thread does from the start
 * of one to the start of the next, scripts, style, layout and paint, is the work of a frame, in processor time.
 */
export async function framesWhile(
  browser: Browser,
  page: Page,
  act: () => Promise<unknown>,
): Promise<Frames> {
  await page.evaluate(() => {
    const state = globalThis as unknown as { isTraced: boolean }
    state.isTraced = true
    const turn = () => state.isTraced && requestAnimationFrame(turn)
    turn()
  })
  await page.waitForTimeout(200)
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'devtools.timeline.frame', 'disabled-by-default-devtools.timeline'],
  })
  await act()
  await page.waitForTimeout(300)
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  await page.evaluate(() => Object.assign(globalThis, { isTraced: false }))
  return framesOf(trace.traceEvents)
}

export function framesOf(events: readonly TraceEvent[]): Frames {
  const onMain = eventsOfPage(events)
  const firesUs = onMain.filter(({ name }) => name === 'FireAnimationFrame').map(({ ts }) => ts)
  if (firesUs.length < 2) throw new Error('the trace has no frames')
  firesUs.sort(ascending)
  const works: number[] = []
  const tasks = onMain.filter(({ name, ph }) => name === 'RunTask' && ph === 'X')
  let fire = 0
  for (const { ts, dur = 0, tdur = dur } of tasks.sort((one, other) => one.ts - other.ts)) {
    // The task in which the animation is turned is where a frame begins.
    const before = fire
    while ((firesUs[fire] ?? Number.POSITIVE_INFINITY) <= ts + dur) fire++
    if (fire > before) works.push(0)
    if (works.length > 0) works[works.length - 1] = (works.at(-1) as number) + tdur / 1000
  }
  const busy = works.filter(ms => ms > IDLE_MS).sort(ascending)
  const share = (part: number) => busy[Math.ceil(busy.length * part) - 1] ?? 0
  return {
    busy: busy.length,
    medianMs: share(0.5),
    p95Ms: share(0.95),
    longestMs: share(1),
    late: busy.filter(ms => ms > FRAME_MS).length,
  }
}

/** Of the process that draws the page: a browser keeps others in reserve. */
function eventsOfPage(events: readonly TraceEvent[]): TraceEvent[] {
  const mains = events
    .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
    .map(({ pid, tid }) => events.filter(event => event.pid === pid && event.tid === tid))
  return mains.sort((one, other) => other.length - one.length)[0] ?? []
}

const ascending = (one: number, other: number) => one - other
