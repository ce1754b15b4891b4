import type { Chance } from './schedule.ts'

/** How likely each small fault is, and how patient everybody is. All by seed, so that runs differ in kind. */
export interface Weather {
  /** A request is lost with its connection before the server has it. */
  cutBefore: number
  /** The server does what it was asked, and the answer is lost with the connection. */
  cutAfter: number
  /** The same two for a COMMIT, where they matter most. */
  cutBeforeCommit: number
  cutAfterCommit: number
  /** A request, or an answer, takes longer than anybody waits. */
  lateMessage: number
  lateCommit: number
  connectFails: number
  /** A process stops for a while after it was given the lock. */
  pausesInTurn: number
  /** While it is stopped so, a standby takes over that lacks commits which the process is still to hear of. */
  losesInTurn: number
  /** The database takes a transaction back (40001). */
  aborts: number
  /** The database dies while it makes a commit durable. */
  diesAtCommit: number
  /** The database says no to a request. */
  saysNo: number
  /** A turn waits until its node shows all that was committed before; if not, only where memory is ahead of the node. */
  readonly turnsWait: boolean
  readonly networkMs: number
  readonly serverMs: number
  /** How long a node usually takes to show a commit of another. */
  readonly applyMs: number
  readonly timeouts: Timeouts
}

interface Timeouts {
  readonly deadlineMs: number
  readonly lockMs: number
  readonly idleMs: number
  readonly connectMs: number
  /** The nodes of a cluster wait so long for one that is silent. */
  readonly evictMs: number
}

const RARE = [0, 0, 0, 0.005, 0.02, 0.08]
const AT_COMMIT = [0, 0, 0.01, 0.05, 0.2]

/** Half of the faults are absent from a run, and the others are more or less likely: rare ones get their turn. */
export function weatherOf(chance: Chance): Weather {
  const rarely = () => chance.pick(RARE)
  const atCommit = () => chance.pick(AT_COMMIT)
  // Processes that freeze often: their memory is behind when they go on.
  const isFrosty = chance.happens(0.2)
  return {
    cutBefore: rarely(),
    cutAfter: rarely(),
    cutBeforeCommit: atCommit(),
    cutAfterCommit: atCommit(),
    lateMessage: rarely(),
    lateCommit: atCommit(),
    pausesInTurn: isFrosty ? 0.2 : chance.pick([0, 0, 0, 0.05]),
    losesInTurn: chance.pick([0, 0.3]),
    connectFails: chance.pick([0, 0, 0.05, 0.3]),
    aborts: atCommit(),
    diesAtCommit: chance.pick([0, 0, 0, 0.03]),
    saysNo: rarely(),
    turnsWait: chance.happens(0.5),
    networkMs: chance.pick([0.5, 2, 10]),
    serverMs: chance.pick([0.5, 2, 10]),
    applyMs: chance.pick([1, 30, 300]),
    timeouts: {
      deadlineMs: chance.pick([600, 2_000, 5_000]),
      lockMs: chance.pick([500, 2_000]),
      idleMs: isFrosty ? 400 : chance.pick([400, 1_500, 5_000]),
      connectMs: 1_000,
      evictMs: chance.pick([300, 1_500]),
    },
  }
}

/** From now on nothing goes wrong. */
export function clearUp(weather: Weather): void {
  weather.cutBefore = weather.cutAfter = weather.cutBeforeCommit = weather.cutAfterCommit = 0
  weather.lateMessage = weather.lateCommit = weather.connectFails = weather.aborts = weather.saysNo = 0
  weather.diesAtCommit = weather.pausesInTurn = weather.losesInTurn = 0
}
