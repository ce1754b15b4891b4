import { isDeepStrictEqual } from 'node:util'
import { describeHead, nextChain } from '../../src/store/chain.ts'
import { mirroredTables } from '../../src/world/tables.ts'
import { World } from '../../src/world/world.ts'
import { keyOf, overbooked, rules, signerOf } from './cloud.ts'
import type { Database } from './database.ts'
import type { Attempt, Ledger, Write } from './ledger.ts'
import { plainRow, type Rows } from './state.ts'
import { type Moment, wasHeadBetween } from './timeline.ts'

/** Compares all answers to clients with all that was stored. */
export function verdict(ledger: Ledger, database: Database): string[] {
  const { timeline } = database
  const byRequest = Map.groupBy(timeline.moments, ({ committed }) =>
    committed === null ? null : signerOf(committed.change),
  )
  return [
    ...brokenHistory(timeline.history()),
    ...timeline.moments.flatMap(({ rows }) => overbooked(rows)),
    ...ledger.writes.flatMap(write => wrongAnswers(write, byRequest.get(write.request) ?? [])),
    ...ledger.writes.flatMap(write => wrongKeys(write, byRequest.get(write.request) ?? [], database)),
    ...wrongRefusals(ledger.writes, timeline.moments),
  ]
}

function brokenHistory(history: readonly Moment[]): string[] {
  return history.slice(1).flatMap(({ head, committed }, at) => {
    const before = (history[at] as Moment).head
    const isNext =
      head.revision === before.revision + 1 &&
      head.chain === nextChain(before.chain, committed?.batchId ?? '')
    return isNext ? [] : [`${describeHead(head)} does not follow ${describeHead(before)}`]
  })
}

function wrongAnswers(write: Write, moments: readonly Moment[]): string[] {
  const found: string[] = []
  const wrong = (what: string) => found.push(`request ${write.request} ${what}`)
  const live = moments.filter(moment => moment.lostMs === Number.POSITIVE_INFINITY)
  if (live.length > 1) wrong(`is stored ${live.length} times`)
  for (const attempt of write.attempts) {
    if (attempt.answer === null) wrong(`to ${attempt.process} was never answered`)
    else if (attempt.answer.kind === 'done') {
      if (!moments.some(one => isWithin(one.committedMs, attempt)))
        wrong('was answered as done, and nothing was stored in its time')
    } else if (attempt.answer.kind === 'taken') {
      if (attempt === write.attempts[0]) wrong('finds its key taken at the first attempt')
    } else if (isWithoutEffect(attempt)) {
      // Earlier attempts may have been stored; this one must not be, ever.
      const isFirst = attempt === write.attempts[0]
      if (isFirst && moments.some(one => one.lostMs > attempt.endMs))
        wrong(`was answered as ${attempt.answer.kind}, and is stored`)
    }
  }
  return found
}

const isWithin = (ms: number, { startMs, endMs }: Attempt): boolean => startMs <= ms && ms <= endMs

const isWithoutEffect = ({ answer }: Attempt): boolean =>
  answer?.kind === 'refused' || answer?.kind === 'failed' || answer?.kind === 'nothing'

/** The plain row of a key is stored in the commit of its write, or not at all. */
function wrongKeys(write: Write, moments: readonly Moment[], database: Database): string[] {
  if (!write.isKeyed) return []
  const { request, attempts } = write
  const row = plainRow(database.state, 'idempotency_keys', keyOf(request))
  const isStored = moments.some(one => one.lostMs === Number.POSITIVE_INFINITY)
  const answers = attempts.map(({ answer }) => answer?.kind)
  if (isStored && row?.status !== 200) return [`request ${request} is stored without its key`]
  if (row?.status === 200 && !isStored && !answers.includes('nothing') && !mayBeNothing(answers))
    return [`the key of request ${request} is stored without the write`]
  if (row === null && answers.includes('refused') && !database.hasForgotten)
    return [`the key of request ${request}, which was refused, is not stored`]
  if (row !== null && answers.length === 1 && answers[0] === 'failed')
    return [`the key of request ${request}, which failed, is stored`]
  return []
}

/** A write that was accepted and changed nothing, but whose answer came late. */
const mayBeNothing = (answers: readonly (string | undefined)[]): boolean => answers.includes('uncertain')

/** A refusal, or "nothing to do", must have been right at some moment between request and answer. */
function wrongRefusals(writes: readonly Write[], moments: readonly Moment[]): string[] {
  const open = new Set<{ readonly write: Write; readonly attempt: Attempt }>()
  for (const write of writes)
    for (const attempt of write.attempts)
      if (attempt.answer?.kind === 'refused' || attempt.answer?.kind === 'nothing')
        open.add({ write, attempt })
  for (const moment of moments) {
    let world: World | null = null
    for (const one of open) {
      if (!wasHeadBetween(moment, one.attempt.startMs, one.attempt.endMs)) continue
      world ??= worldOf(moment.rows)
      if (isAnsweredLikewise(world, one.write, one.attempt)) open.delete(one)
    }
  }
  return [...open].map(
    ({ write, attempt }) =>
      `request ${write.request} was answered with ${JSON.stringify(attempt.answer)}, which was true at no time from ${attempt.startMs.toFixed(1)} to ${attempt.endMs.toFixed(1)}`,
  )
}

function isAnsweredLikewise(world: World, { claims }: Write, { answer }: Attempt): boolean {
  const decision = rules.act(world, { request: -1, claims }, 0)
  if (decision.ok) return answer?.kind === 'nothing' && !decision.answer.isSigned
  return answer?.kind === 'refused' && isDeepStrictEqual(decision.refusal, answer.refusal)
}

export function worldOf(rows: Rows): World {
  const world = new World()
  for (const { name } of mirroredTables)
    for (const row of rows.get(name)?.values() ?? []) world.load(name, row)
  return world
}
