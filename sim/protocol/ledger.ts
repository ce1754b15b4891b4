import type { ConsumerClaim } from '../../src/placement/allocations/ledger.ts'
import type { Head } from '../../src/store/store.ts'

/** The outcome of one attempt at a write. */
export type Answer =
  /** Accepted and stored. */
  | { readonly kind: 'done' }
  /** Accepted; there was nothing to do. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly refusal: unknown }
  /** Not stored, and it never will be. */
  | { readonly kind: 'failed'; readonly why: string }
  /** Unknown: the process died, or does not know. */
  | { readonly kind: 'uncertain'; readonly why: string }
  /** An earlier attempt with the same key had this answer. */
  | { readonly kind: 'known'; readonly status: number }
  /** The process says that the key is taken. */
  | { readonly kind: 'taken' }

export interface Attempt {
  readonly process: string
  readonly startMs: number
  endMs: number
  answer: Answer | null
}

/** A write of a client, and its answers. */
export interface Write {
  readonly request: number
  readonly claims: readonly ConsumerClaim[]
  readonly isKeyed: boolean
  readonly attempts: Attempt[]
}

export interface Read {
  readonly process: string
  readonly startMs: number
  readonly endMs: number
  readonly head: Head
}

/** All writes of the clients of a run. */
export class Ledger {
  readonly writes: Write[] = []
  reads = 0
  readsFailed = 0

  newWrite(claims: readonly ConsumerClaim[], isKeyed: boolean): Write {
    const write: Write = { request: this.writes.length + 1, claims, isKeyed, attempts: [] }
    this.writes.push(write)
    return write
  }
}
