import type { AggregateView } from '../hosts/host-view.ts'
import type { JsonValue } from './json-value.ts'

/** Why a filter says no, and what it remarks: codes with the values that were compared. Words are made at the edge. */

export interface AggregateRef {
  readonly id: number
  readonly uuid: string
  readonly name: string
}

export const refOf = ({ id, uuid, name }: AggregateView): AggregateRef => ({ id, uuid, name })

/** What one aggregate says under a key: the text that is written there, and the values that are read from it. */
export interface MetadataEntry {
  readonly aggregate: AggregateRef
  readonly text: string
  readonly values: readonly string[]
}

/** What a requirement of the aggregate instance type filter comes to, sentinels and all. */
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

/** A value that a requirement cannot be compared with at all, which is no match. */
export interface Incomparable {
  readonly value: string
  readonly error: string
}

/** What a flavor asks of its host, and what the aggregates of the host say to it. */
export type SpecFacts = {
  readonly direction: 'flavor-to-host'
  /** As it stands in the flavor, and as it is looked for in the metadata. */
  readonly key: string
  readonly name: string
  readonly requirement: string
  readonly meaning: Meaning
  readonly found: readonly (MetadataEntry & { readonly forced: boolean; readonly meaning: Meaning })[]
  readonly incomparable: readonly Incomparable[]
}

/** What an aggregate with force_metadata_check asks of flavors, and what the flavor says to it. */
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

type LimitFacts = {
  readonly have: number
  readonly max: number
  /** The aggregates whose metadata set the limit; none where it is the ordinary one. */
  readonly from: readonly MetadataEntry[]
}

type ReasonFacts = {
  'host.disabled': { readonly reason: string | null }
  'host.down': { readonly forced: boolean }

  /** No aggregate of the host has the key. */
  'extra-spec.missing': SpecFacts
  /** No value that was found fits. */
  'extra-spec.mismatch': SpecFacts
  /** The key must not be there, and is. */
  'extra-spec.present': SpecFacts
  /** The flavor's own text can match nothing: see its meaning. */
  'extra-spec.impossible': SpecFacts
  /** The flavor lacks a key that the aggregate demands. */
  'demand.missing': DemandFacts
  /** The flavor's requirement and the aggregate's demand have no value in common. */
  'demand.mismatch': DemandFacts
  /** The flavor has a key that the aggregate wants flavors to be without. */
  'demand.unwanted': DemandFacts
  /** The aggregate's own text can be met by nobody: see its meaning. */
  'demand.impossible': DemandFacts

  'capability.missing': {
    readonly key: string
    readonly requirement: string
    readonly path: readonly string[]
  }
  'capability.mismatch': {
    readonly key: string
    readonly requirement: string
    readonly value: string
    /** Why the two cannot be compared at all; null if they can. */
    readonly incomparable: string | null
  }

  'flavor.not-listed': { readonly flavor: string; readonly allowed: readonly MetadataEntry[] }
  'project.not-listed': { readonly project: string | null; readonly allowed: readonly MetadataEntry[] }
  'image-property.not-listed': {
    readonly property: string
    readonly value: string
    readonly allowed: readonly MetadataEntry[]
  }
  'instances.limit': LimitFacts
  'io-ops.limit': LimitFacts
  /** Without `from`, the host is in the default zone. */
  'zone.other': {
    readonly asked: string
    readonly zones: readonly string[]
    readonly from: readonly MetadataEntry[]
  }

  'same-host.apart': { readonly instances: readonly string[] }
  'different-host.together': { readonly instances: readonly string[] }
  'group.elsewhere': { readonly group: string; readonly hosts: readonly string[] }
  'group.full': { readonly group: string; readonly have: number; readonly max: number }

  'query.refused': { readonly query: JsonValue }
  'query.malformed': { readonly query: JsonValue; readonly problem: QueryProblem }

  'image.unsupported': {
    readonly wanted: ImageWants
    /** Architecture, hypervisor and mode of each kind of guest that the host can run. */
    readonly supported: readonly (readonly string[])[]
  }
  'image.hypervisor-version': { readonly wanted: string; readonly have: string }
  'image.address-bits': { readonly wanted: number; readonly have: number }
  'backend.disabled': { readonly backend: string; readonly reason: string | null }
  'only-host.other': { readonly asked: string }
  'capacity.short': {
    readonly need: number
    readonly free: number
    readonly total: number
    readonly reserved: number
    readonly used: number
    readonly ratio: number
  }
  'pool-capability.missing': { readonly key: string; readonly requirement: string }
  'pool-capability.mismatch': {
    readonly key: string
    readonly requirement: string
    readonly value: string
    readonly incomparable: string | null
  }
  'snapshot.elsewhere': { readonly snapshot: string; readonly backend: string }
  /** The share that it shall be beside is on another back end. */
  'affinity.elsewhere': { readonly share: string; readonly backend: string }
  /** The share that it shall be beside is nowhere. */
  'affinity.unplaced': { readonly share: string }
  /** It is about to leave this back end, or to come to it. */
  'affinity.moving': { readonly share: string }
  /** The share that it shall be away from is on this back end, or on its way to it. */
  'anti-affinity.together': { readonly share: string }

  'image.isolated': { readonly image: string | null }
  'host.isolated': { readonly image: string | null }
}

