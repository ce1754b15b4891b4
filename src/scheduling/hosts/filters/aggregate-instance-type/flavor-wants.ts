import { memoizeByIdentity } from '../../../framework/memoize.ts'
import { findOperatorBySymbol, isSentinel } from '../../../operators/dialects.ts'
import { evaluateForm } from '../../../operators/evaluate.ts'
import { type Form, findWarnings, parse } from '../../../operators/form.ts'
import { parseFloat64, strip } from '../../../operators/python-text.ts'
import { isHostAttribute, readerOfFlavorKey } from '../../query/key-readers.ts'
import { isTraitKey, isWishValue } from '../../query/trait-wishes.ts'
import type { FlavorView } from '../../request-view.ts'
import { makeChoice, type WordChoice } from './choice.ts'
import type { Incomparable, Meaning } from './reasons.ts'

/** The scope that marks a key for aggregates and is not part of it. */
export const ESCAPE = 'aggregate_instance_extra_specs:'
export const FORCE = 'force_metadata_check'

/** One extra spec, as a requirement of the host's aggregates. */
export interface FlavorWant {
  /** The key as the flavor has it, and as it is searched in metadata. */
  readonly key: string
  readonly name: string
  readonly requirement: string
  /** A namespaced key without the escape scope. */
  readonly isScoped: boolean
  /** Skipped if no aggregate has it: a namespaced key, or one that the compute capabilities filter reads. */
  readonly isOptional: boolean
  /** Why aggregates are not searched for it; null if they are. */
  readonly ignored: Ignored | null
  /** Parsed without sentinels. */
  readonly plain: Form
  readonly meaning: Meaning
  readonly allowsAbsence: boolean
  /** Whether any value at all would match. */
  readonly allowsSomeValue: boolean
  readonly allowsAnyValue: boolean
  /** What values are compared with; null if there are only sentinels. */
  readonly form: Form | null
}

/** The value is reserved for aggregates, or another filter reads the key. */
export type Ignored =
  | { readonly because: 'reserved' }
  | { readonly because: 'read-elsewhere'; readonly reader: string }

export const flavorWants = memoizeByIdentity(({ extraSpecs }: FlavorView): readonly FlavorWant[] =>
  [...extraSpecs].map(([key, requirement]) => makeWant(key, requirement)),
)

function makeWant(key: string, requirement: string): FlavorWant {
  const isEscaped = key.startsWith(ESCAPE)
  const name = isEscaped ? key.slice(ESCAPE.length) : key
  const isScoped = !isEscaped && key.includes(':')
  return {
    key,
    name,
    requirement,
    isScoped,
    isOptional: isScoped || isHostAttribute(key),
    ignored: findIgnored(key, name, requirement),
    ...readRequirement(requirement),
  }
}

/** A key with the escape scope is for aggregates, no matter what reads the key without it. */
function findIgnored(key: string, name: string, requirement: string): Ignored | null {
  if (name === FORCE) return { because: 'reserved' }
  if (isWishValue(requirement) && isTraitKey(key))
    return { because: 'read-elsewhere', reader: 'the weigher of preferred traits' }
  const reader = readerOfFlavorKey(key)
  return reader === null ? null : { because: 'read-elsewhere', reader }
}

/** Whether a requirement has sentinels that exclude each other. */
export const isContradiction = (requirement: string): boolean =>
  readRequirement(requirement).meaning === 'contradiction'

type Read = Omit<FlavorWant, 'key' | 'name' | 'requirement' | 'isScoped' | 'isOptional' | 'ignored'>

function readRequirement(requirement: string): Read {
  const plain = parse(requirement, 'nova').form
  const bare = strip(requirement)
  if (isSentinel(bare)) return readChoice(plain, makeChoice([bare]))
  if (plain.kind === 'operator' && plain.operator === '<or>')
    return readChoice(plain, makeChoice(plain.operands))
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

function readChoice(plain: Form, { values, anyValue, absence, meaning }: WordChoice): Read {
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

/** Whether any value can match. `nan` is unequal to every value and matches no other comparison. */
function isSatisfiable(form: Form): boolean {
  if (form.kind === 'literal') return true
  if (findWarnings(form, 'nova').length > 0) return false
  if (form.operator === '!=' || findOperatorBySymbol('nova', form.operator)?.compares !== 'numbers')
    return true
  return !Number.isNaN(parseFloat64(form.operands[0] as string))
}

interface Comparison {
  readonly fits: boolean
  readonly incomparable: readonly Incomparable[]
}

/** Whether one of the values matches, and which could not be compared. */
export function compareWith(form: Form, values: readonly string[]): Comparison {
  const incomparable: Incomparable[] = []
  for (const value of values) {
    const { matches, error } = evaluateForm('nova', value, form)
    if (matches) return { fits: true, incomparable: [] }
    if (error !== null) incomparable.push({ value, error })
  }
  return { fits: false, incomparable }
}

const NO_VALUE_FITS: Comparison = { fits: false, incomparable: [] }

/** Whether a flavor and an offer have something in common: the absence of the key, or a value. */
export function intersect(want: FlavorWant, offered: Omit<WordChoice, 'meaning'>): Comparison {
  const { values, anyValue, absence } = offered
  if (
    (want.allowsAbsence && absence) ||
    (want.allowsSomeValue && anyValue) ||
    (want.allowsAnyValue && values.length > 0)
  )
    return { fits: true, incomparable: [] }
  return want.form === null ? NO_VALUE_FITS : compareWith(want.form, values)
}
