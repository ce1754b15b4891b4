import standardClasses from '../../../placement/data/standard-classes.json' with { type: 'json' }
import { parseInteger } from '../../operators/python-text.ts'
import type { PlacementGroup, PlacementQuery } from './placement-query.ts'

/** Parts of a flavor that Placement ignores, because they are empty or invalid. */
export type FlavorWarning =
  | { readonly code: 'unknown-class'; readonly key: string; readonly value: string }
  | { readonly code: 'bad-amount'; readonly key: string; readonly value: string }
  | { readonly code: 'bad-trait-value'; readonly key: string; readonly value: string }
  | { readonly code: 'bad-suffix'; readonly key: string; readonly value: string }
  /** A preferred or avoided trait that does not exist. */
  | { readonly code: 'unknown-wish'; readonly key: string; readonly value: string }
  /** A preferred or avoided trait of a request group without resources. */
  | { readonly code: 'wish-without-resources'; readonly key: string; readonly value: string }
  /** Beyond as many as are tried. */
  | { readonly code: 'too-many-wishes'; readonly key: string; readonly value: string }
  | { readonly code: 'no-trait-name'; readonly key: string; readonly value: string }
  | { readonly code: 'bad-group-policy'; readonly key: string; readonly value: string }
  /** Neither true nor false, and so false. */
  | { readonly code: 'bad-flag'; readonly key: string; readonly value: string }
  /** Requests something that nothing reads. */
  | { readonly code: 'unread-wish'; readonly key: string; readonly value: string }
  /** A prefilter would require unknown traits, and so requires nothing. */
  | { readonly code: 'unknown-traits'; readonly prefilter: string; readonly traits: readonly string[] }
  /** Both required and forbidden: Placement refuses such a query. */
  | { readonly code: 'trait-conflict'; readonly suffix: string; readonly traits: readonly string[] }
  /** Traits without resources: Placement refuses such a query. */
  | { readonly code: 'group-without-resources'; readonly suffix: string }
  /** Several groups without a group policy: Placement refuses such a query. */
  | { readonly code: 'group-policy-missing'; readonly suffixes: readonly string[] }

const STANDARD_CLASSES: ReadonlySet<string> = new Set(standardClasses)

interface Draft {
  readonly resources: Map<string, bigint>
  readonly required: Set<string>
  readonly forbidden: Set<string>
  readonly anyOf: string[][]
}

/** Builds a query. As in Nova, the last amount of a class counts. */
export class QueryDraft {
  readonly warnings: FlavorWarning[] = []
  readonly #groups = new Map<string, Draft>()
  groupPolicy: 'none' | 'isolate' | null = null

  /** From an extra spec: the amount is a text, and may be invalid. */
  addAskedResource(suffix: string, name: string, key: string, value: string): void {
    if (!name.startsWith('CUSTOM_') && !STANDARD_CLASSES.has(name))
      this.warnings.push({ code: 'unknown-class', key, value })
    else {
      const amount = parseWhole(value)
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

  /** In any group, even with amount 0. */
  names(resourceClass: string): boolean {
    return this.#groups.values().some(({ resources }) => resources.has(resourceClass))
  }

  /** Drops zero amounts. */
  finish(limit: number | null): PlacementQuery {
    const groups = [...this.#groups].flatMap(([suffix, draft]) => groupOf(suffix, draft))
    const { groupPolicy } = this
    this.#addGroupWarnings(groups)
    return { groups, groupPolicy, rootRequired: [], rootForbidden: [], limit }
  }

  #addGroupWarnings(groups: readonly PlacementGroup[]): void {
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

/** As `int(text)`, with all digits; null if that raises. */
function parseWhole(text: string): bigint | null {
  const near = parseInteger(text)
  if (near === null || Number.isSafeInteger(near)) return near === null ? null : BigInt(near)
  const digits = [...text].map(character => parseInteger(character)).filter(digit => digit !== null)
  return (near < 0 ? -1n : 1n) * BigInt(digits.join(''))
}
