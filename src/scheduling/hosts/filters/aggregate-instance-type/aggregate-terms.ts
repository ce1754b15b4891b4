import { memoizeByIdentity } from '../../../framework/memoize.ts'
import { type Note, quote } from '../../../framework/refusal.ts'
import { isSentinel } from '../../../operators/dialects.ts'
import { parse } from '../../../operators/form.ts'
import { strip } from '../../../operators/python-text.ts'
import { type AggregateRef, aggregateText, refOf, splitValues } from '../../aggregate-metadata.ts'
import type { AggregateView } from '../../host-view.ts'
import { readerOfAggregateKey } from '../../query/key-readers.ts'
import { makeChoice, type WordChoice } from './choice.ts'
import { ESCAPE, FORCE } from './flavor-wants.ts'

/** One entry of an aggregate's metadata: what it offers to flavors and, if forced, demands of them. */
export interface Term extends WordChoice {
  readonly aggregate: AggregateRef
  readonly key: string
  /** Without the escape scope if the aggregate is forced: there the scope is never part of the key. */
  readonly name: string
  readonly text: string
  readonly forced: boolean
}

export interface AggregateTerms {
  readonly byName: ReadonlyMap<string, readonly Term[]>
  /** What flavors must match: everything in a forced aggregate except keys of other readers. */
  readonly demands: readonly Term[]
  readonly notes: readonly Note[]
}

export const aggregateTerms = memoizeByIdentity(readTerms)

/** A key with the escape scope is for flavors, no matter what reads the key without it. */
const isDemanded = ({ key, name }: Pick<Term, 'key' | 'name'>): boolean =>
  name !== FORCE && readerOfAggregateKey(key) === null

function readTerms(aggregate: AggregateView): AggregateTerms {
  const ref = refOf(aggregate)
  const forced = parseForce(aggregate.metadata.get(FORCE)) === true
  const terms = [...aggregate.metadata].map(([key, text]) => makeTerm(ref, key, text, forced))
  const byName = Map.groupBy(terms, ({ name }) => name)
  const demands = forced ? terms.filter(isDemanded) : []
  return { byName, demands, notes: [...listNotes(ref, aggregate.metadata.get(FORCE), demands)] }
}

/** Null if the text is neither true nor false: that does not force, and gets a note. */
function parseForce(text: string | undefined): boolean | null {
  if (text === undefined) return false
  const word = strip(text).toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : null
}

function* listNotes(
  aggregate: AggregateRef,
  force: string | undefined,
  demands: readonly Term[],
): Generator<Note> {
  if (parseForce(force) === null) yield unclearForce(aggregate, force as string)
  for (const { key, text, meaning } of demands)
    if (meaning === 'contradiction') yield noteContradiction(aggregate, key, text, true)
}

/** A note about a value that is neither true nor false, and so does not force. */
const unclearForce = (aggregate: AggregateRef, text: string): Note => ({
  code: 'force.unclear',
  facts: { aggregate, text },
  text: `${aggregateText(aggregate)} has ${FORCE} = ${quote(text)}, which is neither true nor false and does not force.`,
})

/** `interpreted` is false in an aggregate that is not forced: sentinels are plain text there. */
const noteContradiction = (
  aggregate: AggregateRef,
  key: string,
  text: string,
  interpreted: boolean,
): Note => ({
  code: 'sentinels.contradict',
  facts: { where: 'aggregate', aggregate, key, text, interpreted },
  text: `${aggregateText(aggregate)} has ${key} = ${quote(text)}: ${
    interpreted
      ? '! excludes * and ~, so that it matches nothing.'
      : `that is plain text now, and matches nothing once the aggregate has ${FORCE}, because ! excludes * and ~.`
  }`,
})

/** Notes about metadata that would contradict itself if the aggregate were forced. */
export function listDormant(aggregate: AggregateView): Note[] {
  if (parseForce(aggregate.metadata.get(FORCE)) === true) return []
  const ref = refOf(aggregate)
  return [...aggregate.metadata]
    .map(([key, text]) => makeTerm(ref, key, text, true))
    .filter(term => isDemanded(term) && term.meaning === 'contradiction')
    .map(({ key, text }) => noteContradiction(ref, key, text, false))
}

/** Whether metadata under a key would contradict itself in a forced aggregate. */
export function isContradictoryMetadata(key: string, text: string): boolean {
  const term = makeTerm({ id: 0, uuid: '', name: '' }, key, text, true)
  return isDemanded(term) && term.meaning === 'contradiction'
}

function makeTerm(aggregate: AggregateRef, key: string, text: string, forced: boolean): Term {
  const name = forced && key.startsWith(ESCAPE) ? key.slice(ESCAPE.length) : key
  const pieces = splitValues(text)
  const choice: WordChoice = forced
    ? makeChoice(pieces.flatMap(splitWords))
    : { values: pieces, anyValue: false, absence: false, meaning: 'value' }
  return { aggregate, key, name, text, forced, ...choice }
}

/** Only sentinels and `<or>` are parsed in metadata; every other operator is plain text there. */
function splitWords(piece: string): readonly string[] {
  if (isSentinel(piece)) return [piece]
  const { form } = parse(piece, 'nova')
  return form.kind === 'operator' && form.operator === '<or>' ? form.operands : [piece]
}
