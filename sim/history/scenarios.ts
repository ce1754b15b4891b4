/** Faults around correct servers, and what must hold in spite of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Postgres } from '../../test/postgres.ts'
import { ANSWER_MS, FROZEN_MS, type Stage, type StageRequest } from './stage.ts'
import { CUTS } from './wire.ts'

/** How long to wait for servers at most. */
const PATIENCE_MS = 10_000
/** Commits that a frozen server had sent may arrive after the look. */
const MARGIN = 8
const COMMITS_PER_CUT = 6
/** Fewer show too little. */
const WRITES_MIN = 60
const SLOW_MS_MAX = 25

export interface Scenario {
  readonly name: string
  readonly needs: Partial<Omit<StageRequest, 'random'>>
  /** Acknowledged writes may be lost; in all other scenarios none may be. */
  readonly mayLose?: true
  /** Injects faults for about this long; everything is repaired when it resolves. */
  run(stage: Stage, forMs: number): Promise<void>
}

export const scenarios: readonly Scenario[] = [
  { name: 'healthy', needs: {}, run: healthy },
  { name: 'killed-server', needs: {}, run: killedServer },
  { name: 'killed-postgres', needs: { durable: true }, run: killedPostgres },
  { name: 'frozen-server', needs: {}, run: frozenServer },
  { name: 'cut-at-commit', needs: { wired: true }, run: cutAtCommit },
  { name: 'slow-wire', needs: { wired: true }, run: slowWire },
  { name: 'silent-wire', needs: { wired: true }, run: silentWire },
  { name: 'promoted-synchronous', needs: { standby: true, durable: true }, run: promotedSynchronous },
  { name: 'promoted-with-loss', needs: { standby: true }, mayLose: true, run: promotedWithLoss },
]

/** Repeats while there is time, at least once. */
async function repeated(forMs: number, once: () => Promise<void>): Promise<void> {
  const endMs = performance.now() + forMs
  do await once()
  while (performance.now() < endMs)
}

const between = (stage: Stage, fromMs: number, toMs: number): Promise<void> =>
  sleep(fromMs + stage.random.below(toMs - fromMs))

async function healthy(stage: Stage, forMs: number): Promise<void> {
  await sleep(forMs)
  // The machine may be busy.
  await moreWrites(stage, WRITES_MIN - stage.recorder.writesDone)
}

async function killedServer(stage: Stage, forMs: number): Promise<void> {
  await repeated(forMs, async () => {
    await between(stage, 200, 700)
    const server = stage.any(stage.servers)
    stage.note(`kill -9 of server ${server.name}`)
    await server.kill()
    await between(stage, 50, 300)
    await server.start()
    stage.note(`server ${server.name} is back`)
  })
  await sleep(300)
}

async function killedPostgres(stage: Stage, forMs: number): Promise<void> {
  await repeated(forMs, async () => {
    await between(stage, 500, 1_200)
    stage.note('kill -9 of PostgreSQL')
    await stage.primary.kill9()
    await between(stage, 100, 600)
    await stage.primary.start()
    stage.note('PostgreSQL is back')
    await sleep(500)
  })
}

async function frozenServer(stage: Stage, forMs: number): Promise<void> {
  await repeated(forMs, async () => {
    await between(stage, 100, 500)
    const server = stage.any(stage.servers)
    stage.note(`server ${server.name} is frozen`)
    server.freeze()
    await between(stage, FROZEN_MS + 200, FROZEN_MS + 900)
    server.thaw()
    stage.note(`server ${server.name} goes on`)
  })
  await sleep(300)
}

