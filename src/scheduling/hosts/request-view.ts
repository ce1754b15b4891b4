import type { JsonValue } from '../framework/json-value.ts'

/** What is to be placed. A new object for each request: what is worked out from it is kept by identity. */
export interface SchedulingRequest {
  /** A rebuild stays where it is, so only filters that look at the image are asked. */
  readonly operation: 'create' | 'move' | 'rebuild'
  /** The consumer, where it has a uuid already. */
  readonly instance: string | null
  readonly flavor: FlavorView
  readonly project: string | null
  readonly user: string | null
  readonly zone: string | null
  /** The only host that will do. */
  readonly targetHost: string | null
  readonly hints: Hints
  readonly image: ImageView | null
  readonly isVolumeBacked: boolean
  readonly group: ServerGroupView | null
}

export interface FlavorView {
  readonly id: string
  readonly name: string
  readonly vcpus: number
  readonly ramMib: number
  readonly rootGb: number
  readonly ephemeralGb: number
  readonly swapMib: number
  readonly extraSpecs: ReadonlyMap<string, string>
}

export interface ImageView {
  readonly id: string | null
  readonly diskFormat: string | null
  readonly properties: ReadonlyMap<string, JsonValue>
}

export const NO_IMAGE: ImageView = { id: null, diskFormat: null, properties: new Map() }

export interface Hints {
  readonly sameHost: readonly string[]
  readonly differentHost: readonly string[]
  /** For the JSON filter: its text, or what the text says. */
  readonly query: JsonValue
}

export const NO_HINTS: Hints = { sameHost: [], differentHost: [], query: null }

export const GROUP_POLICIES = ['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity'] as const

export interface ServerGroupView {
  readonly uuid: string
  readonly policy: (typeof GROUP_POLICIES)[number]
  readonly maxServerPerHost: number
  /** How many members are on which host, where there are any. */
  readonly membersByHost: ReadonlyMap<string, number>
}
