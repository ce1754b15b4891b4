import type { ScheduleRefusal } from '../hosts/place-servers.ts'
import type { ServerAsk } from '../hosts/server-spec.ts'

/** What a plan is for. Hosts are given by the uuids of their providers. */
export type PlanGoal =
  /** Moves all servers off these hosts, and none onto them. */
  | { readonly kind: 'drain'; readonly hosts: readonly string[] }
  /** Empties `free` more hosts. */
  | { readonly kind: 'consolidate'; readonly free: number }
  /** Makes room until `count` servers of the request fit. */
  | { readonly kind: 'make-room'; readonly ask: ServerAsk; readonly count: number }
  /** Makes room for as many servers of the request as the search can. */
  | { readonly kind: 'defragment'; readonly ask: ServerAsk }

export interface PlanBudget {
  readonly movesMax: number
  /** Memory and local disk of all servers that move. */
  readonly gibMax: number
  /** Moves from or to one host that are under way at a time. */
  readonly atOncePerHostMax: number
  /** Servers that must not move. */
  readonly never: ReadonlySet<string>
  /** After this many tried moves the search returns the best plan so far. */
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

/** A server that cannot leave a host that should be empty. */
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
  /** `wave`: moves with the same number may be under way together. */
  readonly moves: readonly (PlannedMove & { readonly wave: number })[]
  readonly isReached: boolean
  /** No plan with fewer moves reaches the goal within the budget. */
  readonly isShortest: boolean
  readonly stuck: readonly StuckServer[]
  /** Depending on the goal: servers on the hosts, hosts without servers, or servers of the request that fit. */
  readonly gain: { readonly before: number; readonly after: number; readonly wanted: number | null }
  readonly steps: number
  /** The limit of the search was reached. */
  readonly isExhausted: boolean
}
