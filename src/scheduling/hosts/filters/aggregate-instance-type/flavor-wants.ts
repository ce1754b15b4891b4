import { memoizeByIdentity } from '../../../framework/memoize.ts'
import type { Incomparable, Meaning } from '../../../framework/refusal.ts'
import { isSentinel, operatorNamed } from '../../../operators/dialects.ts'
import { evaluateForm } from '../../../operators/evaluate.ts'
import { type Form, parse, warningsOf } from '../../../operators/form.ts'
import { floatOf, stripped } from '../../../operators/python-text.ts'
import { isHostAttribute, readerOfFlavorKey } from '../../query/key-readers.ts'
import type { FlavorView } from '../../request-view.ts'
import { choiceOf, type WordChoice } from './choice.ts'

/** The scope that makes a key count for aggregates and is no part of it. */
export const ESCAPE = 'aggregate_instance_extra_specs:'
export const FORCE = 'force_metadata_check'

/** One extra spec, as a requirement of the host's aggregates. */
export interface FlavorWant {
  /** As it stands in the flavor, and as it is looked for in metadata. */
  readonly key: string
  readonly name: string
  readonly requirement: string
  /** A namespaced key without the escape scope. */
  readonly isScoped: boolean
  /** Skipped where no aggregate has it: a namespaced key, or one that the compute capabilities filter reads. */
  readonly isOptional: boolean
  /** Why aggregates are not asked for it; null where they are. */
  readonly ignored: Ignored | null
  /** Read without sentinels. */
  readonly plain: Form
  readonly meaning: Meaning
  readonly allowsAbsence: boolean
  /** Whether there is a value at all that would fit. */
  readonly allowsSomeValue: boolean
  readonly allowsAnyValue: boolean
  /** What values are compared with; null where only sentinels stand. */
  readonly form: Form | null
}

/** A word that only aggregates have a use for, or a key with a reader of its own. */
type Ignored =
  | { readonly because: 'reserved' }
  | { readonly because: 'read-elsewhere'; readonly reader: string }

/** What a flavor wants. */
export const flavorWants = memoizeByIdentity(({ extraSpecs }: FlavorView): readonly FlavorWant[] =>
  [...extraSpecs].map(([key, requirement]) => wantOf(key, requirement)),
)

function wantOf(key: string, requirement: string): FlavorWant {
  const isEscaped = key.startsWith(ESCAPE)
  const name = isEscaped ? key.slice(ESCAPE.length) : key
  const isScoped = !isEscaped && key.includes(':')
  return {
    key,
    name,
    requirement,
    isScoped,
    isOptional: isScoped || isHostAttribute(key),
    ignored: ignoredBy(key, name),
    ...readRequirement(requirement),
  }
}

/** Behind the escape scope a key is meant for aggregates, whoever else reads it without. */
function ignoredBy(key: string, name: string): Ignored | null {
  if (name === FORCE) return { because: 'reserved' }
  const reader = readerOfFlavorKey(key)
  return reader === null ? null : { because: 'read-elsewhere', reader }
}

/** Whether a requirement has sentinels in it that exclude each other. */
export const isContradiction = (requirement: string): boolean =>
  readRequirement(requirement).meaning === 'contradiction'

type Read = Omit<FlavorWant, 'key' | 'name' | 'requirement' | 'isScoped' | 'isOptional' | 'ignored'>

function readRequirement(requirement: string): Read {
  const plain = parse(requirement, 'nova').form
  const bare = stripped(requirement)
  if (isSentinel(bare)) return fromChoice(plain, choiceOf([bare]))
  if (plain.kind === 'operator' && plain.operator === '<or>')
    return fromChoice(plain, choiceOf(plain.operands))
  const allowsSomeValue = isSatisfiable(plain)
  return {
    plain,
    meaning: allowsSomeValue ? 'value' : 'nothing',
    allowsAbsence: false,
    allowsSomeValue,
    allowsAnyValue: false,
    form: plain,
  }
}

function fromChoice(plain: Form, { values, anyValue, absence, meaning }: WordChoice): Read {
  const hasValues = values.length > 0
  return {
    plain,
    meaning,
    allowsAbsence: absence,
    allowsSomeValue: anyValue || hasValues,
    allowsAnyValue: anyValue,
    form: hasValues ? { kind: 'operator', operator: '<or>', operands: values } : null,
  }
}

/** Whether some value, whichever, meets it. Nothing compares with `nan`, except that everything differs from it. */
function isSatisfiable(form: Form): boolean {
  if (form.kind === 'literal') return true
  if (warningsOf(form, 'nova').length > 0) return false
  if (form.operator === '!=' || operatorNamed('nova', form.operator)?.compares !== 'numbers') return true
  return !Number.isNaN(floatOf(form.operands[0] as string))
}

interface Comparison {
  readonly fits: boolean
  readonly incomparable: readonly Incomparable[]
}

/** Whether one of the values meets the form, and which could not even be compared. */
export function comparedWith(form: Form, values: readonly string[]): Comparison {
  const incomparable: Incomparable[] = []
  for (const value of values) {
    const { matches, error } = evaluateForm('nova', value, form)
    if (matches) return { fits: true, incomparable: [] }
    if (error !== null) incomparable.push({ value, error })
  }
  return { fits: false, incomparable }
}

const NO_VALUE_FITS: Comparison = { fits: false, incomparable: [] }

/** Whether a flavor and what is offered to it have something in common: the absence of the key, or a value. */
export function meeting(want: FlavorWant, offered: Omit<WordChoice, 'meaning'>): Comparison {
  const { values, anyValue, absence } = offered
  if (
    (want.allowsAbsence && absence) ||
    (want.allowsSomeValue && anyValue) ||
    (want.allowsAnyValue && values.length > 0)
  )
    return { fits: true, incomparable: [] }
  return want.form === null ? NO_VALUE_FITS : comparedWith(want.form, values)
}
