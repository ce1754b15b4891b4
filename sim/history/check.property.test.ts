/**
 * The checker against a plain search through all orders, on histories small enough for that: with some order of the
 * writes it accepts a history just if the search finds a linearization.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Random } from '../../src/kernel/random.ts'
import { type Books, done, isReadOf, view } from './books.ts'
import { check } from './check.ts'
import { mayHaveEffect } from './explain.ts'
import { C1, C2, claimOf, freshBooks, operation, P1, revisionsOf } from './hand-made.fixture.ts'
import { type Ask, isWrite, type Operation, type OperationResult } from './operation.ts'
import { eventsOf } from './witness.ts'

const RUNS = Number(process.env.BERTH_PROPERTY_RUNS ?? 2_000)

/** Wing and Gong: next comes one that began before any other of those left ended. */
function isLinearizable(books: Books, left: readonly Operation[]): boolean {
  const must = left.filter(({ result }) => result.kind !== 'unknown' && result.kind !== 'nothing')
  if (must.length === 0) return true
  const endMs = Math.min(...must.map(one => one.endMs))
  return left.some(one => {
    if (one.startMs > endMs || one.result.kind === 'nothing') return false
    const after = allowed(books, one)
    return (
      after !== null &&
      isLinearizable(
        after,
        left.filter(other => other !== one),
      )
    )
  })
}

/** The books after an operation was done here and answered as it was; null if it cannot have been. */
function allowed(books: Books, { id, ask, result }: Operation): Books | null {
  if (isReadOf(ask))
    return result.kind === 'seen' && isDeepStrictEqual(view(books, ask), result.view) ? books : null
  const outcome = done(books, id, ask)
  if (result.kind === 'refused')
    return !outcome.ok && isDeepStrictEqual(outcome.refusal, result.refusal) ? books : null
  if (!outcome.ok) return null
  const isTold = result.kind === 'done' && result.generation === outcome.generation
  return result.kind === 'unknown' || isTold ? outcome.books : null
}

/** Whether the checker accepts it with some history of the writes. */
function isAccepted(start: Books, operations: readonly Operation[]): boolean {
  const writes = operations.filter(one => isWrite(one.ask) && mayHaveEffect(one))
  return orders(writes).some(order => {
    const revisions = revisionsOf(start, order)?.filter(({ ops }) => ops.length > 0) ?? null
    return revisions !== null && check(start, eventsOf(revisions), operations).violations.length === 0
  })
}

/** Every order of every part of it. */
function orders<T>(items: readonly T[]): T[][] {
  return [
    [],
    ...items.flatMap(one => orders(items.filter(other => other !== one)).map(rest => [one, ...rest])),
  ]
}

/** What a single server would tell if it did everything in some order that fits the times, and then some lies. */
function randomHistory(random: Random): Operation[] {
  const count = 3 + random.below(4)
  const asks = Array.from({ length: count }, () => randomAsk(random))
  const times = asks.map(() => {
    const startMs = random.below(20)
    return { startMs, endMs: startMs + 1 + random.below(12), atMs: 0 }
  })
  for (const one of times) one.atMs = one.startMs + (one.endMs - one.startMs) * (random.below(100) / 100)
  const order = asks.map((_, at) => at).sort((a, b) => (times[a]?.atMs ?? 0) - (times[b]?.atMs ?? 0))
  let books = freshBooks()
  const result: OperationResult[] = []
  for (const at of order) {
    const ask = asks[at] as Ask
    const said = answered(books, at + 1, ask)
    result[at] = said.result
    if (random.below(8) === 0 && isWrite(ask)) {
      result[at] = random.below(3) === 0 ? { kind: 'nothing', why: '' } : { kind: 'unknown', why: '' }
      if (random.below(2) === 0) continue
    }
    books = said.books
  }
  const operations = asks.map((ask, at) => {
    const { startMs, endMs } = times[at] as (typeof times)[number]
    return operation(at + 1, [startMs, endMs], ask, result[at] as OperationResult)
  })
  const lies = random.below(2) * (1 + random.below(3))
  return Array.from({ length: lies }).reduce<Operation[]>(all => withLie(random, all), operations)
}

function answered(
  books: Books,
  id: number,
  ask: Ask,
): { readonly result: OperationResult; readonly books: Books } {
  if (isReadOf(ask)) return { result: { kind: 'seen', view: view(books, ask) }, books }
  const outcome = done(books, id, ask)
  if (!outcome.ok) return { result: { kind: 'refused', refusal: outcome.refusal }, books }
  const { generation } = outcome
  return { result: { kind: 'done', ...(generation !== undefined && { generation }) }, books: outcome.books }
}

function randomAsk(random: Random): Ask {
  const consumer = random.below(3) === 0 ? C2 : C1
  const generation = random.below(3) === 0 ? 1 : null
  switch (random.below(8)) {
    case 0:
    case 1:
      return { kind: 'forget', consumer }
    case 2:
      return claimOf(consumer, random.below(3) === 0 ? null : 1, {})
    case 3:
      return { kind: 'see-consumer', consumer }
    case 4:
      return { kind: 'see-usage', provider: P1 }
    case 5:
      return { kind: 'resize', provider: P1, generation: 1 + random.below(3), total: 2 + random.below(4) }
    default:
      return claimOf(consumer, generation, { [P1]: 1 + random.below(3) })
  }
}

/** One that was answered later or earlier than it was, or two answers that were exchanged. */
function withLie(random: Random, operations: Operation[]): Operation[] {
  const at = random.below(operations.length)
  const one = operations[at] as Operation
  const same = operations.filter(other => other.ask.kind === one.ask.kind)
  const other = same[random.below(same.length)] as Operation
  const byMs = random.below(32) - 16
  return operations.map(each =>
    each === one
      ? { ...one, result: other.result, startMs: one.startMs + byMs, endMs: one.endMs + byMs }
      : each,
  )
}

test('accepts what a search through all orders accepts, and nothing else', () => {
  const verdicts = { linearizable: 0, not: 0 }
  fc.assert(
    fc.property(fc.integer(), seed => {
      const operations = randomHistory(new Random(seed))
      const expected = isLinearizable(freshBooks(), operations)
      verdicts[expected ? 'linearizable' : 'not']++
      expect(isAccepted(freshBooks(), operations)).toBe(expected)
    }),
    { numRuns: RUNS },
  )
  // Both happen often enough to mean something.
  expect(verdicts.linearizable).toBeGreaterThan(RUNS / 10)
  expect(verdicts.not).toBeGreaterThan(RUNS / 10)
})
