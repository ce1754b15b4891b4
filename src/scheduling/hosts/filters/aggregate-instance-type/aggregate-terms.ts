import { memoizeByIdentity } from '../../../framework/memoize.ts'
import { type AggregateRef, type Note, note, refOf } from '../../../framework/refusal.ts'
import { isSentinel } from '../../../operators/dialects.ts'
import { parse } from '../../../operators/form.ts'
import { stripped } from '../../../operators/python-text.ts'
import { valuesIn } from '../../aggregate-metadata.ts'
import type { AggregateView } from '../../host-view.ts'
import { readerOfAggregateKey } from '../../query/key-readers.ts'
import { choiceOf, type WordChoice } from './choice.ts'
import { ESCAPE, FORCE } from './flavor-wants.ts'

/** One entry of an aggregate's metadata: what it offers to flavors and, if forced, demands of them. */
export interface Term extends WordChoice {
  readonly aggregate: AggregateRef
  readonly key: string
  /** Without the escape scope where the aggregate is forced: there the scope is never part of the key. */
  readonly name: string
  readonly text: string
  readonly forced: boolean
}

export interface AggregateTerms {
  readonly byName: ReadonlyMap<string, readonly Term[]>
  /** What flavors must fit: everything in a forced aggregate but what is there for another reader. */
  readonly demands: readonly Term[]
  readonly notes: readonly Note[]
}

/** What an aggregate says. */
export const aggregateTerms = memoizeByIdentity(readTerms)

/** A key with the escape scope is there for flavors, whoever reads it without. */
const isDemanded = ({ key, name }: Pick<Term, 'key' | 'name'>): boolean =>
  name !== FORCE && readerOfAggregateKey(key) === null

function readTerms(aggregate: AggregateView): AggregateTerms {
  const ref = refOf(aggregate)
  const forced = forceOf(aggregate.metadata.get(FORCE)) === true
  const terms = [...aggregate.metadata].map(([key, text]) => termOf(ref, key, text, forced))
  const byName = Map.groupBy(terms, ({ name }) => name)
  const demands = forced ? terms.filter(isDemanded) : []
  return { byName, demands, notes: [...notesOf(ref, aggregate.metadata.get(FORCE), demands)] }
}

/** Null where it says neither: that forces nothing, and is worth a remark. */
function forceOf(text: string | undefined): boolean | null {
  if (text === undefined) return false
  const word = stripped(text).toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : null
}

function* notesOf(
  aggregate: AggregateRef,
  force: string | undefined,
  demands: readonly Term[],
): Generator<Note> {
  if (forceOf(force) === null) yield note('force.unclear', { aggregate, text: force as string })
  for (const { key, text, meaning } of demands)
    if (meaning === 'contradiction') yield contradiction(aggregate, key, text, true)
}

const contradiction = (aggregate: AggregateRef, key: string, text: string, interpreted: boolean): Note =>
  note('sentinels.contradict', { where: 'aggregate', aggregate, key, text, interpreted })

/** What would contradict itself in an aggregate that is not forced, if it were. */
export function dormantContradictions(aggregate: AggregateView): Note[] {
  if (forceOf(aggregate.metadata.get(FORCE)) === true) return []
  const ref = refOf(aggregate)
  return [...aggregate.metadata]
    .map(([key, text]) => termOf(ref, key, text, true))
    .filter(term => isDemanded(term) && term.meaning === 'contradiction')
    .map(({ key, text }) => contradiction(ref, key, text, false))
}

/** Whether metadata under a key would contradict itself in a forced aggregate. */
export function isContradictoryMetadata(key: string, text: string): boolean {
  const term = termOf({ id: 0, uuid: '', name: '' }, key, text, true)
  return isDemanded(term) && term.meaning === 'contradiction'
}

function termOf(aggregate: AggregateRef, key: string, text: string, forced: boolean): Term {
  const name = forced && key.startsWith(ESCAPE) ? key.slice(ESCAPE.length) : key
  const pieces = valuesIn(text)
  const choice: WordChoice = forced
    ? choiceOf(pieces.flatMap(wordsIn))
    : { values: pieces, anyValue: false, absence: false, meaning: 'value' }
  return { aggregate, key, name, text, forced, ...choice }
}

/** Only sentinels and `<or>` are read in metadata; every other operator is plain text there. */
function wordsIn(piece: string): readonly string[] {
  if (isSentinel(piece)) return [piece]
  const { form } = parse(piece, 'nova')
  return form.kind === 'operator' && form.operator === '<or>' ? form.operands : [piece]
}
