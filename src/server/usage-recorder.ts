import { AsyncLocalStorage } from 'node:async_hooks'
import { randomInt } from 'node:crypto'
import type { Log } from '../http/ops/log.ts'
import type { Registry } from '../http/ops/metrics.ts'
import { systemClock } from '../kernel/clock.ts'
import { type SampleOutcome, UsageRecorder } from '../usage-history/recorder.loop.ts'
import { Turns } from '../v1/api/in-turns.ts'
import type { ServerParts } from './compose.ts'
import type { Engine } from './engine.ts'

/** Processes that share a database record at different times of the minute, so that they seldom meet. */
const OFFSET_MS_MAX = 20_000

/** Null if usage is not recorded. */
export function newUsageRecorder(
  { world, sequencer, metrics }: Engine,
  { config, store, log }: ServerParts,
): UsageRecorder | null {
  if (!config.usage_history) return null
  // Belongs neither to a caller nor to a trace.
  const runOutside = AsyncLocalStorage.snapshot()
  return new UsageRecorder({
    world,
    store,
    put: rows => runOutside(() => sequencer.submit({ kind: 'usage-history:record' }, () => rows)),
    clock: systemClock,
    defaultZone: () => config.default_availability_zone,
    newTurns: () => new Turns(),
    offsetMs: store.isShared === true ? randomInt(OFFSET_MS_MAX) : 0,
    recorded: observeUsage(metrics, log),
  })
}

export function observeUsage(
  registry: Registry,
  log: Pick<Log, 'warn'>,
): (outcome: SampleOutcome, error: Error | null) => void {
  const samples = registry.counter(
    'berth_usage_samples_total',
    'Samples of usage for the history: `recorded` by this process, `present` if another had recorded the step, or `failed`.',
    ['outcome'],
  )
  let recordedMs = 0
  registry.gauge(
    'berth_usage_recorded_timestamp_seconds',
    'When this process last recorded usage, in seconds since 1970; 0 for never.',
    () => recordedMs / 1000,
  )
  let hasFailed = false
  return (outcome, error) => {
    samples.add([outcome])
    if (outcome === 'recorded') recordedMs = systemClock.nowMs()
    // Once for failures in a row: the metrics count each.
    if (error !== null && !hasFailed) log.warn('usage was not recorded', { error })
    hasFailed = error !== null
  }
}