export interface ImageWants {
  readonly architecture: string | null
  readonly hypervisor: string | null
  readonly mode: string | null
}

export type QueryProblem =
  | { readonly kind: 'not-json' }
  | { readonly kind: 'too-deep'; readonly max: number }
  | { readonly kind: 'not-a-list'; readonly found: JsonValue }
  | { readonly kind: 'unknown-operator'; readonly operator: JsonValue }
  | {
      readonly kind: 'incomparable'
      readonly operator: string
      readonly left: JsonValue
      readonly right: JsonValue
    }
  | { readonly kind: 'no-members'; readonly variable: string; readonly value: JsonValue }

type NoteFacts = {
  /** A key of the flavor that nobody looked at. */
  'key.skipped': {
    readonly key: string
    readonly requirement: string
    /** An optional key that no aggregate has; a word that is reserved for aggregates; a key that others read. */
    readonly because: 'optional-and-absent' | 'reserved' | 'read-elsewhere'
    /** Who reads it, where others do. */
    readonly reader?: string
  }
  'sentinels.contradict': {
    readonly where: 'flavor' | 'aggregate'
    readonly aggregate: AggregateRef | null
    readonly key: string
    readonly text: string
    /** False where sentinels are plain text as yet: in an aggregate that is not forced. */
    readonly interpreted: boolean
  }
  /** An extra spec that a newer version of the API would refuse. */
  'spec.unreadable': { readonly key: string; readonly requirement: string; readonly fault: string }
  /** force_metadata_check that is neither true nor false, and so does not force. */
  'force.unclear': { readonly aggregate: AggregateRef; readonly text: string }
  /** Metadata that should be numbers and is not, so that the ordinary one counts. */
  'number.unreadable': {
    readonly key: string
    readonly found: readonly MetadataEntry[]
    readonly used: number
  }
}

type Coded<F> = { [C in keyof F]: { readonly code: C; readonly facts: F[C] } }[keyof F]

export type Reason = Coded<ReasonFacts>
export type Note = Coded<NoteFacts>
export type ReasonCode = Reason['code']

interface Pass {
  readonly passes: true
  readonly notes: readonly Note[]
}
/** A filter names all that stands in the way, not only the first thing it met. */
interface Refusal {
  readonly passes: false
  readonly reasons: readonly [Reason, ...Reason[]]
  readonly notes: readonly Note[]
}
export type FilterVerdict = Pass | Refusal

export const PASS: Pass = { passes: true, notes: [] }

export const reason = <C extends ReasonCode>(code: C, facts: ReasonFacts[C]): Reason =>
  ({ code, facts }) as Reason

export const note = <C extends Note['code']>(code: C, facts: NoteFacts[C]): Note => ({ code, facts }) as Note

export const refuse = <C extends ReasonCode>(
  code: C,
  facts: ReasonFacts[C],
  notes: readonly Note[] = [],
): Refusal => ({ passes: false, reasons: [reason(code, facts)], notes })

/** A pass where nothing stands in the way. */
export function verdictOf(reasons: readonly Reason[], notes: readonly Note[]): FilterVerdict {
  const [first, ...others] = reasons
  if (first !== undefined) return { passes: false, reasons: [first, ...others], notes }
  return notes.length === 0 ? PASS : { passes: true, notes }
}
