import { defineReason, quote } from '../../../framework/refusal.ts'
import { aggregateCommand } from '../../../framework/shell-commands.ts'
import { type AggregateRef, aggregateText, foundText, type MetadataEntry } from '../../aggregate-metadata.ts'

/** The meaning of a requirement, including sentinels. */
export type Meaning =
  /** A value that is equal, or compares as asked. */
  | 'value'
  /** The key must be there, whatever its value: `*`. */
  | 'any-value'
  /** The key must not be there: `!`, or `~` alone. */
  | 'absent'
  /** One of the values, or no key at all: `~` or `!` beside values. */
  | 'value-or-absent'
  /** The key may be there or not, with any value: `*` and `~`. */
  | 'anything'
  /** `!` together with `*` or `~`, which exclude each other: it matches nothing. */
  | 'contradiction'
  /** `<or>` or another operator with nothing to compare with: it matches nothing. */
  | 'nothing'

const MEANINGS: Readonly<Record<Meaning, string>> = {
  value: '',
  'any-value': ' (any value, if the key is there)',
  absent: ' (the key must not be there)',
  'value-or-absent': ' (one of these, or the key is not there)',
  anything: ' (any value, or the key is not there)',
  contradiction: ' (! excludes * and ~)',
  nothing: ' (nothing to compare with)',
}

/** A value that cannot be compared with the requirement, so it does not match. */
export interface Incomparable {
  readonly value: string
  readonly error: string
}

const incomparableText = (incomparable: readonly Incomparable[]): string =>
  incomparable.length === 0 ? '' : ` (${incomparable.map(({ error }) => error).join('; ')})`

/** A requirement of the flavor, and the metadata of the host's aggregates. */
export type SpecFacts = {
  readonly direction: 'flavor-to-host'
  /** The key as the flavor has it, and as it is searched in metadata. */
  readonly key: string
  readonly name: string
  readonly requirement: string
  readonly meaning: Meaning
  readonly found: readonly (MetadataEntry & { readonly forced: boolean; readonly meaning: Meaning })[]
  readonly incomparable: readonly Incomparable[]
}

const requirementText = ({ key, requirement, meaning }: SpecFacts): string =>
  `the flavor asks for ${key} = ${quote(requirement)}${MEANINGS[meaning]}`

/** A value that is compared literally, so that setting the same value meets it. */
const isPlain = (requirement: string): boolean => /^[\w.-]+( [\w.-]+)*$/.test(requirement)

const aggregateNames = ({ found }: SpecFacts, joint: string): string =>
  found.map(({ aggregate }) => quote(aggregate.name)).join(joint)

const blamesKey = ({ key }: { readonly key: string }) => ({ extraSpecs: [key] })

/** No aggregate of the host has the key. */
export const specMissing = defineReason({
  code: 'extra-spec.missing',
  text: (facts: SpecFacts) => `${requirementText(facts)}, but no aggregate of the host has it.`,
  hostsText: 'are in no aggregate that has KEY',
  remedy: ({ name, requirement }, host) =>
    isPlain(requirement)
      ? `add ${host} to a host aggregate with ${name}=${requirement}`
      : `add ${host} to a host aggregate whose ${name} meets ${quote(requirement)}`,
  isVoidAfterSpecChange: true,
  blames: blamesKey,
})

/** None of the found values fits. */
export const specMismatch = defineReason({
  code: 'extra-spec.mismatch',
  text: (facts: SpecFacts) =>
    `${requirementText(facts)}, but the host has ${foundText(facts.found)}${incomparableText(facts.incomparable)}.`,
  hostsText: 'are in aggregates with another value of KEY',
  remedy(facts) {
    const { name, requirement } = facts
    const where = aggregateNames(facts, ' or ')
    return isPlain(requirement)
      ? `set ${name}=${requirement} on host aggregate ${where}`
      : `change ${name} of host aggregate ${where} to meet ${quote(requirement)}`
  },
  command: ({ name, requirement, found }) =>
    isPlain(requirement) ? aggregateCommand(found, 'set', `${name}=${requirement}`) : null,
  isVoidAfterSpecChange: true,
  blames: ({ key, found }) => ({
    extraSpecs: [key],
    values: { key, values: found.flatMap(({ values }) => values) },
  }),
})

