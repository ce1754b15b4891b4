import type { CloudOwned } from '../world/cloud-owned.ts'
import type { Decision } from '../world/decision.ts'

/** Why a write to compute was refused. */
export type ComputeRefusal =
  | CloudOwned
  | { readonly kind: 'flavor-missing'; readonly flavor: string }
  | { readonly kind: 'flavor-exists'; readonly field: 'id' | 'name'; readonly value: string }
  | { readonly kind: 'extra-spec-missing'; readonly flavor: string; readonly key: string }
  | { readonly kind: 'access-exists'; readonly flavor: string; readonly project: string }
  | { readonly kind: 'access-missing'; readonly flavor: string; readonly project: string }
  | { readonly kind: 'flavor-public'; readonly flavor: string }
  | { readonly kind: 'host-missing'; readonly host: string }
  | { readonly kind: 'host-exists'; readonly field: 'uuid' | 'name'; readonly value: string }
  | { readonly kind: 'host-in-use'; readonly host: string; readonly consumers: number }
  | { readonly kind: 'host-not-root'; readonly host: string }
  | { readonly kind: 'host-inventory'; readonly host: string; readonly reason: string }
  /** Another write came first. */
  | {
      readonly kind: 'host-generation'
      readonly host: string
      readonly given: number
      readonly actual: number
    }
  | { readonly kind: 'class-on-no-host'; readonly class: string }
  | {
      readonly kind: 'host-changed-since'
      readonly host: string
      readonly revision: number
      /** What of it: `settings`, `inventory of VCPU`. */
      readonly what: string
    }
  /** It changed something else than settings of hosts, by table. */
  | { readonly kind: 'change-not-undoable'; readonly revision: number; readonly what: string }
  | { readonly kind: 'aggregate-missing'; readonly aggregate: number | string }
  | { readonly kind: 'aggregate-exists'; readonly name: string }
  | { readonly kind: 'aggregate-not-empty'; readonly aggregate: number; readonly hosts: number }
  | { readonly kind: 'aggregate-host-exists'; readonly aggregate: number; readonly host: string }
  | { readonly kind: 'aggregate-host-missing'; readonly aggregate: number; readonly host: string }
  | { readonly kind: 'zone-empty'; readonly aggregate: string }
  | {
      readonly kind: 'zone-other'
      readonly host: string
      readonly zone: string
      readonly by: string
      /** A host is added; else the zone of its aggregate changes. */
      readonly adding: boolean
    }
  | { readonly kind: 'zone-in-use'; readonly host: string }
  | { readonly kind: 'group-missing'; readonly group: string }
  | { readonly kind: 'groups-exceeded'; readonly project: string; readonly limit: number }

export type ComputeDecision<Answer> = Decision<Answer, ComputeRefusal>
