import type { Explanation } from './berth.ts'
import { askJson, pathOf, queryOf } from './http.ts'

/** What a server is asked to be like. */
export interface ServerAsk {
  readonly flavor?:
    | string
    | {
        readonly name?: string
        readonly vcpus: number
        readonly ram: number
        readonly disk: number
        readonly ephemeral?: number
        readonly swap?: number
        readonly extra_specs?: Readonly<Record<string, string>>
      }
  readonly zone?: string | null
  readonly host?: string
  readonly volume_backed?: boolean
  readonly hints?: Readonly<Record<string, unknown>>
  readonly server_group?: string
  readonly project_id?: string
}

export interface FilterStep {
  readonly filter: string
  readonly before: number
  readonly after: number
  readonly removed: readonly { readonly code: string; readonly hosts: number }[]
}

export interface HostReport {
  readonly host: string
  readonly provider: string
  readonly verdict: 'passes' | 'refused' | 'no-room' | 'left-out'
  readonly misses: readonly string[]
  readonly refusals: readonly {
    readonly filter: string
    readonly reasons: readonly {
      readonly code: string
      readonly text: string
      /** What was compared. */
      readonly facts: Readonly<Record<string, unknown>>
    }[]
  }[]
  readonly notes: readonly { readonly filter: string; readonly text: string }[]
  readonly weight: number | null
  readonly contributions: readonly {
    readonly weigher: string
    readonly raw: number
    readonly normalized: number
    readonly multiplier: number
    readonly weight: number
  }[]
}

export interface ScheduleChange {
  readonly kind: string
  readonly text: string
  readonly hosts?: number
  readonly key?: string
  readonly provider?: string
  readonly host?: string
  /** Hosts that would do if all of the steps were done. */
  readonly admits?: readonly { readonly host: string; readonly provider: string }[]
  readonly steps?: readonly {
    readonly filter: string
    readonly code: string
    readonly text: string
    readonly command: string | null
  }[]
  /** The command that does it, where one does. */
  readonly command?: string | null
}

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
  readonly changes: readonly ScheduleChange[]
  readonly reports: readonly HostReport[]
  readonly reports_left_out: number
  readonly warnings: readonly { readonly code: string; readonly text: string }[]
}

export const explainSchedule = (ask: ServerAsk, hostsMax: number): Promise<ScheduleExplanation> =>
  askJson('/v1/explain/schedule', { method: 'POST', body: { ...ask, hosts_max: hostsMax } })

export interface Choice {
  readonly candidates: number
  readonly is_cut: boolean
  readonly funnel: readonly FilterStep[]
  readonly top: readonly { readonly host: string; readonly provider: string; readonly weight: number }[]
}

export interface Placed {
  readonly instance: string
  readonly host: string
  readonly provider: string
}

export interface Decision {
  readonly id: string
  readonly kind: 'schedule' | 'move' | 'rebuild' | 'share' | 'share-move' | 'dry-run'
  readonly outcome: 'placed' | 'refused'
  readonly project_id: string | null
  readonly at: string
  readonly revision: number
  readonly decided_revision: number
  readonly placed: readonly Placed[]
  readonly asked: Asked
  /** Why it was refused, in words. */
  readonly reason: string | null
}

/** What a decision was asked, in short. */
export interface Asked {
  /** The servers, or the share. */
  readonly instances: readonly string[]
  /** The flavor, or the share type. */
  readonly flavor: string | null
  readonly zone: string | null
  readonly host: string | null
  readonly server_group: string | null
  readonly hints: Readonly<Record<string, unknown>>
  readonly gigabytes: number | null
}

export interface DecisionDetails extends Decision {
  readonly choice: Choice | null
  readonly seed: number
  readonly request: unknown
}

export const readDecisions = async (outcome: string | null): Promise<readonly Decision[]> =>
  (
    await askJson<{ decisions: Decision[] }>(
      `/v1/decisions${queryOf({ limit: 200, ...(outcome === null ? {} : { outcome }) })}`,
    )
  ).decisions

export const readDecision = (id: string): Promise<DecisionDetails> => askJson(pathOf`/v1/decisions/${id}`)

export interface Replayed {
  readonly same: boolean
  readonly outcome: 'placed' | 'refused'
  readonly placed: readonly Placed[]
}

export const replayDecision = (id: string): Promise<Replayed> =>
  askJson(pathOf`/v1/decisions/${id}/replay`, { method: 'POST', body: {} })

export interface Scheduled {
  readonly decision: string
  readonly placed: readonly Placed[]
  readonly choice: Choice | null
  readonly warnings: readonly { readonly code: string; readonly text: string }[]
}

export const schedule = (
  ask: ServerAsk & { readonly count: number; readonly dry_run: boolean },
): Promise<Scheduled> =>
  askJson('/v1/schedule', { method: 'POST', body: ask, headers: { 'idempotency-key': crypto.randomUUID() } })

export interface Verdict {
  readonly passes: boolean
  readonly reasons: readonly { readonly text: string }[]
}

/** Which of these flavors the filter would let onto a host of an aggregate with this metadata. */
export const evaluateAggregate = async (
  flavors: readonly { readonly name: string; readonly extra_specs: Readonly<Record<string, string>> }[],
  metadata: Readonly<Record<string, string>>,
): Promise<readonly Verdict[]> =>
  (
    await askJson<{ results: Verdict[] }>('/v1/filters/AggregateInstanceTypeFilter/evaluate', {
      method: 'POST',
      body: {
        items: flavors.map(({ name, extra_specs }) => ({
          flavor: name,
          extra_specs,
          aggregates: [metadata],
        })),
      },
    })
  ).results

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
    readonly provider: string | null
    readonly text: string | null
  }[]
  readonly stuck: number
  readonly others: number
  readonly warnings: readonly { readonly code: string; readonly text: string }[]
}

export interface SimulationAsk extends ServerAsk {
  readonly drain?: readonly string[]
  readonly add?: readonly { readonly like: string; readonly count: number }[]
  readonly hosts_max?: number
}

export const simulate = (ask: SimulationAsk): Promise<Simulation> =>
  askJson('/v1/simulate', { method: 'POST', body: ask })

/** A host by its name, or an aggregate by its number. */
export type LandingPlace = { readonly host: string } | { readonly aggregate: number }

const landingPath = (place: LandingPlace): string =>
  'host' in place ? pathOf`/v1/hosts/${place.host}` : pathOf`/v1/host-aggregates/${place.aggregate}`

export interface LandingReason {
  readonly filter: string | null
  readonly code: string
  readonly text: string
}

export interface FlavorLandings {
  readonly hosts: number
  readonly hosts_left_out: number
  readonly flavors: readonly {
    readonly id: string
    readonly name: string
    readonly verdict: 'fits' | 'not-now' | 'forbidden'
    readonly fits: number
    readonly reasons: readonly (LandingReason & { readonly hosts: number })[]
  }[]
  readonly truncated: boolean
}

export const readLandings = (place: LandingPlace, limit: number): Promise<FlavorLandings> =>
  askJson(`${landingPath(place)}/flavors${queryOf({ limit })}`)

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

export const readViolations = (place: LandingPlace, limit: number): Promise<Violations> =>
  askJson(`${landingPath(place)}/violations${queryOf({ limit })}`)
