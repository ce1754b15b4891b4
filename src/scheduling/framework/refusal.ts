/** Refusals and remarks of filters: codes with the values that were compared. */

export type Facts = { readonly [fact: string]: unknown }

/** Plain data, so that a decision can store it. The code leads to the definition, which has the texts. */
export interface Reason<Code extends string = string> {
  readonly code: Code
  readonly facts: Facts
}

/** The texts of one reason, in the file of the filter that gives it. */
export interface ReasonDefinition<F extends Facts = Facts, Code extends string = string> {
  readonly code: Code
  /** About one host, as a sentence with the values. */
  text(facts: F): string
  /**
   * About several hosts: follows `3 hosts`, so it starts with a verb in the plural. `KEY` stands for the fact
   * `key`.
   */
  readonly hostsText: string
  /** The text for `KEY` if the fact is unknown. */
  readonly keyText?: string
  /** What to do so that this host passes. */
  remedy(facts: NoInfer<F>, host: string): string
  /** The command that does it; absent or null if no single command does. */
  command?(facts: NoInfer<F>, host: string): string | null
  /** What the remedy changes in the flavor; absent or null if it changes something else. */
  specChange?(facts: NoInfer<F>): SpecChange | null
  /** The reason goes away once the remedy of another reason changes the extra spec `key`. */
  readonly isVoidAfterSpecChange?: true
  /** The part of the request that causes the reason, so that another value can be tried. */
  blames?(facts: NoInfer<F>): Blame
}

/** A reason with one of these definitions. */
export type ReasonBy<D extends readonly ReasonDefinition[]> = Reason<D[number]['code']>

/** An extra spec that a remedy sets in the flavor, or removes if the value is null. */
export interface SpecChange {
  readonly key: string
  readonly value: string | null
}

export interface Blame {
  readonly extraSpecs?: readonly string[]
  /** Values of an extra spec that the host would accept. */
  readonly values?: { readonly key: string; readonly values: readonly string[] }
  readonly imageProperties?: readonly string[]
}

/** `text` determines the type of the facts. */
export const defineReason = <F extends Facts, const Code extends string>(
  definition: ReasonDefinition<F, Code>,
): ReasonDefinition<F, Code> => definition

/** A remark that does not refuse the host. */
export interface Note {
  readonly code: string
  readonly facts: Facts
  readonly text: string
}

interface Pass {
  readonly passes: true
  readonly notes: readonly Note[]
}
/** Filters give all reasons, not only the first. */
interface Refusal<Code extends string = string> {
  readonly passes: false
  readonly reasons: readonly [Reason<Code>, ...Reason<Code>[]]
  readonly notes: readonly Note[]
}
export type FilterVerdict<Code extends string = string> = Pass | Refusal<Code>

export const PASS: Pass = { passes: true, notes: [] }

export const reason = <F extends Facts, Code extends string>(
  { code }: ReasonDefinition<F, Code>,
  facts: NoInfer<F>,
): Reason<Code> => ({ code, facts })

export const refuse = <F extends Facts, Code extends string>(
  definition: ReasonDefinition<F, Code>,
  facts: NoInfer<F>,
  notes: readonly Note[] = [],
): Refusal<Code> => ({ passes: false, reasons: [reason(definition, facts)], notes })

/** Passes if there is no reason. */
export function verdictOf<Code extends string>(
  reasons: readonly Reason<Code>[],
  notes: readonly Note[] = [],
): FilterVerdict<Code> {
  const [first, ...others] = reasons
  if (first !== undefined) return { passes: false, reasons: [first, ...others], notes }
  return notes.length === 0 ? PASS : { passes: true, notes }
}

/** The extra spec or capability that a reason is about. */
export const keyOf = ({ facts }: Reason): string | null => (typeof facts.key === 'string' ? facts.key : null)

export const quote = (text: string): string => JSON.stringify(text)

const LISTED_MAX = 10

/** Names for a text. Lists only some, so that the text stays readable. */
export function listNames(names: readonly string[]): string {
  const first = names.slice(0, LISTED_MAX).join(', ')
  return names.length <= LISTED_MAX ? first : `${first} and ${names.length - LISTED_MAX} more`
}
