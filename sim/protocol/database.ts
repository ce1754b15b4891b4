import type { HeadLock } from './head-lock.ts'
import type { Commit, Fence } from './request.ts'
import type { Chance, Schedule, Timer } from './schedule.ts'
import type { Session } from './session.ts'
import type { State } from './state.ts'
import type { Timeline } from './timeline.ts'
import type { Weather } from './weather.ts'

const ANYWHERE = [
  'a commit never arrived',
  'the answer to a commit was lost',
  'a commit was done after its client had given up',
  'a commit was cut short by the end of the database',
  'the database took a transaction back',
  'a process froze with the lock, and lost it',
  'the lock could not be had in time',
  'the database was down',
  'a process was paused',
  'a process crashed',
  'a process was stopped',
  'memory was loaded anew',
  'what a process missed was no longer kept',
  'nobody knew what became of a write',
  'a write was known by its key',
] as const

/** What the runs of each model must meet, which proves that they cover everything. */
export const ENCOUNTERS = {
  single: [...ANYWHERE, 'a failover lost commits'],
  cluster: [
    ...ANYWHERE,
    'a read waited for its node',
    'a node aborted a transaction for a commit of another',
    'a node said nothing of a transaction that it aborted',
    'a commit failed certification',
    'a fence stopped a late commit',
    'a turn that refused was not the newest any more',
    'a node was frozen, and went on',
    'a node was frozen, and evicted',
    'no node had a quorum',
  ],
} as const

/** One server with one lock for all, or nodes that certify each other's commits. */
export type Model = keyof typeof ENCOUNTERS

export const MODELS = Object.keys(ENCOUNTERS) as readonly Model[]

export type Encounter = (typeof ENCOUNTERS)[Model][number]

/** Defects that a simulation can plant in the database. */
interface Sabotage {
  readonly skipLock: boolean
  readonly skipCompare: boolean
  readonly tornSnapshot: boolean
  /** A node answers reads with its own, possibly old, state. */
  readonly skipSyncWait: boolean
  /** A commit of plain rows only leaves the head row alone. */
  readonly plainRowsWithoutHead: boolean
  /** A fence succeeds also in another transaction than the one that read the head. */
  readonly fenceWithoutTurn: boolean
}

/** What all parts of a run share. */
export interface Surroundings {
  readonly schedule: Schedule
  readonly chance: Chance
  readonly weather: Weather
  readonly sabotage: Sabotage
  /** Counts events, to show that the runs cover everything. */
  readonly met: (what: Encounter) => void
  readonly say: ((what: string) => void) | undefined
}

/** A database as the run sees it. */
export interface Database {
  readonly surroundings: Surroundings
  readonly timeline: Timeline
  /** All that is committed. */
  readonly state: State
  /** A failover lost commits. */
  readonly hasForgotten: boolean
  /** The server that a process connects to; each has its own preference. */
  pickServer(preference: number): Server
  /** Faults of the whole database by name; each takes a duration. */
  readonly blows: Readonly<Record<string, (briefMs: number) => void>>
  /** The worst of them. */
  failHard(downMs: number): void
}

/** What a session needs of the server it is connected to. */
export interface Server {
  readonly name: string
  readonly surroundings: Surroundings
  readonly lock: HeadLock
  /** What it shows. */
  readonly state: State
  readonly isUp: boolean
  readonly isFrozen: boolean
  /** Counts its restarts: sessions of an earlier one are gone. */
  readonly life: number
  /** The number of commits that it shows; a transaction conflicts with all later ones. */
  readonly position: number
  opened(session: Session): void
  ended(session: Session): void
  /** A timer of the server: late when it is frozen. */
  after(ms: number, run: () => void): Timer
  /** Calls back when the server shows all that was committed until now, on any node. */
  catchUp(done: () => void): void
  /** How long a COMMIT takes until it has an effect. */
  flushMs(): number
  /** Throws the server's error if it does not accept a commit of a transaction that read at a position. */
  check(request: Commit | Fence, since: number): void
  commit(request: Commit | Fence, since: number): void
  restart(downMs: number): void
}
