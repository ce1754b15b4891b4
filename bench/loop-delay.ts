/**
 * Loaded into a measured server (`node --import`): on SIGUSR2 it writes how late the event loop was since the last
 * time, in ms, to the file of LOOP_DELAY_FILE.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface LoopDelay {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const RESOLUTION_MS = 2
const file = process.env.LOOP_DELAY_FILE
if (file !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  // What it records is the whole interval of a timer.
  const toMs = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS)
  process.on('SIGUSR2', () => {
    const delay: LoopDelay = {
      p50Ms: toMs(histogram.percentile(50)),
      p99Ms: toMs(histogram.percentile(99)),
      maxMs: toMs(histogram.max),
    }
    histogram.reset()
    writeFileSync(`${file}.new`, JSON.stringify(delay))
    renameSync(`${file}.new`, file)
  })
}
