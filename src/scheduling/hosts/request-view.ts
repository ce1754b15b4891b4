import type { JsonValue } from '../framework/json-value.ts'

/** The request for one server. Each request is a new object, because caches are keyed by identity. */
export interface SchedulingRequest {
  /** The server stays on its host, so only filters that read the image run. */
  readonly operation: 'create' | 'move' | 'rebuild'
  /** The consumer, if it has a uuid already. */
  readonly instance: string | null
  readonly flavor: FlavorView
  readonly project: string | null
  readonly user: string | null
  readonly zone: string | null
  /** The only host allowed. */
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
  /** For the JSON filter: text, or its parsed value. */
  readonly query: JsonValue
}

export const NO_HINTS: Hints = { sameHost: [], differentHost: [], query: null }

export const GROUP_POLICIES = ['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity'] as const

export interface ServerGroupView {
  readonly uuid: string
  readonly policy: (typeof GROUP_POLICIES)[number]
  readonly maxServerPerHost: number
  /** Members per host, where there are any. */
  readonly membersByHost: ReadonlyMap<string, number>
}
