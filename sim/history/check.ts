/**
 * Checks that the answers to clients are linearizable: that every operation has a moment between its request
 * and its answer, such that all answers are those of a single server that does one operation after the other.
 *
 * In general that is expensive. Here the history in the database gives the order of the writes, which is not trusted
 * but checked: each revision must be what one write does at that point; each acknowledged write must be there once,
 * others at most once; each refusal and each read must be right at some point; and all of it must fit the times.
 * An order that passes is a linearization of the
 * whole history, and thus of that of each provider and each consumer.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Books, done, isReadOf, view } from './books.ts'
import { type DoneWrite, type Explained, explained, mayHaveEffect, type Violation } from './explain.ts'
import { isIdle, isSigned, isWrite, type Operation, objectsOf, shortened } from './operation.ts'
import { type Choice, type Option, Search } from './search.ts'
import { type Clash, Timeline } from './timeline.ts'
import type { Event } from './witness.ts'

export interface Verdict {
  readonly violations: readonly Violation[]
  /** Acknowledged, and lost in a failover. */
  readonly lost: readonly Operation[]
  readonly final: Books | null
}

export function check(start: Books, events: readonly Event[], operations: readonly Operation[]): Verdict {
  const story = explained(start, events, operations)
  const violations = [...story.violations]
  if (story.states.length <= events.length)
    return { violations: [...violations, ...faults(operations)], lost: [], final: null }
  const timeline = new Timeline(events.length)
  const search = new Search(timeline, (earlier, later) => isLost(events, earlier, later))
  const signed = boundsOfSigned(story, events, operations, timeline)
  const unsigned = placedUnsigned(story, operations, search)
  const answers = placedAnswers(story, operations, timeline, search)
  const rest = search.solve([...unsigned.left, ...answers.left], () => unsigned.missing().length === 0)
  if (rest !== null) violations.push(unsolved(rest, unsigned.missing()))
  violations.push(...signed.violations, ...unsigned.violations, ...answers.violations, ...faults(operations))
  return { violations, lost: lostOf(story, events, operations), final: story.states.at(-1) as Books }
}

function faults(operations: readonly Operation[]): Violation[] {
  return operations
    .filter(({ result }) => result.kind === 'fault')
    .map(one => ({ what: 'no server may answer like that', operations: [one], objects: [] }))
}

/** Whether a failover between two events has undone the first. */
function isLost(events: readonly Event[], event: number, until: number): boolean {
  for (let at = event; at < until; at++) {
    const later = events[at]
    if (later?.kind === 'loss' && later.kept < event) return true
  }
  return false
}

function boundsOfSigned(
  { signed }: Explained,
  events: readonly Event[],
  operations: readonly Operation[],
  timeline: Timeline,
): { readonly violations: readonly Violation[] } {
  const violations: Violation[] = []
  for (const [at, event] of events.entries())
    if (event.kind === 'loss') {
      const clash =
        timeline.notBefore(at + 1, event.fromMs, null) ?? timeline.notAfter(at + 1, event.toMs, null)
      if (clash !== null) violations.push(clashed(clash))
    }
  for (const one of operations) {
    if (!isWrite(one.ask) || !isSigned(one.ask) || !mayHaveEffect(one)) continue
    const found = signed.get(one.id) ?? []
    const last = found.at(-1)
    const wrong = (what: string) => violations.push({ what, operations: [one], objects: [] })
    for (const [nth, event] of found.slice(1).entries())
      if (!isLost(events, found[nth] as number, event)) wrong('was done twice')
    if (last === undefined) {
      if (one.result.kind === 'done') wrong('was acknowledged, and is not in the history')
      continue
    }
    const clash =
      timeline.notBefore(found[0] as number, one.startMs, one) ??
      (one.result.kind === 'done' ? timeline.notAfter(last, one.endMs, one) : null)
    if (clash !== null) violations.push(clashed(clash))
  }
  return { violations }
}

function clashed({ at, notBefore, notAfter }: Clash): Violation {
  const operations = [notAfter, notBefore].filter(one => one !== null)
  const what =
    `event ${at} of the history must be over when the first of these ends, and cannot have begun before the ` +
    'other one does'
  return { what, operations, objects: operations.flatMap(({ ask }) => objectsOf(ask) ?? []) }
}

