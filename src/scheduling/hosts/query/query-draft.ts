import standardClasses from '../../../placement/data/standard-classes.json' with { type: 'json' }
import { integerOf } from '../../operators/python-text.ts'
import type { PlacementGroup, PlacementQuery } from './placement-query.ts'

/** What a flavor says that Placement will not hear, because it says nothing or says it wrongly. */
export type FlavorWarning =
  | { readonly code: 'unknown-class'; readonly key: string; readonly value: string }
  | { readonly code: 'bad-amount'; readonly key: string; readonly value: string }
  | { readonly code: 'bad-trait-value'; readonly key: string; readonly value: string }
  | { readonly code: 'bad-suffix'; readonly key: string; readonly value: string }
  | { readonly code: 'no-trait-name'; readonly key: string; readonly value: string }
  | { readonly code: 'bad-group-policy'; readonly key: string; readonly value: string }
  /** Neither yes nor no, and so no. */
  | { readonly code: 'bad-flag'; readonly key: string; readonly value: string }
  /** Asks for something of the host that nothing here looks at. */
  | { readonly code: 'unread-wish'; readonly key: string; readonly value: string }
  /** What a prefilter would ask for does not exist, and so it asks for nothing. */
  | { readonly code: 'unknown-traits'; readonly prefilter: string; readonly traits: readonly string[] }
  /** Both required and forbidden: Placement refuses such a query. */
  | { readonly code: 'trait-conflict'; readonly suffix: string; readonly traits: readonly string[] }
  /** Traits without resources: Placement does not know what to look at. */
  | { readonly code: 'group-without-resources'; readonly suffix: string }
  /** Several groups and not a word on whether they may share a provider: Placement refuses such a query. */
  | { readonly code: 'group-policy-missing'; readonly suffixes: readonly string[] }

const STANDARD_CLASSES: ReadonlySet<string> = new Set(standardClasses)

interface Draft {
  readonly resources: Map<string, bigint>
  readonly required: Set<string>
  readonly forbidden: Set<string>
  readonly anyOf: string[][]
}

/** A query in the making. Later words on a class count, as in Nova. */
export class QueryDraft {
  readonly warnings: FlavorWarning[] = []
  readonly #groups = new Map<string, Draft>()
  groupPolicy: 'none' | 'isolate' | null = null

  /** From an extra spec: the amount is a text, and may be no amount. */
  addAskedResource(suffix: string, name: string, key: string, value: string): void {
    if (!name.startsWith('CUSTOM_') && !STANDARD_CLASSES.has(name))
      this.warnings.push({ code: 'unknown-class', key, value })
    else {
      const amount = wholeNumber(value)
      if (amount === null || amount < 0n) this.warnings.push({ code: 'bad-amount', key, value })
      else this.#group(suffix).resources.set(name, amount)
    }
  }

  addResource(name: string, amount: number): void {
    this.#group('').resources.set(name, BigInt(amount))
  }

  addTrait(suffix: string, trait: string, value: 'required' | 'forbidden'): void {
    this.#group(suffix)[value].add(trait)
  }

  addAnyOf(suffix: string, traits: readonly string[]): void {
    const [only] = traits
    if (traits.length === 1) this.addTrait(suffix, only as string, 'required')
    else this.#group(suffix).anyOf.push([...traits])
  }

  /** Named anywhere, be it with nothing of it. */
  names(resourceClass: string): boolean {
    return this.#groups.values().some(({ resources }) => resources.has(resourceClass))
  }

  /** Without what is asked nothing of. */
  finished(limit: number | null): PlacementQuery {
    const groups = [...this.#groups].flatMap(([suffix, draft]) => groupOf(suffix, draft))
    const { groupPolicy } = this
    this.#warnOfGroups(groups)
    return { groups, groupPolicy, rootRequired: [], rootForbidden: [], limit }
  }

  #warnOfGroups(groups: readonly PlacementGroup[]): void {
    for (const { suffix, required, forbidden } of groups) {
      const unwanted = new Set(forbidden)
      const traits = required.filter(trait => unwanted.has(trait))
      if (traits.length > 0) this.warnings.push({ code: 'trait-conflict', suffix, traits })
    }
    const suffixed = groups.filter(({ suffix }) => suffix !== '')
    for (const { suffix, resources } of suffixed)
      if (resources.size === 0) this.warnings.push({ code: 'group-without-resources', suffix })
    if (suffixed.length > 1 && this.groupPolicy === null)
      this.warnings.push({ code: 'group-policy-missing', suffixes: suffixed.map(({ suffix }) => suffix) })
  }

  #group(suffix: string): Draft {
    let group = this.#groups.get(suffix)
    if (group === undefined) {
      group = { resources: new Map(), required: new Set(), forbidden: new Set(), anyOf: [] }
      this.#groups.set(suffix, group)
    }
    return group
  }
}

function groupOf(suffix: string, draft: Draft): PlacementGroup[] {
  const resources = new Map([...draft.resources].filter(([, amount]) => amount !== 0n))
  const { required, forbidden, anyOf } = draft
  if (resources.size + required.size + forbidden.size + anyOf.length === 0) return []
  return [
    {
      suffix,
      resources,
      required: [...required],
      anyOf,
      forbidden: [...forbidden],
      memberOf: [],
      forbiddenAggregates: [],
      inTree: null,
    },
  ]
}

/** As `int(text)`, with all its digits; null where that raises. */
function wholeNumber(text: string): bigint | null {
  const near = integerOf(text)
  if (near === null || Number.isSafeInteger(near)) return near === null ? null : BigInt(near)
  const digits = [...text].map(character => integerOf(character)).filter(digit => digit !== null)
  return (near < 0 ? -1n : 1n) * BigInt(digits.join(''))
}
