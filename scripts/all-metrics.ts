import { createLog } from '../src/http/ops/log.ts'
import { HttpMetrics, type MetricDescription, Registry } from '../src/http/ops/metrics.ts'
import { Admission } from '../src/http/request/admission.ts'
import { spanMetrics } from '../src/http/tracing/exporter.ts'
import { addAttentionMetrics } from '../src/server/attention-metrics.ts'
import { cadfMetrics } from '../src/server/cadf.ts'
import {
  addPlacementUp,
  addWorldMetrics,
  candidateMetrics,
  followerMetrics,
  scheduleMetrics,
  sequencerMetrics,
} from '../src/server/observers.ts'
import { addBuildInfo, addProcessMetrics } from '../src/server/process-metrics.ts'
import { addReconcileMetrics } from '../src/server/reconcile-check.ts'
import { observeShadow } from '../src/server/shadow.ts'
import { observeUsage } from '../src/server/usage-recorder.ts'
import type { Shadow } from '../src/shadow/start.ts'
import type { Follower } from '../src/store/shared/follower.ts'
import type { Attention } from '../src/v1/attention/attention.ts'
import { World } from '../src/world/world.ts'

/** Every metric that a server with all settings on has: for the reference, and for checks of rules and dashboards. */
export function describeMetrics(): MetricDescription[] {
  const registry = new Registry()
  const log = createLog({ stream: { write: () => undefined } })
  new HttpMetrics(registry)
  new Admission().addMetrics(registry)
  addWorldMetrics(registry, new World(), 1)
  sequencerMetrics(registry)
  followerMetrics(registry, () => ({ staleMs: 0 }) as Follower, log)
  candidateMetrics(registry)
  scheduleMetrics(registry)
  addPlacementUp(registry, () => null)
  addBuildInfo(registry, '', 'sqlite')
  addProcessMetrics(registry)
  spanMetrics(registry)
  cadfMetrics(registry)
  addAttentionMetrics(registry, {} as Attention)
  addReconcileMetrics(registry, () => ({ counts: {}, notJudged: 0, succeededMs: 0, failures: 0 }))
  observeUsage(registry, log)
  observeShadow(registry, log, () => null as unknown as Shadow)
  return registry.descriptions
}