function placedUnsigned(story: Explained, operations: readonly Operation[], search: Search) {
  const violations: Violation[] = []
  const choices = story.unsigned.map(({ event, candidates }): Choice & { event: number } => ({
    event,
    atMs: Math.min(...candidates.map(one => one.startMs)),
    options: candidates.map(by => ({ kind: 'doer', event, by })),
  }))
  const { left, impossible } = search.settle(choices)
  for (const { options } of impossible)
    violations.push({
      what: 'the history has a release at a point where none of these can have done it, or one that no client asked for',
      operations: options.map(option => option.by),
      objects: [],
    })
  const acknowledged = operations.filter(
    ({ ask, result }) => isWrite(ask) && !isSigned(ask) && !isIdle(ask) && result.kind === 'done',
  )
  const reachable = new Set(left.flatMap(({ options }) => options.map(option => option.by)))
  for (const one of acknowledged)
    if (!search.hasDone(one) && !reachable.has(one))
      violations.push({
        what: 'was acknowledged, and is not in the history',
        operations: [one],
        objects: objectsOf(one.ask) ?? [],
      })
  const missing = () => acknowledged.filter(one => !search.hasDone(one) && reachable.has(one))
  return { violations, left, missing }
}

/** Reads, refusals and writes that change nothing must be right at some point. */
function placedAnswers(
  { states }: Explained,
  operations: readonly Operation[],
  timeline: Timeline,
  search: Search,
) {
  const answers = operations.filter(
    ({ ask, result }) =>
      result.kind === 'seen' ||
      result.kind === 'refused' ||
      (result.kind === 'done' && isWrite(ask) && isIdle(ask)),
  )
  const choices = answers.map(one => {
    const { first, last } = timeline.places(one.startMs, one.endMs)
    return { one, atMs: one.startMs, options: rightPlaces(states, one, first, last) }
  })
  const { left, impossible } = search.settle(choices)
  const violations = (impossible as typeof choices).map(({ one }) => misplaced(states, one, timeline))
  return { violations, left }
}

function rightPlaces(states: readonly Books[], by: Operation, first: number, last: number): Option[] {
  const options: Option[] = []
  let began: number | null = null
  for (let at = first; at <= last + 1; at++) {
    const isRight = at <= last && at < states.length && isRightAnswer(states[at] as Books, by)
    if (isRight) began ??= at
    else if (began !== null) {
      options.push({ kind: 'place', first: began, last: at - 1, by })
      began = null
    }
  }
  return options
}

function isRightAnswer(books: Books, { id, ask, result }: Operation): boolean {
  if (result.kind === 'seen' && isReadOf(ask)) return isDeepStrictEqual(view(books, ask), result.view)
  if (!isWrite(ask)) return false
  const outcome = done(books, id, ask)
  if (outcome.ok) return result.kind === 'done'
  return result.kind === 'refused' && isDeepStrictEqual(outcome.refusal, result.refusal)
}

/** Says where the answer would be right, if anywhere. */
function misplaced(states: readonly Books[], one: Operation, timeline: Timeline): Violation {
  const { first, last } = timeline.places(one.startMs, one.endMs)
  const places = rightPlaces(states, one, 0, states.length - 1)
    .filter(option => option.kind === 'place')
    .map(option => `${option.first} to ${option.last}`)
  const where = places.length === 0 ? 'at no point' : `only after events ${places.slice(-3).join(', ')}`
  const expected = isReadOf(one.ask)
    ? ` (after ${first} it is ${shortened(view(states[first] as Books, one.ask))})`
    : ''
  const what = `the answer is right ${where}; by its times it lies after events ${first} to ${last}${expected}`
  return { what, operations: [one], objects: objectsOf(one.ask) ?? [] }
}

function unsolved(rest: Choice | 'incomplete' | 'too-many', missing: readonly Operation[]): Violation {
  if (rest === 'too-many')
    return { what: 'so many orders are possible that not all could be tried', operations: [], objects: [] }
  const operations = rest === 'incomplete' ? missing : rest.options.map(option => option.by)
  return {
    what: 'each answer may be right by itself, but there is no order in which all are; this one fits nowhere',
    operations: [...new Set(operations)],
    objects: operations.flatMap(({ ask }) => objectsOf(ask) ?? []),
  }
}

function lostOf(
  { signed }: Explained,
  events: readonly Event[],
  operations: readonly Operation[],
): readonly Operation[] {
  return operations.filter(({ id, result }) => {
    const last = signed.get(id)?.at(-1)
    return result.kind === 'done' && last !== undefined && isLost(events, last, events.length)
  })
}

export type { DoneWrite, Violation }
