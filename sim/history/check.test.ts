import { expect, test } from 'vitest'
import { check } from './check.ts'
import { C1, C2, claimOf, freshBooks, operation, P1, P2, revisionsOf } from './hand-made.fixture.ts'
import type { Ask, Operation, OperationResult } from './operation.ts'
import { type Event, eventsOf, eventsWithLoss, type Revision } from './witness.ts'

const DONE: OperationResult = { kind: 'done' }
const UNKNOWN: OperationResult = { kind: 'unknown', why: 'the connection was lost' }
const NOTHING: OperationResult = { kind: 'nothing', why: '503' }

const start = freshBooks()
const takeTwo = claimOf(C1, null, { [P1]: 2 })
const seeConsumer: Ask = { kind: 'see-consumer', consumer: C1 }
const seeUsage: Ask = { kind: 'see-usage', provider: P1 }
const forget: Ask = { kind: 'forget', consumer: C1 }
const seen = (view: unknown): OperationResult => ({ kind: 'seen', view })
const isAbsent = seen({ holds: {} })
const used = (generation: number, amount: number): OperationResult => seen({ generation, used: amount })

const revisions = (...writes: Operation[]): Revision[] => revisionsOf(start, writes) as Revision[]
const history = (...writes: Operation[]): Event[] => eventsOf(revisions(...writes))

function violations(events: readonly Event[], ...operations: Operation[]): string[] {
  return check(start, events, operations).violations.map(({ what }) => what)
}

test('a claim that is read afterwards is linearizable', () => {
  const claim = operation(1, [0, 10], takeTwo, DONE)
  const view = { generation: 1, signature: 'w1', holds: { [P1]: { amount: 2, generation: 2 } } }
  const read = operation(2, [11, 12], seeConsumer, seen(view))
  expect(violations(history(claim), claim, read)).toEqual([])
})

test('a read beside a write may see it or not, but two reads one after the other may not go back', () => {
  const claim = operation(1, [0, 100], takeTwo, DONE)
  const before = used(1, 0)
  const after = used(2, 2)
  const readEarly = (result: OperationResult) => operation(2, [10, 20], seeUsage, result)
  const readLate = (result: OperationResult) => operation(3, [30, 40], seeUsage, result)
  expect(violations(history(claim), claim, readEarly(before), readLate(after))).toEqual([])
  expect(violations(history(claim), claim, readEarly(after), readLate(after))).toEqual([])
  expect(violations(history(claim), claim, readEarly(after), readLate(before))).toHaveLength(1)
})

test('a stale read: what was acknowledged before it began is not shown', () => {
  const claim = operation(1, [0, 10], takeTwo, DONE)
  const read = operation(2, [10.1, 12], seeConsumer, isAbsent)
  const [found] = violations(history(claim), claim, read)
  expect(found).toContain('only after events 0 to 0; by its times it lies after events 1 to 1')
})

test('a read of what is yet to come', () => {
  const claim = operation(1, [10, 20], takeTwo, DONE)
  const read = operation(2, [5, 8], seeUsage, used(2, 2))
  expect(violations(history(claim), claim, read)).toHaveLength(1)
})

test('a lost update: two claims at the same generation are both acknowledged', () => {
  const first = operation(1, [0, 10], takeTwo, DONE)
  const second = operation(2, [0, 10], claimOf(C1, null, { [P1]: 1 }), DONE)
  for (const events of [history(first), history(second)])
    expect(violations(events, first, second)).toEqual(['was acknowledged, and is not in the history'])
})

test('an update of the same consumer that was decided on an old state', () => {
  const first = operation(1, [0, 10], takeTwo, DONE)
  const second = operation(2, [0, 10], claimOf(C1, null, { [P1]: 1 }), DONE)
  const [one] = revisions(first)
  const [two] = revisions(second)
  const events = eventsOf([one as Revision, { ...(two as Revision), revision: 2 }])
  expect(violations(events, first, second)).toEqual([
    'revision 2: in consumers it finds null, which was not so',
  ])
})

