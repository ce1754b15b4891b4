import { KeyedRows } from './indexed-rows.ts'
import type { HintKind } from './shares.ts'
import type { Row } from './tables.ts'

export type ManilaClaimRow = Row<'manila_claims'>

/** By kind of hint, the uuids of the named shares. */
type NamedShares = Readonly<Record<HintKind, readonly string[]>>

/** Shares of Manila that are being placed, or whose hints do not fit into Manila's metadata. */
export class ManilaClaims {
  /** With a back end, mostly the oldest first: a row that is written again goes to the end. */
  readonly #pending = new KeyedRows<ManilaClaimRow, string>(row => row.share)
  /** Without a back end: only their hints count. */
  readonly #kept = new KeyedRows<ManilaClaimRow, string>(row => row.share)
  readonly #hints = new Map<string, NamedShares>()
  /** By named share, the shares whose hints name it. */
  readonly #namedBy = new Map<string, Set<string>>()

  put(before: ManilaClaimRow | null, after: ManilaClaimRow | null): void {
    const [from, to] = [before && this.#rowsFor(before), after && this.#rowsFor(after)]
    if (from === to) from?.put(before, after)
    else {
      from?.put(before, null)
      to?.put(null, after)
    }
    if (before !== null) this.#forgetHints(before.share)
    if (after !== null) this.#noteHints(after)
  }

  #rowsFor({ backend }: ManilaClaimRow): KeyedRows<ManilaClaimRow, string> {
    return backend === null ? this.#kept : this.#pending
  }

  #noteHints({ share, same_host, different_host }: ManilaClaimRow): void {
    const hints = { same_host: splitUuids(same_host), different_host: splitUuids(different_host) }
    this.#hints.set(share, hints)
    for (const named of listNamed(hints)) {
      const by = this.#namedBy.get(named)
      if (by === undefined) this.#namedBy.set(named, new Set([share]))
      else by.add(share)
    }
  }

  #forgetHints(share: string): void {
    for (const named of listNamed(this.listHints(share))) {
      const by = this.#namedBy.get(named)
      by?.delete(share)
      if (by?.size === 0) this.#namedBy.delete(named)
    }
    this.#hints.delete(share)
  }

  get size(): number {
    return this.#pending.size + this.#kept.size
  }

  find(share: string): ManilaClaimRow | undefined {
    return this.#pending.get(share) ?? this.#kept.get(share)
  }

  listHints(share: string): NamedShares {
    return this.#hints.get(share) ?? NO_HINTS
  }

  /** The shares whose hints name this one. */
  listNaming(share: string): ReadonlySet<string> {
    return this.#namedBy.get(share) ?? NOBODY
  }

  listPending(): Iterable<ManilaClaimRow> {
    return this.#pending.rows()
  }

  *rows(): Iterable<ManilaClaimRow> {
    yield* this.#pending.rows()
    yield* this.#kept.rows()
  }
}

const splitUuids = (joined: string): string[] => (joined === '' ? [] : joined.split(','))

const listNamed = ({ same_host, different_host }: NamedShares): string[] => [...same_host, ...different_host]

const NO_HINTS: NamedShares = { same_host: [], different_host: [] }
const NOBODY: ReadonlySet<string> = new Set()
