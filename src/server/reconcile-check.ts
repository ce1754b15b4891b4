import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../http/ops/log.ts'
import type { Registry } from '../http/ops/metrics.ts'
import type { Clock } from '../kernel/clock.ts'
import { Cloud } from '../openstack/cloud/cloud.ts'
import { readCloudSettings } from '../openstack/cloud/cloud-settings.ts'
import type { CloudPlace } from '../openstack/cloud/clouds-file.ts'
import type { Ledger } from '../openstack/placement/ledger.ts'
import { readExportBytes } from '../openstack/placement/read-export.ts'
import { KIND_NAMES } from '../openstack/reconcile/kinds.ts'
import { NovaReader } from '../openstack/reconcile/read-nova.ts'
import { reconcile } from '../openstack/reconcile/reconcile.ts'
import { makeReport } from '../openstack/reconcile/report.ts'
import type { Store } from '../store/store.ts'
import { EVERYTHING } from '../v1/fleet/feed-rights.ts'
import { exportLines } from '../v1/transfer/export.ts'
import type { ReconcileReport, ReconcileState } from '../wire/reconcile.ts'

/** The time between the two readings: a background check is not in a hurry. */
const SETTLE_MS = 30_000
/** Keeps the answer of `GET /v1/reconcile` readable; counts are complete. */
const LISTED_MAX = 1_000

interface ReconcileParts {
  /** Null if nothing is checked. */
  readonly cloud: string | null
  readonly intervalMs: number
  readonly place: CloudPlace
  readonly store: Pick<Store, 'snapshot'>
  readonly log: Log
  readonly clock: Clock
  readonly settleMs?: number
}

/** Compares the ledger with Nova periodically, and keeps the last findings. Changes nothing. */
export class ReconcileCheck {
  readonly #parts: ReconcileParts
  readonly #stopped = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #last: ReconcileReport | null = null
  #failure: ReconcileState['failure'] = null
  #failures = 0
  #succeededMs: number | null = null

  constructor(parts: ReconcileParts) {
    this.#parts = parts
  }

  get state(): ReconcileState {
    const { cloud, intervalMs } = this.#parts
    return {
      cloud,
      interval_seconds: Math.round(intervalMs / 1_000),
      running: this.#running !== null,
      last: this.#last,
      failure: this.#failure,
    }
  }

  start(): void {
    if (this.#parts.cloud === null || this.#timer !== null) return
    this.#timer = setInterval(() => void this.check(), this.#parts.intervalMs)
    this.#timer.unref()
    void this.check()
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    this.#stopped.abort(new Error('the server stops'))
    await this.#running
  }

  /** Runs one check, or waits for the running one. */
  check(): Promise<void> {
    this.#running ??= this.#check().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** What the metrics show. */
  get figures(): ReconcileFigures {
    const { counts, not_judged, not_judged_omitted } = this.#last ?? NO_REPORT
    return {
      counts,
      notJudged: not_judged.length + not_judged_omitted,
      succeededMs: this.#succeededMs ?? 0,
      failures: this.#failures,
    }
  }

  async #check(): Promise<void> {
    const { cloud, log, clock } = this.#parts
    if (cloud === null) return
    const startedMs = clock.nowMs()
    try {
      const found = await this.#compare(cloud)
      const finishedMs = clock.nowMs()
      this.#last = makeReport(found, { cloud, startedMs, finishedMs, listedMax: LISTED_MAX })
      this.#failure = null
      this.#succeededMs = finishedMs
      const { counts, compared, passed } = this.#last
      const summary = { cloud, findings: found.findings.length, not_judged: found.notJudged.length, passed }
      if (found.findings.length > 0) log.warn('the ledger differs from Nova', { ...summary, ...counts })
      else log.info('the ledger agrees with Nova', { ...summary, servers: compared.servers })
    } catch (error) {
      if (this.#stopped.signal.aborted) return
      this.#failures++
      const reason = error instanceof Error ? error.message : String(error)
      this.#failure = { at: new Date(clock.nowMs()).toISOString(), reason }
      log.warn('the ledger could not be compared with Nova', { cloud, reason })
    }
  }

  async #compare(name: string) {
    const { place, settleMs = SETTLE_MS } = this.#parts
    const { signal } = this.#stopped
    // Read each time, so that a new password needs no restart.
    const nova = await NovaReader.connect(new Cloud(await readCloudSettings(name, place), { signal }))
    return reconcile(
      {
        nova,
        readLedger: () => this.#readLedger(),
        settle: () => sleep(settleMs, undefined, { signal, ref: false }),
      },
      { unknownAreServers: false },
    )
  }

  async #readLedger(): Promise<Ledger> {
    const snapshot = await this.#parts.store.snapshot()
    try {
      const encoder = new TextEncoder()
      const bytes = (async function* () {
        for await (const piece of exportLines(snapshot, EVERYTHING)) yield encoder.encode(piece)
      })()
      return await readExportBytes(bytes)
    } finally {
      await snapshot.close()
    }
  }
}

interface ReconcileFigures {
  readonly counts: Readonly<Record<string, number>>
  readonly notJudged: number
  readonly succeededMs: number
  readonly failures: number
}

const NO_REPORT = { counts: {}, not_judged: [], not_judged_omitted: 0 }

export function addReconcileMetrics(registry: Registry, figures: () => ReconcileFigures): void {
  registry.gauge(
    'berth_reconcile_findings',
    'Findings of the last comparison of the ledger with Nova, by kind.',
    () => {
      const { counts } = figures()
      return KIND_NAMES.map(kind => ({ labels: [kind], value: counts[kind] ?? 0 }))
    },
    ['kind'],
  )
  registry.gauge(
    'berth_reconcile_not_judged',
    'Consumers, servers and providers that the last comparison left alone.',
    () => figures().notJudged,
  )
  registry.gauge(
    'berth_reconcile_success_timestamp_seconds',
    'When the last comparison came to a result; 0 before the first one.',
    () => figures().succeededMs / 1_000,
  )
  registry.readCounter(
    'berth_reconcile_failures_total',
    'Comparisons that came to no result, because the cloud or the store did not answer.',
    () => figures().failures,
  )
}
