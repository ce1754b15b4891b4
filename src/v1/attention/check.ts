import type { SpecSource } from '../../catalog/check/drift.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import type { Store } from '../../store/store.ts'
import type { AttentionFinding, Severity } from '../../wire/attention.ts'
import { ATTENTION_ITEMS_MAX } from '../../wire/attention.ts'
import type { ReconcileState } from '../../wire/reconcile.ts'
import type { World } from '../../world/world.ts'
import type { ShadowApi } from '../admin/shadow.routes.ts'
import type { Turns } from '../api/in-turns.ts'

/** What checks read. */
export interface AttentionSources {
  readonly world: World
  readonly store: Store
  readonly setup: SchedulingSetup
  readonly specSources: () => Iterable<SpecSource>
  /** How far memory lags behind a database that other processes write to. */
  readonly follower: { readonly staleMs: number; readonly lastError: string | null }
  /** The file with the certificate that is served; null without TLS. */
  readonly certificateFile: string | null
  /** Null if no Placement is shadowed. */
  readonly shadow: Pick<ShadowApi, 'status' | 'listDifferences'> | null
  /** The background comparison with Nova. */
  readonly reconcile: Pick<ReconcileState, 'cloud' | 'last' | 'failure'>
}

export interface CheckRun extends AttentionSources {
  readonly nowMs: number
  /** Long loops use this to let other requests run. The state may change in between. */
  readonly turns: Turns
}

type FindingParts = Omit<AttentionFinding, 'code' | 'severity'> & { readonly severity?: Severity }

/** One thing to look for. Its code never changes: scripts and alerts name it. */
export interface AttentionCheck {
  readonly code: string
  /** What is looked for, as documentation shows it. */
  readonly what: string
  /** The default; a finding may override it. */
  readonly severity: Severity
  /** The policy operation that allows a caller to see the finding. */
  readonly operation: string
  /** How long a result is kept, whatever changes. */
  readonly restMs: number
  /** The result also depends on time or on the store, so it can be outdated although the state did not change. */
  readonly readsMoreThanState?: true
  /** Null if there is no finding. */
  find(run: CheckRun): Promise<FindingParts | null> | FindingParts | null
}

/** Keeps only the worst of many items. */
export class WorstItems {
  readonly #items: { readonly weight: number; readonly item: AttentionFinding['items'][number] }[] = []
  total = 0

  add(weight: number, item: AttentionFinding['items'][number]): void {
    this.total++
    this.#items.push({ weight, item })
    if (this.#items.length >= 2 * ATTENTION_ITEMS_MAX) this.#trim()
  }

  list(): AttentionFinding['items'] {
    this.#trim()
    return this.#items.map(({ item }) => item)
  }

  #trim(): void {
    this.#items.sort((a, b) => b.weight - a.weight)
    this.#items.length = Math.min(this.#items.length, ATTENTION_ITEMS_MAX)
  }
}