test('a write that was seen and is gone again', () => {
  const claim = operation(1, [0, 10], takeTwo, DONE)
  const view = { generation: 1, signature: 'w1', holds: { [P1]: { amount: 2, generation: 2 } } }
  const read = operation(2, [11, 12], seeConsumer, seen(view))
  const gone = operation(3, [13, 14], seeConsumer, isAbsent)
  expect(violations(history(claim), claim, read, gone)).toHaveLength(1)
  // Nor is it allowed where nobody knows what became of the write.
  const unknown = { ...claim, result: UNKNOWN }
  expect(violations([], unknown, read, gone)).toHaveLength(1)
  expect(violations(history(unknown), unknown, read, gone)).toHaveLength(1)
})

test('a double effect: one claim, done again after it was released', () => {
  const claim = operation(1, [0, 10], takeTwo, DONE)
  const release = operation(2, [20, 30], forget, DONE)
  const events = history(claim, release, claim)
  expect(violations(events, claim, release)).toContain('was done twice')
})

test('a double effect: one release, done again', () => {
  const claim = operation(1, [0, 10], takeTwo, DONE)
  const release = operation(2, [20, 30], forget, DONE)
  const again = operation(3, [40, 50], claimOf(C1, null, { [P1]: 1 }), DONE)
  expect(violations(history(claim, release, again, release), claim, release, again)).toHaveLength(1)
})

test('an acknowledged release that is not in the history', () => {
  const claim = operation(1, [0, 10], takeTwo, DONE)
  const release = operation(2, [20, 30], forget, DONE)
  expect(violations(history(claim), claim, release)).toEqual(['was acknowledged, and is not in the history'])
})

test('two releases of one claim: one of them has to be refused', () => {
  const claim = operation(1, [0, 10], takeTwo, DONE)
  const release = operation(2, [20, 30], forget, DONE)
  const refused: OperationResult = { kind: 'refused', refusal: { kind: 'no-allocations' } }
  const other = (result: OperationResult) => operation(3, [20, 40], forget, result)
  expect(violations(history(claim, release), claim, release, other(refused))).toEqual([])
  expect(violations(history(claim, release), claim, release, other(UNKNOWN))).toEqual([])
  expect(violations(history(claim, release), claim, release, other(DONE))).toHaveLength(1)
})

test('a write with an unknown outcome may take effect later or never, but not before its request', () => {
  const claim = operation(1, [10, 20], takeTwo, UNKNOWN)
  const late = operation(2, [50, 60], seeUsage, used(1, 0))
  const later = operation(3, [70, 80], seeUsage, used(2, 2))
  const early = operation(4, [0, 5], seeUsage, used(2, 2))
  expect(violations([], claim, late)).toEqual([])
  expect(violations(history(claim), claim, late, later)).toEqual([])
  expect(violations(history(claim), claim, early)).toHaveLength(1)
})

test('a write that was reported to change nothing is in the history', () => {
  const claim = operation(1, [0, 10], takeTwo, NOTHING)
  expect(violations([], claim)).toEqual([])
  expect(violations(history(claim), claim)).toEqual(['revision 1 did what was answered with "nothing"'])
})

test('a refusal for a reason that was never true', () => {
  const claim = operation(1, [0, 10], claimOf(C1, null, { [P1]: 3 }), DONE)
  const short: OperationResult = { kind: 'refused', refusal: { kind: 'over-capacity', provider: P1 } }
  const other = (times: [number, number]) => operation(2, times, claimOf(C2, null, { [P1]: 2 }), short)
  expect(violations(history(claim), claim, other([5, 20]))).toEqual([])
  const claimLater = { ...claim, startMs: 30, endMs: 40 }
  expect(violations(history(claimLater), claimLater, other([5, 20]))).toHaveLength(1)
})

test('more given out than there is', () => {
  const first = operation(1, [0, 10], claimOf(C1, null, { [P1]: 3 }), DONE)
  const second = operation(2, [0, 10], claimOf(C2, null, { [P1]: 3 }), DONE)
  const wide = freshBooks(10)
  const events = eventsOf(revisionsOf(wide, [first, second]) as Revision[])
  expect(violations(events, first, second)).toEqual([`revision 2 gives out more of ${P1} than there is`])
})

