import type { Outcome } from '../world/decision.ts'
import type { World } from '../world/world.ts'
import { type DecisionKind, type DecisionPut, makeScheduleRows, type OpenDecision } from './decisions/rows.ts'
import type { ChoiceSummary } from './framework/choice-summary.ts'
import type { SchedulingSetup } from './framework/setup.ts'
import { chooseHosts } from './hosts/choose.ts'
import type { ClaimHosts } from './hosts/claim.ts'
import type { ChoiceSteps } from './hosts/host-selection.ts'
import type { Scheduled, ScheduleOrder, ScheduleRefusal } from './hosts/place-servers.ts'
import type { ServerAsk } from './hosts/server-spec.ts'

/** For metrics. */
export interface ScheduleObserver {
  decided(kind: DecisionKind | 'share' | 'share-move', outcome: 'placed' | 'refused'): void
  /** Others took the chosen hosts before the claim, so hosts are chosen again. */
  overtaken(): void
  /** A filter removed this many hosts of a request that found none. */
  hostsRemoved(filter: string, hosts: number): void
  /** A choice begins. The returned observer, if any, is called after each step. */
  choosing?(): ChoiceSteps | null
}

export interface SchedulerParts {
  readonly world: World
  readonly setup: () => SchedulingSetup
  readonly newUuid: () => string
  readonly newSeed: () => number
  readonly observer: ScheduleObserver
}

interface ScheduleRequest {
  /** Called before each try, because names may refer to something else by then. */
  readonly readAsk: () => ServerAsk
  readonly seed: number | undefined
  readonly alternates: number | undefined
  readonly isDryRun: boolean
  /** For a move: the consumer that keeps the old allocations. */
  readonly sourceHolder: string | null
}

type ScheduleOutcome = Outcome<Scheduled, ScheduleRefusal>

/** The outcome of a request, for its answer. */
export interface ScheduleResult {
  readonly decision: string
  readonly order: ScheduleOrder
  readonly isDryRun: boolean
  /** How the first server was chosen, if it was. */
  readonly choice: ChoiceSummary | null
  readonly outcome: ScheduleOutcome
}

type ClaimCommand = ClaimHosts & {
  readonly kind: 'scheduling:claim' | 'scheduling:choose-and-claim'
}

/** Writes decisions to the store. The caller supplies it, because the answer may be stored in the same commit. */
export interface DecisionWriter<Response> {
  /**
   * Submits a command. `conclude` makes the result from the outcome. If it returns null, there is no result
   * yet, and `claim` resolves to null too. `rows` are part of the command's commit.
   */
  claim(
    command: ClaimCommand,
    conclude: (outcome: ScheduleOutcome) => ScheduleResult | null,
    rows: (outcome: ScheduleOutcome, nowMs: number, revision: number) => readonly DecisionPut[],
  ): Promise<Response | null>
  /** Stores the rows of a decision that claims nothing. */
  note(result: ScheduleResult, rows: (nowMs: number) => readonly DecisionPut[]): Promise<Response>
}

const ALTERNATES = 2
/** How often hosts are chosen for one request. The last time, one command chooses and claims. */
const TRIES_MAX = 4

/**
 * Chooses on the current world without blocking other requests, then submits a command to claim the choice.
 * If others were faster, it chooses again; the last time within the command itself.
 */
export async function schedule<Response>(
  parts: SchedulerParts,
  request: ScheduleRequest,
  writer: DecisionWriter<Response>,
): Promise<Response> {
  const decision = parts.newUuid()
  const seed = request.seed ?? parts.newSeed()
  for (let tries = 1; ; tries++) {
    const order: ScheduleOrder = {
      ask: request.readAsk(),
      setup: parts.setup(),
      seed,
      sourceHolder: request.sourceHolder,
      alternates: request.alternates ?? ALTERNATES,
    }
    const attempt = { decision, order, isDryRun: request.isDryRun, isLast: tries === TRIES_MAX }
    const response = await scheduleOnce(parts, attempt, writer)
    if (response !== null) return response
  }
}

interface Attempt {
  readonly decision: string
  readonly order: ScheduleOrder
  readonly isDryRun: boolean
  readonly isLast: boolean
}

/** Null if others were faster. */
async function scheduleOnce<Response>(
  { world, observer }: SchedulerParts,
  { decision, order, isDryRun, isLast }: Attempt,
  writer: DecisionWriter<Response>,
): Promise<Response | null> {
  const { revision } = world
  // Alternates are searched after the claim.
  const steps = observer.choosing?.() ?? null
  const chosen = chooseHosts(world, isDryRun ? order : { ...order, alternates: 0 }, steps)
  const first = chosen.ok ? chosen.answer.choice : null
  const kind: DecisionKind = isDryRun ? 'dry-run' : order.ask.operation === 'move' ? 'move' : 'schedule'
  const open: OpenDecision = { id: decision, kind, order, revision, first }
  const makeResult = (outcome: ScheduleOutcome): ScheduleResult => ({
    decision,
    order,
    isDryRun,
    outcome,
    choice: (outcome.ok ? outcome.answer.choice : null) ?? first,
  })
  if (isDryRun || !chosen.ok) {
    report(observer, kind, chosen)
    return writer.note(makeResult(chosen), nowMs => makeScheduleRows(open, chosen, nowMs, revision))
  }
  let last: ScheduleOutcome = chosen
  const { rankedHosts } = chosen.answer
  try {
    return await writer.claim(
      {
        kind: isLast ? 'scheduling:choose-and-claim' : 'scheduling:claim',
        ...order,
        decision,
        rankedHosts,
      },
      outcome => {
        last = outcome
        return isOvertaken(outcome) && !isLast ? null : makeResult(outcome)
      },
      (outcome, nowMs, claimed) =>
        isOvertaken(outcome) ? [] : makeScheduleRows(open, outcome, nowMs, claimed),
    )
  } finally {
    report(observer, kind, last)
  }
}

/** The choice became outdated before the claim, so choose again. */
const isOvertaken = (outcome: ScheduleOutcome): boolean =>
  !outcome.ok && (outcome.refusal.kind === 'ranked-hosts-stale' || outcome.refusal.kind === 'server-changed')

function report(observer: ScheduleObserver, kind: DecisionKind, outcome: ScheduleOutcome): void {
  if (isOvertaken(outcome)) {
    observer.overtaken()
    return
  }
  observer.decided(kind, outcome.ok ? 'placed' : 'refused')
  if (!outcome.ok && outcome.refusal.kind === 'no-host')
    for (const { filter, before, after } of outcome.refusal.choice.funnel)
      observer.hostsRemoved(filter, before - after)
}
