/** One run: three servers, traffic, a scenario, and then all checks. */
import { Random } from '../../src/kernel/random.ts'
import type { Head } from '../../src/store/store.ts'
import { agreeing, caughtUp, recovered, wrongRows } from './aftermath.ts'
import { check, type Verdict } from './check.ts'
import { type StoredHistory, storedHistory, withDatabase } from './database.ts'
import { ChangesFollower } from './follower.ts'
import type { Operation } from './operation.ts'
import type { Counts } from './recorder.ts'
import type { Scenario } from './scenarios.ts'
import { type AnyStage, look, Stage } from './stage.ts'
import { Traffic } from './traffic.ts'
import { type Event, eventsOf, eventsWithLoss, type Revision } from './witness.ts'

interface RunRequest {
  readonly scenario: Scenario
  readonly seed: number
  readonly forMs: number
  readonly mutation?: string
}

export interface Result {
  readonly scenario: string
  readonly seed: number
  readonly mutation: string | null
  readonly counts: Counts
  readonly revisions: number
  readonly events: readonly Event[]
  readonly operations: readonly Operation[]
  readonly verdict: Verdict
  /** Faults besides the history of the clients. */
  readonly problems: readonly string[]
  readonly notes: readonly string[]
  readonly recoveryMs: number
  /** The end of each server's log. */
  readonly logs: Readonly<Record<string, string>>
}

export const isWell = ({ verdict, problems }: Result): boolean =>
  verdict.violations.length === 0 && problems.length === 0

export async function run({ scenario, seed, forMs, mutation }: RunRequest): Promise<Result> {
  const needs = { durable: false, standby: false, wired: false, ...scenario.needs }
  const stage = await Stage.set({ ...needs, random: new Random(seed), mutation })
  return runOn(stage, scenario, { seed, forMs, mutation })
}

/** The faults to inject. */
interface Ordeal<S extends AnyStage> {
  readonly name: string
  readonly mayLose?: true
  run(stage: S, forMs: number): Promise<void>
}

export async function runOn<S extends AnyStage>(
  stage: S,
  scenario: Ordeal<S>,
  { seed, forMs, mutation }: { seed: number; forMs: number; mutation?: string | undefined },
): Promise<Result> {
  try {
    const start = await look(stage)
    const followers = stage.servers.map(
      ({ name, url }) => new ChangesFollower(name, url, start.head.revision),
    )
    const traffic = new Traffic(stage.servers, stage.recorder, new Random(seed + 1))
    traffic.start()
    stage.note('clients begin')
    await scenario.run(stage, forMs)
    stage.note('that was all')
    await traffic.stop()
    stage.note('every client has its last answer')
    const recovery = await recovered(stage)
    const agreed = await agreeing(stage.servers)
    await caughtUp(followers, (await look(stage)).head.revision)
    const ended = stage.servers.flatMap(({ name, endedByItself }) =>
      endedByItself === null ? [] : [`server ${name}: ${endedByItself}`],
    )
    const logs = Object.fromEntries(stage.servers.map(server => [server.name, server.log()]))
    const histories = await allHistories(stage, start.head)
    const { operations, counts } = stage.recorder
    const events = eventsOfAll(histories, stage.lossMs)
    const verdict = check(start.books, events, operations)
    return {
      scenario: scenario.name,
      seed,
      mutation: mutation ?? null,
      counts,
      operations,
      events,
      logs,
      revisions: histories.at(-1)?.revisions.length ?? 0,
      verdict,
      problems: [
        ...ended,
        ...recovery.problems,
        ...agreed,
        ...histories.flatMap(history => history.problems),
        ...followers.flatMap((one, at) =>
          toldWrong(one, histories, scenario, stage.servers[at]?.endedByItself !== null),
        ),
        ...(verdict.final === null ? [] : await wrongRows(stage.url, verdict.final)),
        ...wrongLosses(verdict, scenario),
      ],
      notes: stage.notes,
      recoveryMs: recovery.slowestMs,
    }
  } finally {
    await stage.clear()
  }
}

/** The history of the database now; after a failover, also that of the earlier database. */
async function allHistories(stage: AnyStage, after: Head): Promise<StoredHistory[]> {
  const read = (url: string) => withDatabase(url, ask => storedHistory(ask, after))
  const now = await read(stage.url)
  if (stage.lossMs === null) return [now]
  return [await read(await stage.openFormer()), now]
}

function eventsOfAll(histories: readonly StoredHistory[], lossMs: AnyStage['lossMs']): readonly Event[] {
  const [first, second] = histories as [StoredHistory, StoredHistory?]
  if (second === undefined || lossMs === null) return eventsOf(first.revisions)
  return eventsWithLoss(first.revisions, second.revisions, lossMs).events
}

function toldWrong(
  follower: ChangesFollower,
  histories: readonly StoredHistory[],
  { mayLose }: Pick<Scenario, 'mayLose'>,
  isEnded: boolean,
): string[] {
  if (isEnded) return []
  const problems = follower.problems(histories.map(({ revisions }): readonly Revision[] => revisions))
  if (mayLose !== true && follower.breaks > 0)
    problems.push(`a follower at ${follower.server} had to start again, though nothing was lost`)
  return problems
}

function wrongLosses({ lost }: Verdict, { mayLose }: Pick<Scenario, 'mayLose'>): string[] {
  if (mayLose !== true) return lost.length > 0 ? [`${lost.length} acknowledged writes were lost`] : []
  return lost.length > 0 ? [] : ['nothing was lost, so that this shows nothing']
}
