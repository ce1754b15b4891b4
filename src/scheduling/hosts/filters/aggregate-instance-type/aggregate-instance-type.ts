import { defineFilter } from '../../../framework/filter.ts'
import { type Note, quote, type ReasonBy, reason, verdictOf } from '../../../framework/refusal.ts'
import type { AggregateView } from '../../host-view.ts'
import type { FlavorView } from '../../request-view.ts'
import { type AggregateTerms, aggregateTerms, listDormant, type Term } from './aggregate-terms.ts'
import { ESCAPE, type FlavorWant, FORCE, flavorWants, type Ignored, intersect } from './flavor-wants.ts'
import {
  DEMAND_REASONS,
  type DemandFacts,
  demandImpossible,
  demandMismatch,
  demandMissing,
  demandUnwanted,
  type Incomparable,
  type Meaning,
  SPEC_REASONS,
  type SpecFacts,
  specImpossible,
  specMismatch,
  specMissing,
  specPresent,
} from './reasons.ts'

/**
 * Two checks, and both must hold. Flavor to host: every key of the flavor finds a matching value in one of the host's
 * aggregates, taken together. Aggregate to flavor: every aggregate with force_metadata_check accepts the flavor, each by
 * itself, so that joining another aggregate never loosens a restriction.
 */
export const aggregateInstanceTypeFilter = defineFilter({
  name: 'AggregateInstanceTypeFilter',
  summary:
    'Compares extra specs with the metadata of the aggregates of the host, both ways: what the flavor asks of the ' +
    'host, and what an aggregate with `force_metadata_check` asks of flavors. Knows the sentinels `*`, `~` and `!`.',
  reads: { extraSpecs: ['*', '*:*', `${ESCAPE}*`], metadata: ['*', FORCE] },
  reasons: [...SPEC_REASONS, ...DEMAND_REASONS],
  example: {
    passes: { extra_specs: { ssd: '*' }, aggregates: [{ ssd: 'nvme' }] },
    refused: { extra_specs: {}, aggregates: [{ ssd: 'nvme', force_metadata_check: 'True' }] },
    text: 'aggregate #1 asks of flavors ssd = "nvme", but the flavor does not have the key.',
  },
  byAggregates: true,
  check({ flavor }, { aggregates }) {
    const wants = flavorWants(flavor)
    const terms = aggregates.map(aggregateTerms)
    const notes = [...listFlavorNotes(wants, terms), ...terms.flatMap(one => one.notes)]
    const reasons = [
      ...wants.flatMap(want => judgeHost(want, terms)),
      ...terms.flatMap(({ demands }) => demands.flatMap(demand => judgeFlavor(demand, wants))),
    ]
    return verdictOf(reasons, notes)
  },
})

/** Warnings about a flavor alone, given when it is written. */
export const listFlavorWarnings = (flavor: FlavorView): Note[] => [
  ...listFlavorNotes(flavorWants(flavor), null),
]

/** Warnings about an aggregate alone, given when it is written. */
export const listAggregateWarnings = (aggregate: AggregateView): readonly Note[] => [
  ...aggregateTerms(aggregate).notes,
  ...listDormant(aggregate),
]

function* listFlavorNotes(
  wants: readonly FlavorWant[],
  terms: readonly AggregateTerms[] | null,
): Generator<Note> {
  for (const want of wants) {
    const { key, requirement, ignored, meaning } = want
    // A flavor alone gets no note about a key that another filter reads.
    if (ignored !== null && (terms !== null || ignored.because === 'reserved'))
      yield skippedKey(want, ignored)
    else if (meaning === 'contradiction')
      yield {
        code: 'sentinels.contradict',
        facts: { where: 'flavor', aggregate: null, key, text: requirement, interpreted: true },
        text: `the flavor has ${key} = ${quote(requirement)}: ! excludes * and ~, so that it matches nothing.`,
      }
    if (terms !== null && ignored === null && isSkipped(want, terms))
      yield skippedKey(want, { because: 'optional-and-absent' })
  }
}

/** A note about a key of the flavor that this filter skips. */
function skippedKey(
  { key, requirement }: FlavorWant,
  ignored: Ignored | { readonly because: 'optional-and-absent' },
): Note {
  const text = {
    'read-elsewhere': `${key} is read by ${'reader' in ignored ? ignored.reader : ''}, and asks nothing of aggregates.`,
    reserved: `${key} has a meaning only in aggregates, and was ignored.`,
    'optional-and-absent': `${key} was skipped: it is optional, and no aggregate of the host has it.`,
  }[ignored.because]
  return { code: 'key.skipped', facts: { key, requirement, ...ignored }, text }
}

const isSkipped = (want: FlavorWant, terms: readonly AggregateTerms[]): boolean =>
  want.isOptional && !terms.some(({ byName }) => byName.has(want.name))

function judgeHost(want: FlavorWant, terms: readonly AggregateTerms[]) {
  if (want.ignored !== null || isSkipped(want, terms)) return []
  const found = terms.flatMap(({ byName }) => byName.get(want.name) ?? [])
  const { fits, incomparable } = intersect(want, {
    values: found.flatMap(({ values }) => values),
    anyValue: found.some(({ anyValue }) => anyValue),
    // The key counts as absent if every aggregate lacks it, or has metadata that allows its absence.
    absence: found.every(({ absence }) => absence),
  })
  return fits ? [] : [reason(specReason(want, found), specFacts(want, found, incomparable))]
}

const isImpossible = ({ meaning }: { readonly meaning: Meaning }): boolean =>
  meaning === 'contradiction' || meaning === 'nothing'

function specReason(want: FlavorWant, found: readonly Term[]) {
  if (isImpossible(want)) return specImpossible
  if (want.meaning === 'absent') return specPresent
  return found.length === 0 ? specMissing : specMismatch
}

const specFacts = (
  { key, name, requirement, meaning }: FlavorWant,
  found: readonly Term[],
  incomparable: readonly Incomparable[],
): SpecFacts => ({
  direction: 'flavor-to-host',
  key,
  name,
  requirement,
  meaning,
  found: found.map(({ aggregate, text, values, forced, meaning }) => ({
    aggregate,
    text,
    values,
    forced,
    meaning,
  })),
  incomparable,
})

function judgeFlavor(demand: Term, wants: readonly FlavorWant[]): ReasonBy<typeof DEMAND_REASONS>[] {
  if (isImpossible(demand)) return [reason(demandImpossible, demandFacts(demand, null, []))]
  const mine = wants.filter(({ name }) => name === demand.name)
  if (mine.length === 0) return demand.absence ? [] : [reason(demandMissing, demandFacts(demand, null, []))]
  return mine.flatMap(want => {
    // The check from flavor to host has already refused a requirement that nothing can match.
    if (isImpossible(want)) return []
    const { fits, incomparable } = intersect(want, demand)
    const definition = demand.meaning === 'absent' ? demandUnwanted : demandMismatch
    return fits ? [] : [reason(definition, demandFacts(demand, want, incomparable))]
  })
}

const demandFacts = (
  { aggregate, key, name, text, values, meaning }: Term,
  want: FlavorWant | null,
  incomparable: readonly Incomparable[],
): DemandFacts => ({
  direction: 'aggregate-to-flavor',
  aggregate,
  key,
  name,
  demand: text,
  values,
  meaning,
  flavor: want && { key: want.key, requirement: want.requirement, meaning: want.meaning },
  incomparable,
})