async function cutAtCommit(stage: Stage, forMs: number): Promise<void> {
  for (const wire of stage.wires)
    wire.cutAtCommit(() => (stage.random.below(COMMITS_PER_CUT) === 0 ? stage.any(CUTS) : null))
  await repeated(forMs, () => between(stage, 300, 900).then(() => stage.any(stage.wires).cutAll()))
  const cuts = new Map<string, number>()
  for (const wire of stage.wires) {
    wire.cutAtCommit(null)
    for (const [cut, count] of wire.cuts) cuts.set(cut, (cuts.get(cut) ?? 0) + count)
  }
  stage.note(`cut at COMMIT: ${[...cuts].map(([cut, count]) => `${cut} ${count}`).join(', ')}`)
  // Delivers what was held back.
  await sleep(1_000)
}

async function slowWire(stage: Stage, forMs: number): Promise<void> {
  for (const wire of stage.wires) wire.slowDown(() => stage.random.below(SLOW_MS_MAX))
  await sleep(forMs)
  for (const wire of stage.wires) wire.slowDown(null)
}

/** For longer than a server looks for the outcome of a commit. */
async function silentWire(stage: Stage, forMs: number): Promise<void> {
  const endMs = performance.now() + forMs
  await between(stage, 200, 600)
  const server = stage.random.below(stage.wires.length)
  const [name, wire] = [stage.servers[server]?.name, stage.wires[server]]
  // One COMMIT is in flight, and its answer will not come.
  wire?.cutAtCommit(() => {
    wire.cutAtCommit(null)
    wire.fallSilent()
    stage.note(`server ${name} does not hear from the database any more`)
    return null
  })
  await between(stage, 3 * ANSWER_MS + FROZEN_MS, 4 * ANSWER_MS + FROZEN_MS)
  wire?.cutAtCommit(null)
  wire?.speakAgain()
  stage.note(`server ${name} hears from the database again`)
  await sleep(Math.max(500, endMs - performance.now()))
}

/** Without its standby, commits wait: what is committed only here is not acknowledged. */
async function promotedSynchronous(stage: Stage, forMs: number): Promise<void> {
  const { primary, standby } = stage as Stage & { standby: Postgres }
  await primary.configure({ synchronous_standby_names: "'standby'" })
  stage.note('commits wait for the standby')
  await sleep(forMs / 3)
  await standby.configure({ primary_conninfo: "''" })
  stage.note('the standby does not follow any more')
  await between(stage, 100, 600)
  await takeOver(stage, standby, forMs)
  await moreWrites(stage, 20)
}

/**
 * The standby stops following some time before the primary is killed. One server is frozen until the new history is
 * longer than the one that it knows: only the chain value shows the difference.
 */
async function promotedWithLoss(stage: Stage, forMs: number): Promise<void> {
  const { standby } = stage as Stage & { standby: Postgres }
  await sleep(forMs / 3)
  await standby.configure({ primary_conninfo: "''" })
  stage.note('the standby does not follow any more')
  await moreWrites(stage, 20)
  const late = stage.any(stage.servers)
  late.freeze()
  const { revision } = (await stage.look()).head
  stage.note(`server ${late.name} is frozen, at revision ${revision}`)
  stage.lossMs = await takeOver(stage, standby, forMs)
  for (let tries = 0; tries < 100 && (await stage.look()).head.revision <= revision + MARGIN; tries++)
    await sleep(100)
  late.thaw()
  stage.note(`server ${late.name} goes on`)
  await moreWrites(stage, 20)
}

async function moreWrites(stage: Stage, count: number): Promise<void> {
  const before = stage.recorder.writesDone
  const endMs = performance.now() + PATIENCE_MS
  while (stage.recorder.writesDone < before + count && performance.now() < endMs) await sleep(50)
}

async function takeOver(
  stage: Stage,
  standby: Postgres,
  forMs: number,
): Promise<readonly [fromMs: number, toMs: number]> {
  const fromMs = performance.now()
  stage.note('kill -9 of the primary')
  await stage.primary.kill9()
  await between(stage, 100, 500)
  await standby.promote()
  stage.current = standby
  const toMs = performance.now()
  stage.note('the standby is the primary')
  await sleep(forMs / 3)
  return [fromMs, toMs]
}
