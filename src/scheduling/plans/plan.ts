import type { ScheduleRefusal } from '../hosts/place-servers.ts'
import type { ServerAsk } from '../hosts/server-spec.ts'

/** What a plan is for. Hosts are uuids of their providers. */
export type PlanGoal =
  /** No server is on these hosts. Nothing moves there. */
  | { readonly kind: 'drain'; readonly hosts: readonly string[] }
  /** So many more hosts than now have no server. */
  | { readonly kind: 'consolidate'; readonly free: number }
  /** So many servers of the request fit. */
  | { readonly kind: 'make-room'; readonly ask: ServerAsk; readonly count: number }
  /** As many servers of the request fit as the search can bring about. */
  | { readonly kind: 'defragment'; readonly ask: ServerAsk }

export interface PlanBudget {
  readonly movesMax: number
  /** Memory and local disk of what is moved. */
  readonly gibMax: number
  /** Moves that are under way at a time, to or from one host. */
  readonly atOncePerHostMax: number
  /** Servers that stay where they are. */
  readonly never: ReadonlySet<string>
  /** Moves that the search tries before it takes the best plan so far. */
  readonly stepsMax: number
}

export interface PlannedMove {
  readonly instance: string
  /** Uuids and names of hosts. */
  readonly from: string
  readonly fromName: string
  readonly to: string
  readonly toName: string
  readonly flavor: string
  readonly gib: number
}

/** A server that stays on a host that should be empty. */
export interface StuckServer {
  readonly instance: string
  readonly host: string
  readonly why:
    | { readonly kind: 'never' }
    | { readonly kind: 'several-hosts' }
    | { readonly kind: 'ties'; readonly other: string }
    | { readonly kind: 'budget' }
    | { readonly kind: 'steps' }
    | { readonly kind: 'refused'; readonly refusal: ScheduleRefusal }
}

export interface Plan {
  /** Each with the number of its wave: the moves of one wave may be under way together. */
  readonly moves: readonly (PlannedMove & { readonly wave: number })[]
  readonly isReached: boolean
  /** No plan with fewer moves reaches it within the budget. */
  readonly isShortest: boolean
  readonly stuck: readonly StuckServer[]
  /** Before and after: servers on the hosts, hosts without servers, or servers of the request that fit. */
  readonly gain: { readonly before: number; readonly after: number; readonly wanted: number | null }
  readonly steps: number
  /** The limit of the search was reached. */
  readonly isExhausted: boolean
}
