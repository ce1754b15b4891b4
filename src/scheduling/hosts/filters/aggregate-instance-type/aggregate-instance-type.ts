import type { Filter } from '../../../framework/filter.ts'
import {
  type DemandFacts,
  type Incomparable,
  type Meaning,
  type Note,
  note,
  type Reason,
  reason,
  type SpecFacts,
  verdictOf,
} from '../../../framework/refusal.ts'
import type { AggregateView } from '../../host-view.ts'
import type { FlavorView } from '../../request-view.ts'
import { type AggregateTerms, aggregateTerms, dormantContradictions, type Term } from './aggregate-terms.ts'
import { ESCAPE, type FlavorWant, FORCE, flavorWants, meeting } from './flavor-wants.ts'

/**
 * Two checks, and both must hold. Flavor to host: every key of the flavor finds a value that fits in one of the host's
 * aggregates, taken together. Aggregate to flavor: every aggregate with force_metadata_check accepts the flavor, each
 * by itself, so that joining another aggregate never loosens a restriction.
 */
export const aggregateInstanceTypeFilter: Filter = {
  name: 'AggregateInstanceTypeFilter',
  summary:
    'Compares extra specs with the metadata of the aggregates of the host, both ways: what the flavor asks of the ' +
    'host, and what an aggregate with `force_metadata_check` asks of flavors. Knows the sentinels `*`, `~` and `!`.',
  reads: { extraSpecs: ['*', '*:*', `${ESCAPE}*`], metadata: ['*', FORCE] },
  byAggregates: true,
  check({ flavor }, { aggregates }) {
    const wants = flavorWants(flavor)
    const terms = aggregates.map(aggregateTerms)
    const notes = [...flavorNotes(wants, terms), ...terms.flatMap(one => one.notes)]
    const reasons = [
      ...wants.flatMap(want => askedOfHost(want, terms)),
      ...terms.flatMap(({ demands }) => demands.flatMap(demand => askedOfFlavor(demand, wants))),
    ]
    return verdictOf(reasons, notes)
  },
}

/** What is odd about a flavor by itself, to be said where it is written. */
export const flavorWarnings = (flavor: FlavorView): Note[] => [...flavorNotes(flavorWants(flavor), null)]

/** What is odd about an aggregate by itself, to be said where it is written. */
export const aggregateWarnings = (aggregate: AggregateView): readonly Note[] => [
  ...aggregateTerms(aggregate).notes,
  ...dormantContradictions(aggregate),
]

function* flavorNotes(
  wants: readonly FlavorWant[],
  terms: readonly AggregateTerms[] | null,
): Generator<Note> {
  for (const want of wants) {
    const { key, requirement, ignored, meaning } = want
    // Where a flavor is written, a key that another reader has is nothing odd.
    if (ignored !== null && (terms !== null || ignored.because === 'reserved'))
      yield note('key.skipped', { key, requirement, ...ignored })
    else if (meaning === 'contradiction')
      yield note('sentinels.contradict', {
        where: 'flavor',
        aggregate: null,
        key,
        text: requirement,
        interpreted: true,
      })
    if (terms !== null && ignored === null && isSkipped(want, terms))
      yield note('key.skipped', { key, requirement, because: 'optional-and-absent' })
  }
}

const isSkipped = (want: FlavorWant, terms: readonly AggregateTerms[]): boolean =>
  want.isOptional && !terms.some(({ byName }) => byName.has(want.name))

function askedOfHost(want: FlavorWant, terms: readonly AggregateTerms[]): Reason[] {
  if (want.ignored !== null || isSkipped(want, terms)) return []
  const found = terms.flatMap(({ byName }) => byName.get(want.name) ?? [])
  const { fits, incomparable } = meeting(want, {
    values: found.flatMap(({ values }) => values),
    anyValue: found.some(({ anyValue }) => anyValue),
    // Absent means absent in all: where it is not written, or where it is written that it may be.
    absence: found.every(({ absence }) => absence),
  })
  return fits ? [] : [reason(specCode(want, found), specFacts(want, found, incomparable))]
}

const isImpossible = ({ meaning }: { readonly meaning: Meaning }): boolean =>
  meaning === 'contradiction' || meaning === 'nothing'

function specCode(want: FlavorWant, found: readonly Term[]) {
  if (isImpossible(want)) return 'extra-spec.impossible'
  if (want.meaning === 'absent') return 'extra-spec.present'
  return found.length === 0 ? 'extra-spec.missing' : 'extra-spec.mismatch'
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

function askedOfFlavor(demand: Term, wants: readonly FlavorWant[]): Reason[] {
  if (isImpossible(demand)) return [reason('demand.impossible', demandFacts(demand, null, []))]
  const mine = wants.filter(({ name }) => name === demand.name)
  if (mine.length === 0)
    return demand.absence ? [] : [reason('demand.missing', demandFacts(demand, null, []))]
  return mine.flatMap(want => {
    // What fits nothing at all was refused in the other direction.
    if (isImpossible(want)) return []
    const { fits, incomparable } = meeting(want, demand)
    const code = demand.meaning === 'absent' ? 'demand.unwanted' : 'demand.mismatch'
    return fits ? [] : [reason(code, demandFacts(demand, want, incomparable))]
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