test('half of a write for two consumers', () => {
  const both: Ask = {
    kind: 'claim',
    claims: [
      { consumer: C1, generation: null, holdings: { [P1]: 1 } },
      { consumer: C2, generation: null, holdings: { [P2]: 1 } },
    ],
  }
  const claim = operation(1, [0, 10], both, DONE)
  const half = revisions(operation(1, [0, 10], claimOf(C1, null, { [P1]: 1 }), DONE))
  expect(violations(history(claim), claim)).toEqual([])
  expect(violations(eventsOf(half), claim)[0]).toContain('did something else than was asked: p2 is')
})

test('writes that were done in another order than they were asked in', () => {
  const first = operation(1, [0, 10], takeTwo, DONE)
  const second = operation(2, [20, 30], claimOf(C2, null, { [P2]: 1 }), DONE)
  expect(violations(history(first, second), first, second)).toEqual([])
  expect(violations(history(second, first), first, second)).toHaveLength(1)
})

test('a revision without a request', () => {
  const claim = operation(7, [0, 10], takeTwo, DONE)
  expect(violations(history(claim))).toEqual(['revision 1 has a number that no operation used'])
})

test('a failover may take back what it lost, once, and at no other time', () => {
  const first = operation(1, [0, 10], takeTwo, DONE)
  const lost = operation(2, [20, 30], claimOf(C2, null, { [P2]: 1 }), DONE)
  const seenLost = operation(3, [31, 35], { kind: 'see-usage', provider: P2 }, used(2, 1))
  const seenGone = operation(4, [50, 55], { kind: 'see-usage', provider: P2 }, used(1, 0))
  const after = operation(5, [60, 70], claimOf(C2, null, { [P2]: 3 }), DONE)
  const all = [first, lost, seenLost, seenGone, after]
  const old = revisions(first, lost)
  const now = revisions(first, after)
  const { events, kept } = eventsWithLoss(old, now, [36, 45])
  expect(kept).toBe(1)
  const verdict = check(start, events, all)
  expect(verdict).toMatchObject({ violations: [], lost: [lost] })
  expect(violations(eventsOf(now), ...all)).not.toEqual([])
  const tooLate = eventsWithLoss(old, now, [56, 58])
  expect(violations(tooLate.events, ...all)).not.toEqual([])
})

test('a write that a failover took back may be done again', () => {
  const first = operation(1, [0, 10], takeTwo, DONE)
  const again = operation(2, [20, 70], claimOf(C2, null, { [P2]: 1 }), DONE)
  const other = operation(3, [50, 55], claimOf(C1, 1, { [P1]: 1 }), DONE)
  const { events } = eventsWithLoss(revisions(first, again), revisions(first, other, again), [36, 45])
  expect(violations(events, first, again, other)).toEqual([])
})

test('giving up what is not there changes nothing, and is right only where it is not there', () => {
  const claim = operation(1, [20, 30], takeTwo, DONE)
  const idle = (times: [number, number]) => operation(2, times, claimOf(C1, null, {}), DONE)
  expect(violations(history(claim), claim, idle([0, 10]))).toEqual([])
  expect(violations(history(claim), claim, idle([40, 50]))).toHaveLength(1)
})

test('a write that a failover took back may be tried again and be refused then, for what is true by then', () => {
  const first = operation(1, [0, 10], takeTwo, DONE)
  const refused: OperationResult = { kind: 'refused', refusal: { kind: 'over-capacity', provider: P2 } }
  const again = operation(2, [20, 70], claimOf(C2, null, { [P2]: 3 }), refused)
  const other = operation(3, [50, 55], claimOf(C1, 1, { [P2]: 4 }), DONE)
  const { events } = eventsWithLoss(revisions(first, again), revisions(first, other), [36, 45])
  expect(violations(events, first, again, other)).toEqual([])
  expect(violations(eventsOf(revisions(first, again)), first, again)).not.toEqual([])
})
