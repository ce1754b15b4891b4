import { randomUUID } from 'node:crypto'
import { type BerthRules, rules } from '../commands.ts'
import type { Config } from '../config/keys.ts'
import { auditRecorder } from '../http/ops/audit.ts'
import { CadfEvents } from '../http/ops/cadf.ts'
import type { Log } from '../http/ops/log.ts'
import { Registry } from '../http/ops/metrics.ts'
import { traceCommand } from '../http/tracing/command-spans.ts'
import { systemClock } from '../kernel/clock.ts'
import standardClasses from '../placement/data/standard-classes.json' with { type: 'json' }
import standardTraits from '../placement/data/standard-traits.json' with { type: 'json' }
import { outboxRecorder } from '../shadow/outbox.rows.ts'
import { loadSoundWorld } from '../store/load-world.ts'
import { ChangeFeed } from '../store/sequencer/change-feed.ts'
import { Sequencer } from '../store/sequencer/sequencer.ts'
import { Follower } from '../store/shared/follower.ts'
import type { Store } from '../store/store.ts'
import { StoreWatch } from '../store/store-watch.ts'
import type { World } from '../world/world.ts'
import { type CadfDelivery, startCadf } from './cadf.ts'
import {
  addWorldMetrics,
  followerMetrics,
  LastWriteError,
  sequencerLog,
  sequencerMetrics,
  toError,
} from './observers.ts'
import { readStandardTraits } from './standard-traits.ts'
import { startTracing, type Tracing } from './tracing.ts'

/** How often a process checks for changes of others: while they write, and otherwise. */
const POLL_MS_BUSY = 5
const POLL_MS = 200
/** SQLite: after this time, a write is answered with an unknown outcome. */
const OUTCOME_MS_MAX = 5_000

/** The state in memory, and everything that keeps it in step with the store. */
export interface Engine {
  readonly world: World
  readonly sequencer: Sequencer<BerthRules>
  readonly follower: Follower
  readonly watch: StoreWatch
  readonly feed: ChangeFeed
  readonly metrics: Registry
  /** Null if nothing is traced. */
  readonly tracing: Tracing | null
  /** Null if audit events go only to the audit log. */
  readonly cadf: CadfDelivery | null
  readonly broken: Promise<Error>
  /** Why writes fail at present; null if they do not. */
  readonly lastWriteError: () => string | null
}

interface EngineParts {
  readonly config: Config
  readonly store: Store
  readonly log: Log
  readonly version: string
}

export async function startEngine(parts: EngineParts): Promise<Engine> {
  const { store, log, config } = parts
  const { world, head } = await loadSoundWorld(store)
  const metrics = new Registry()
  addWorldMetrics(metrics, world, config.metrics_names_max)
  const tracing = startTracing({ config, log, metrics, version: parts.version, instance: randomUUID() })
  const cadf = startCadf(config, metrics, log)
  const auditLog = config.audit ? auditRecorder : undefined
  const events = cadf === null ? null : new CadfEvents(auditLog, event => cadf.emit(event))
  const sequencer = new Sequencer({
    world,
    store,
    rules,
    clock: systemClock,
    head,
    newBatchId: randomUUID,
    // A shared store has its own limits.
    limits: { outcomeMsMax: store.owedMs === undefined ? null : OUTCOME_MS_MAX },
    recorder: outboxRecorder(world, events ?? auditLog),
    traceCommand: tracing === null ? undefined : traceCommand,
  })
  const feed = new ChangeFeed(store, head.revision)
  feed.subscribeTo(sequencer)
  const writes = new LastWriteError()
  const broken = Promise.withResolvers<Error>()
  if (events !== null) sequencer.subscribe(events)
  sequencer.subscribe(sequencerMetrics(metrics))
  sequencer.subscribe(sequencerLog(log))
  sequencer.subscribe(writes)
  sequencer.subscribe({ broken: reason => broken.resolve(toError(reason)) })
  const follower = newFollower(parts, sequencer, metrics)
  await sequencer.submit({
    kind: 'placement:sync-standards',
    classes: standardClasses,
    traits: [...standardTraits, ...(await readStandardTraits(config.standard_traits_file))],
  })
  const watch = new StoreWatch(store, {
    diverged: reason => sequencer.giveUp(reason),
    silent: reason => log.error('the store does not answer', { reason }),
    answered: () => log.info('the store answers again'),
  })
  const lastWriteError = () => follower.lastError ?? writes.message
  return {
    world,
    sequencer,
    follower,
    watch,
    feed,
    metrics,
    tracing,
    cadf,
    broken: broken.promise,
    lastWriteError,
  }
}

function newFollower(
  { store, config, log }: EngineParts,
  sequencer: Sequencer<BerthRules>,
  metrics: Registry,
): Follower {
  const follower: Follower = new Follower({
    store,
    sequencer,
    clock: { nowMs: () => performance.now() },
    settings: {
      reads: config.reads,
      staleMsMax: config.reads_stale_max_ms === 0 ? null : config.reads_stale_max_ms,
      pollMsBusy: POLL_MS_BUSY,
      pollMs: POLL_MS,
    },
    observer: followerMetrics(metrics, () => follower, log),
  })
  return follower
}
