import type { Chance } from './schedule.ts'

/** The probability of each small fault, and all timeouts. Drawn by seed, so that runs differ in kind. */
export interface Weather {
  /** A request is lost with its connection before the server receives it. */
  cutBefore: number
  /** The server does what was requested, and the answer is lost with the connection. */
  cutAfter: number
  /** The same two for a COMMIT, where they matter most. */
  cutBeforeCommit: number
  cutAfterCommit: number
  /** A request, or an answer, takes longer than any timeout. */
  lateMessage: number
  lateCommit: number
  connectFails: number
  /** A process freezes after it got the lock. */
  pausesInTurn: number
  /** During that, a standby takes over that lacks commits which the process has yet to see. */
  losesInTurn: number
  /** The database rolls back a transaction (40001). */
  aborts: number
  /** A node that rolled back a transaction for a commit of another node goes on in a new one. */
  readonly replaces: number
  /** The database dies during a commit. */
  diesAtCommit: number
  /** The database refuses a request. */
  saysNo: number
  /** A turn waits until its node shows everything committed before; if not, only if memory is ahead of the node. */
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
  /** How long the nodes of a cluster wait for a silent one. */
  readonly evictMs: number
}

const RARE = [0, 0, 0, 0.005, 0.02, 0.08]
const AT_COMMIT = [0, 0, 0.01, 0.05, 0.2]

/** A run lacks half of the faults, and the others vary in probability, so that rare ones get their turn. */
export function weatherOf(chance: Chance): Weather {
  const rarely = () => chance.pick(RARE)
  const atCommit = () => chance.pick(AT_COMMIT)
  // Processes that freeze often: their memory is behind when they resume.
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
    replaces: chance.pick([0, 0.3, 1]),
    timeouts: {
      deadlineMs: chance.pick([600, 2_000, 5_000]),
      lockMs: chance.pick([500, 2_000]),
      idleMs: isFrosty ? 400 : chance.pick([400, 1_500, 5_000]),
      connectMs: 1_000,
      evictMs: chance.pick([300, 1_500]),
    },
  }
}

/** No faults from now on. */
export function clearUp(weather: Weather): void {
  weather.cutBefore = weather.cutAfter = weather.cutBeforeCommit = weather.cutAfterCommit = 0
  weather.lateMessage = weather.lateCommit = weather.connectFails = weather.aborts = weather.saysNo = 0
  weather.diesAtCommit = weather.pausesInTurn = weather.losesInTurn = 0
}