/** The key exists, but must not. */
export const specPresent = defineReason({
  code: 'extra-spec.present',
  text: (facts: SpecFacts) => `${requirementText(facts)}, but the host has ${foundText(facts.found)}.`,
  hostsText: 'are in an aggregate that has KEY, which must not be there',
  remedy: facts => `remove ${facts.name} from host aggregate ${aggregateNames(facts, ' and ')}`,
  command: ({ name, found }) => aggregateCommand(found, 'unset', name),
  isVoidAfterSpecChange: true,
  blames: blamesKey,
})

/** The flavor's own text matches nothing: see its meaning. */
export const specImpossible = defineReason({
  code: 'extra-spec.impossible',
  text: (facts: SpecFacts) => `${requirementText(facts)}: no host can do that.`,
  hostsText: 'cannot meet KEY; no host can',
  remedy: ({ key }) => `change ${key} of the flavor, which nothing can meet`,
  isVoidAfterSpecChange: true,
  blames: blamesKey,
})

export const SPEC_REASONS = [specMissing, specMismatch, specPresent, specImpossible] as const

/** A demand of an aggregate with force_metadata_check, and the extra spec of the flavor. */
export type DemandFacts = {
  readonly direction: 'aggregate-to-flavor'
  readonly aggregate: AggregateRef
  readonly key: string
  readonly name: string
  readonly demand: string
  readonly values: readonly string[]
  readonly meaning: Meaning
  /** Null where the flavor does not have the key. */
  readonly flavor: { readonly key: string; readonly requirement: string; readonly meaning: Meaning } | null
  readonly incomparable: readonly Incomparable[]
}

const demandText = ({ aggregate, key, demand, meaning }: DemandFacts): string =>
  `${aggregateText(aggregate)} asks of flavors ${key} = ${quote(demand)}${MEANINGS[meaning]}`

function unmetText(facts: DemandFacts): string {
  const { flavor, incomparable } = facts
  if (flavor === null) return `${demandText(facts)}, but the flavor does not have the key.`
  const has = `${flavor.key} = ${quote(flavor.requirement)}${MEANINGS[flavor.meaning]}`
  return `${demandText(facts)}, but the flavor has ${has}${incomparableText(incomparable)}.`
}

const A_KEY = 'a certain key'

const keyInFlavor = ({ flavor, name }: DemandFacts): string => flavor?.key ?? name

const demandedValue = {
  text: unmetText,
  keyText: A_KEY,
  remedy: ({ name, values }: DemandFacts) =>
    values.length === 0
      ? `give the flavor any value of ${name}`
      : `set ${name}=${values.map(quote).join(' or ')} on the flavor`,
  specChange(facts: DemandFacts) {
    const [value] = facts.values
    return value === undefined ? null : { key: keyInFlavor(facts), value }
  },
  blames: (facts: DemandFacts) => ({
    extraSpecs: [facts.key, keyInFlavor(facts)],
    values: { key: keyInFlavor(facts), values: facts.values },
  }),
}

/** The flavor lacks a key that the aggregate demands. */
export const demandMissing = defineReason({
  ...demandedValue,
  code: 'demand.missing',
  hostsText: 'are in an aggregate that asks flavors for KEY, which this one does not have',
})

/** The flavor's requirement and the aggregate's demand have no value in common. */
export const demandMismatch = defineReason({
  ...demandedValue,
  code: 'demand.mismatch',
  hostsText: 'are in an aggregate that asks flavors for another value of KEY',
})

/** The flavor has a key that the aggregate forbids. */
export const demandUnwanted = defineReason({
  code: 'demand.unwanted',
  text: unmetText,
  hostsText: 'are in an aggregate that takes no flavor with KEY',
  keyText: A_KEY,
  remedy: facts => `remove ${keyInFlavor(facts)} from the flavor`,
  specChange: facts => ({ key: keyInFlavor(facts), value: null }),
  blames: facts => ({ extraSpecs: [facts.key, keyInFlavor(facts)] }),
})

/** No flavor can meet the text of the aggregate: see its meaning. */
export const demandImpossible = defineReason({
  code: 'demand.impossible',
  text: (facts: DemandFacts) => `${demandText(facts)}: no flavor can do that.`,
  hostsText: 'are in an aggregate that asks flavors for KEY in a way that none can meet',
  keyText: A_KEY,
  remedy: ({ key, aggregate }) =>
    `change ${key} of host aggregate ${quote(aggregate.name)}, which nothing can meet`,
  blames: blamesKey,
})

export const DEMAND_REASONS = [demandMissing, demandMismatch, demandUnwanted, demandImpossible] as const
