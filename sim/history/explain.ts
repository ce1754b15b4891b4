/** Finds the operation behind each revision: some carry its number, the others have to be searched. */
import { type Books, differences, done, entry } from './books.ts'
import {
  idOfMark,
  idOfSignature,
  isIdle,
  isSigned,
  isWrite,
  type Operation,
  short,
  shortened,
  type Write,
} from './operation.ts'
import { applied, type Event, type Revision } from './witness.ts'

export interface Violation {
  readonly what: string
  /** The operations of a finding, and the objects, whose other operations may help to explain it. */
  readonly operations: readonly Operation[]
  readonly objects: readonly string[]
}

/** A revision without a number, and the operations that would have exactly this effect. */
interface Unsigned {
  readonly event: number
  readonly candidates: readonly Operation[]
}

export interface Explained {
  /** The state after each event. Shorter than the history if that is impossible. */
  readonly states: readonly Books[]
  /** The events of each signed operation, by its number. */
  readonly signed: ReadonlyMap<number, readonly number[]>
  readonly unsigned: readonly Unsigned[]
  readonly violations: readonly Violation[]
}

export type DoneWrite = Operation & { readonly ask: Write }

export function explained(
  start: Books,
  events: readonly Event[],
  operations: readonly Operation[],
): Explained {
  const writes = new Map(
    operations.filter((one): one is DoneWrite => isWrite(one.ask)).map(one => [one.id, one]),
  )
  const anonymous = [...writes.values()].filter(one => !isSigned(one.ask) && !isIdle(one.ask))
  const states: Books[] = [start]
  const signed = new Map<number, number[]>()
  const unsigned: Unsigned[] = []
  const violations: Violation[] = []
  for (const [at, event] of events.entries()) {
    const before = states[at] as Books
    if (event.kind === 'loss') {
      states.push(states[event.kept] as Books)
      continue
    }
    const after = applied(before, event)
    if (typeof after === 'string') {
      violations.push({ what: after, operations: [], objects: [] })
      break
    }
    states.push(after)
    const id = signerOf(event)
    const isGone = isTakenBack(events, at + 1)
    if (id === null) {
      const candidates = anonymous.filter(
        one => (isGone || mayHaveEffect(one)) && isEffectOf(before, after, one),
      )
      unsigned.push({ event: at + 1, candidates })
    } else {
      signed.set(id, [...(signed.get(id) ?? []), at + 1])
      const wrong = wrongEffect(before, after, event, isGone, writes.get(id))
      if (wrong !== null) violations.push(wrong)
    }
  }
  return { states, signed, unsigned, violations }
}

/** A client without an answer retries after the failover, and may then get any answer. */
function isTakenBack(events: readonly Event[], event: number): boolean {
  return events.some((one, at) => one.kind === 'loss' && at >= event && one.kept < event)
}

/** An operation that was answered with "nothing was changed" must not have an effect. */
export const mayHaveEffect = ({ result }: Operation): boolean =>
  result.kind === 'done' || result.kind === 'unknown'

/** The operation number in a revision, if any. */
function signerOf({ ops }: Revision): number | null {
  for (const { table, before, after } of ops) {
    if (table === 'inventories' && after !== null) return idOfMark(Number(after.max_unit))
    if (table === 'consumers' && after !== null && after.generation !== before?.generation)
      return idOfSignature(after.user_id)
  }
  return null
}

function isEffectOf(before: Books, after: Books, { id, ask }: DoneWrite): boolean {
  const outcome = done(before, id, ask)
  return outcome.ok && differences(outcome.books, after).length === 0
}

function wrongEffect(
  before: Books,
  after: Books,
  { revision }: Revision,
  isGone: boolean,
  write: DoneWrite | undefined,
): Violation | null {
  if (write === undefined)
    return { what: `revision ${revision} has a number that no operation used`, operations: [], objects: [] }
  const wrong = (what: string, objects: readonly string[] = []): Violation => ({
    what: `revision ${revision} ${what}`,
    operations: [write],
    objects,
  })
  if (!isGone && !mayHaveEffect(write)) return wrong(`did what was answered with "${write.result.kind}"`)
  const outcome = done(before, write.id, write.ask)
  if (!outcome.ok) return wrong(`did what had to be refused: ${shortened(outcome.refusal)}`)
  const objects = differences(outcome.books, after)
  if (objects.length > 0)
    return wrong(`did something else than was asked: ${describeDifference(after, outcome.books, objects)}`)
  const { result } = write
  if (!isGone && result.kind === 'done' && result.generation !== outcome.generation)
    return wrong(`leads to generation ${outcome.generation}, and ${result.generation} was answered`)
  return null
}

export function describeDifference(found: Books, expected: Books, objects: readonly string[]): string {
  return objects
    .map(
      uuid =>
        `${short(uuid)} is ${shortened(entry(found, uuid))} instead of ${shortened(entry(expected, uuid))}`,
    )
    .join('; ')
}
