import type { Log } from '../http/ops/log.ts'
import type { Registry } from '../http/ops/metrics.ts'
import type { CandidateObserver } from '../placement/context.ts'
import type { ScheduleObserver } from '../scheduling/schedule.ts'
import type { SequencerObserver } from '../store/sequencer/observer.ts'
import type { Follower, FollowerObserver } from '../store/shared/follower.ts'
import type { Change } from '../world/change.ts'
import type { World } from '../world/world.ts'
import { addCapacityMetrics } from './capacity-metrics.ts'
import { addHostMetrics } from './host-metrics.ts'

const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
const COUNT_BUCKETS = [0, 1, 10, 100, 1_000, 10_000, 100_000]

/** Sizes of the world, read at each scrape. */
export function addWorldMetrics(registry: Registry, world: World, namesMax: number): void {
  const sizes: readonly [string, () => number][] = [
    ['providers', () => world.providers.size],
    ['inventories', () => world.inventories.size],
    ['consumers', () => world.consumers.size],
    ['allocations', () => world.consumers.allocations],
    ['traits', () => world.traits.size],
    ['resource_classes', () => world.classes.size],
    ['aggregates', () => world.aggregates.size],
  ]
  registry.gauge(
    'berth_world_rows',
    'Objects in memory, by kind.',
    () => sizes.map(([kind, size]) => ({ labels: [kind], value: size() })),
    ['kind'],
  )
  registry.gauge('berth_world_revision', 'The last revision in memory.', () => world.revision)
  addCapacityMetrics(registry, world)
  if (namesMax > 0) addHostMetrics(registry, world, namesMax)
}

/** Whether Placement answers, with openstack-exporter's metric name. */
export function addPlacementUp(registry: Registry, unready: () => string | null): void {
  registry.gauge(
    'openstack_placement_up',
    '1 if the server answers requests, 0 if `/readyz` does not answer 200. The name is that of openstack-exporter.',
    () => (unready() === null ? 1 : 0),
  )
}

/** Commit batches, and what they changed. */
export function sequencerMetrics(registry: Registry): SequencerObserver {
  const commits = registry.histogram(
    'berth_commit_batch_commands',
    'Commands that shared one durable commit.',
    [],
    BATCH_BUCKETS,
  )
  const seconds = registry.histogram(
    'berth_store_commit_seconds',
    'Time from the decision of a batch until it is durable in the store.',
  )
  let decidedMs: number | null = null
  const failed = registry.counter(
    'berth_commit_failures_total',
    'Commits that failed or whose outcome is unknown.',
  )
  const changes = registry.counter('berth_changes_total', 'Changes made durable.')
  const claims = registry.counter(
    'berth_allocations_written_total',
    'Allocations written: `made`, `changed` or `removed`.',
    ['did'],
  )
  const refused = registry.counter(
    'berth_writes_refused_total',
    'Writes that a rule refused, such as conflicts and claims over capacity, by reason.',
    ['reason'],
  )
  const reloads = registry.counter(
    'berth_memory_reloads_total',
    'Reloads of memory from the store, because the two had diverged.',
  )
  return {
    batchDecided() {
      decidedMs = performance.now()
    },
    batchCommitted(commands) {
      commits.observe([], commands)
      if (decidedMs !== null) seconds.observe([], (performance.now() - decidedMs) / 1000)
      decidedMs = null
    },
    batchFailed() {
      failed.add()
      decidedMs = null
    },
    refused: kind => refused.add([kind]),
    misfitted: () => refused.add(['world-refused']),
    applied({ change }) {
      changes.add()
      countAllocations(change, (did, by) => claims.add([did], by))
    },
    reloaded: () => reloads.add(),
  }
}

/** Events of the sequencer that operators should know. */
export function sequencerLog(log: Log): SequencerObserver {
  return {
    batchFailed: (_commands, reason) => log.error('commit failed', { error: toError(reason) }),
    misfitted: (command, { why, index }) =>
      log.error('memory refused a change that a rule allowed', { command, why, index }),
    reloaded: ({ revision }, reason) => log.warn('memory was reloaded from the store', { revision, reason }),
  }
}

/** Remembers why the last write failed, until one is stored. */
export class LastWriteError implements SequencerObserver {
  message: string | null = null

  batchCommitted(): void {
    this.message = null
  }

  batchFailed(_commands: number, reason: unknown): void {
    this.message = `the last write failed: ${toError(reason).message}`
  }
}

export const toError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(String(reason))

const LOOK_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 10]

/** How far memory lags behind a database that other processes write to. */
export function followerMetrics(registry: Registry, follower: () => Follower, log: Log): FollowerObserver {
  const looks = registry.histogram(
    'berth_head_look_seconds',
    'Time to read the head of the database and the changes of other processes.',
    [],
    LOOK_BUCKETS,
  )
  const failures = registry.counter(
    'berth_head_look_failures_total',
    'Failed reads of the head of the database.',
  )
  registry.gauge(
    'berth_memory_stale_seconds',
    'How far memory may lag behind the database; with `reads` = `local`, reads may miss changes younger than this.',
    () => follower().staleMs / 1000,
  )
  let revisionsBehind = 0
  registry.gauge(
    'berth_follower_lag_revisions',
    'Revisions of other processes that memory lacked at the last read of the head.',
    () => revisionsBehind,
  )
  return {
    looked(ms, behind) {
      looks.observe([], ms / 1000)
      revisionsBehind = behind
    },
    failed: () => failures.add(),
    lost: reason => log.error('the database cannot be read', { error: reason as Error }),
    found: () => log.info('the database is back'),
  }
}

function countAllocations(change: Change, add: (did: string, by: number) => void): void {
  const counts = { made: 0, changed: 0, removed: 0 }
  for (const op of change.ops) {
    if (op.table !== 'allocations') continue
    if (op.before === null) counts.made++
    else if (op.after === null) counts.removed++
    else counts.changed++
  }
  for (const [did, by] of Object.entries(counts)) if (by > 0) add(did, by)
}

export function candidateMetrics(registry: Registry): CandidateObserver {
  const found = registry.histogram('berth_candidates_found', 'Candidates in one answer.', [], COUNT_BUCKETS)
  const steps = registry.histogram(
    'berth_candidates_steps',
    'Partial combinations visited for one answer.',
    [],
    COUNT_BUCKETS,
  )
  const exhausted = registry.counter(
    'berth_candidates_exhausted_total',
    'Searches that stopped at `max_search_steps` before they were complete.',
  )
  return {
    searched(candidates, stepsTaken, ranOut) {
      found.observe([], candidates)
      steps.observe([], stepsTaken)
      if (ranOut) exhausted.add()
    },
  }
}

export function scheduleMetrics(registry: Registry): ScheduleObserver {
  const decisions = registry.counter(
    'berth_schedule_decisions_total',
    'Decisions of the scheduler, for servers and shares, by kind of request and outcome.',
    ['kind', 'outcome'],
  )
  const overtaken = registry.counter(
    'berth_schedule_overtaken_total',
    'Choices that another write invalidated before their claim, so that the scheduler chose again.',
  )
  const removed = registry.counter(
    'berth_schedule_hosts_removed_total',
    'Hosts that a filter removed, in requests that found no host.',
    ['filter'],
  )
  return {
    decided(kind, outcome) {
      decisions.add([kind, outcome])
    },
    overtaken() {
      overtaken.add()
    },
    hostsRemoved(filter, hosts) {
      removed.add([filter], hosts)
    },
  }
}
