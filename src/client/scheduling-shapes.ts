/** What Berth's own API tells of scheduling, as far as commands look at it. */
import type { ByClass, Explanation } from './shapes.ts'

export interface Warning {
  readonly code: string
  readonly text: string
}

export interface FilterStep {
  readonly filter: string
  readonly before: number
  readonly after: number
  readonly removed: readonly { readonly code: string; readonly hosts: number }[]
}

export interface Choice {
  readonly candidates: number
  readonly is_cut: boolean
  readonly is_exhausted: boolean
  readonly funnel: readonly FilterStep[]
  readonly top: readonly { readonly host: string; readonly provider: string; readonly weight: number }[]
}

export interface Place {
  readonly host: string
  readonly provider: string
  readonly allocations: Readonly<Record<string, ByClass<number>>>
}

/** The answer of POST /v1/schedule and /v1/move. */
export interface Scheduled {
  readonly decision: string
  readonly dry_run: boolean
  readonly placed: readonly (Place & { readonly instance: string; readonly alternates: readonly Place[] })[]
  readonly choice: Choice | null
  readonly warnings: readonly Warning[]
  readonly source_kept_by: string | null
}

/** The answer of POST /v1/rebuild. */
export interface Rebuilt {
  readonly decision: string
  readonly instance: string
  readonly host: string
  readonly provider: string
}

export interface HostReport {
  readonly host: string
  readonly provider: string
  readonly verdict: 'passes' | 'refused' | 'no-room' | 'left-out'
  readonly misses: readonly string[]
  readonly refusals: readonly {
    readonly filter: string
    readonly reasons: readonly { readonly code: string; readonly text: string }[]
  }[]
  readonly notes: readonly { readonly filter: string; readonly text: string }[]
  readonly weight: number | null
  readonly contributions: readonly { readonly weigher: string; readonly weight: number }[]
}

/** The answer of POST /v1/explain/schedule. */
export interface ScheduleExplanation {
  readonly revision: number
  readonly hosts: number
  readonly with_room: number
  readonly passed: number
  readonly histogram: readonly {
    readonly filter: string
    readonly code: string
    readonly key: string | null
    readonly hosts: number
    readonly only_reason: number
  }[]
  readonly funnel: readonly FilterStep[]
  readonly query: string
  readonly placement: Explanation
  readonly changes: readonly { readonly text: string; readonly command?: string | null }[]
  readonly reports: readonly HostReport[]
  readonly reports_left_out: number
  readonly warnings: readonly Warning[]
}

export interface Fits {
  readonly fits: number
  readonly hosts: number
  readonly hosts_that_fit: number
  readonly by_zone: readonly { readonly zone: string; readonly hosts: number; readonly fits: number }[]
  readonly by_aggregate: readonly {
    readonly aggregate: string
    readonly uuid: string
    readonly hosts: number
    readonly fits: number
  }[]
  readonly by_host: readonly { readonly host: string; readonly provider: string; readonly fits: number }[]
  readonly by_host_left_out: number
  readonly ends: readonly {
    readonly by: string
    readonly name: string
    readonly code: string
    readonly hosts: number
  }[]
  readonly is_cut: boolean
  readonly is_exhausted: boolean
}

/** The answer of POST /v1/simulate. */
export interface Simulation {
  readonly revision: number
  readonly before: Fits
  readonly after: Fits | null
  readonly change: number | null
  readonly added: readonly string[]
  readonly drained: readonly {
    readonly instance: string
    readonly from: string
    readonly to: string | null
    readonly text: string | null
  }[]
  readonly stuck: number
  readonly others: number
  readonly warnings: readonly Warning[]
}

export interface ListedDecision {
  readonly id: string
  readonly kind: string
  readonly outcome: string
  readonly project_id: string | null
  readonly at: string
  readonly revision: number
  readonly decided_revision: number
  readonly placed: readonly { readonly instance: string; readonly host: string; readonly provider: string }[]
  readonly asked: {
    readonly instances: readonly string[]
    readonly flavor: string | null
    readonly zone: string | null
    readonly host: string | null
    readonly server_group: string | null
    readonly hints: Readonly<Record<string, unknown>>
    readonly gigabytes: number | null
  }
  readonly reason: string | null
}

type Refusal = Readonly<Record<string, unknown>>

/** The answer of GET /v1/decisions/{id}. */
export interface DecisionDetail extends ListedDecision {
  readonly choice: Choice | null
  readonly refusal: Refusal | null
  readonly seed: number
}

/** The answer of POST /v1/decisions/{id}/replay. */
export interface ReplayedDecision {
  readonly decision: string
  readonly same: boolean
  readonly outcome: string
  readonly placed: ListedDecision['placed']
  readonly choice: Choice | null
  readonly refusal: Refusal | null
}

export interface LandingReason {
  readonly by: string
  readonly filter: string | null
  readonly code: string
  readonly key: string | null
  readonly text: string
}

/** Whether a flavor may land on a host or an aggregate, as `/v1/hosts/NAME/flavors` tells it. */
export interface FlavorLanding {
  readonly id: string
  readonly name: string
  readonly verdict: 'fits' | 'not-now' | 'forbidden'
  readonly fits: number
  readonly not_now: number
  readonly forbidden: number
  readonly reasons: readonly (LandingReason & { readonly lasting: boolean; readonly hosts: number })[]
}

export interface FlavorLandings {
  readonly hosts: number
  readonly hosts_left_out: number
  readonly flavors: readonly FlavorLanding[]
  readonly truncated: boolean
}

/** Servers that break rules of their host, as `/v1/hosts/NAME/violations` tells it. */
export interface Violations {
  readonly servers: number
  readonly unknown: number
  readonly violations: readonly {
    readonly instance: string
    readonly host: string
    readonly provider: string
    readonly project_id: string
    readonly flavor: string
    readonly reasons: readonly LandingReason[]
  }[]
  readonly next: string | null
}
