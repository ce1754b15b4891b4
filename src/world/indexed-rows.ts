import { assert } from '../kernel/assert.ts'
import { expectPresence, RowRefused } from './change-refused.ts'

interface Numbered {
  readonly id: number
}

/** Rows with a number and one or more unique names. */
export class IndexedRows<R extends Numbered> {
  readonly #byId = new Map<number, R>()
  /** Null: unknown. */
  #highest: number | null = 0
  readonly #indexes: readonly { readonly nameOf: (row: R) => string; readonly rows: Map<string, R> }[]
  readonly #changed: (id: number) => void

  /** `changed` is called for every row that changes. */
  constructor(names: readonly ((row: R) => string)[], changed: (id: number) => void = () => undefined) {
    this.#indexes = names.map(nameOf => ({ nameOf, rows: new Map() }))
    this.#changed = changed
  }

  put(before: R | null, after: R | null): void {
    this.#check(before, after)
    if (before !== null) {
      if (before.id === this.#highest) this.#highest = null
      this.#byId.delete(before.id)
      for (const { nameOf, rows } of this.#indexes) rows.delete(nameOf(before))
    }
    if (after !== null) {
      if (this.#highest !== null && after.id > this.#highest) this.#highest = after.id
      this.#byId.set(after.id, after)
      for (const { nameOf, rows } of this.#indexes) rows.set(nameOf(after), after)
    }
    this.#changed((after ?? before)?.id as number)
  }

  #check(before: R | null, after: R | null): void {
    expectPresence(this.#byId.has((before ?? (after as R)).id), before)
    if (after === null) return
    if (before !== null && after.id !== before.id) expectPresence(this.#byId.has(after.id), null)
    this.#indexes.forEach(({ nameOf, rows }, nth) => {
      const taken = rows.get(nameOf(after))
      if (taken !== undefined && taken.id !== before?.id) throw new RowRefused('taken', nth)
    })
  }

  get size(): number {
    return this.#byId.size
  }

  /** By the unique name with index `at`. */
  find(name: string, at = 0): R | undefined {
    return this.#indexes[at]?.rows.get(name)
  }

  get(id: number): R | undefined {
    return this.#byId.get(id)
  }

  row(id: number): R {
    const row = this.#byId.get(id)
    assert(row !== undefined, () => `no row numbered ${id}`)
    return row
  }

  /** The oldest first. */
  all(): R[] {
    return [...this.#byId.values()].sort((a, b) => a.id - b.id)
  }

  /** Higher than any present, so that numbers grow with age. */
  nextId(): number {
    if (this.#highest === null) {
      this.#highest = 0
      for (const id of this.#byId.keys()) if (id > this.#highest) this.#highest = id
    }
    return this.#highest + 1
  }

  rows(): Iterable<R> {
    return this.#byId.values()
  }
}

/** Rows that belong to another one, each with a key that is unique there. */
export class OwnedRows<R, Key extends string | number> {
  readonly #byOwner = new Map<number, Map<Key, R>>()
  readonly #ownerOf: (row: R) => number
  readonly #keyOf: (row: R) => Key
  readonly #changed: (owner: number) => void

  constructor(
    ownerOf: (row: R) => number,
    keyOf: (row: R) => Key,
    changed: (owner: number) => void = () => undefined,
  ) {
    this.#ownerOf = ownerOf
    this.#keyOf = keyOf
    this.#changed = changed
  }

  put(before: R | null, after: R | null): void {
    const row = (after ?? before) as R
    const owner = this.#ownerOf(row)
    const rows = this.#byOwner.get(owner) ?? new Map<Key, R>()
    checkKeyed(rows, this.#keyOf, before, after)
    if (before !== null) rows.delete(this.#keyOf(before))
    if (after !== null) rows.set(this.#keyOf(after), after)
    if (rows.size === 0) this.#byOwner.delete(owner)
    else this.#byOwner.set(owner, rows)
    this.#changed(owner)
  }

  find(owner: number, key: Key): R | undefined {
    return this.#byOwner.get(owner)?.get(key)
  }

  countOf(owner: number): number {
    return this.#byOwner.get(owner)?.size ?? 0
  }

  /** By key, not in order of insertion: the same state gives the same answers. */
  list(owner: number): R[] {
    const rows = [...(this.#byOwner.get(owner)?.values() ?? [])]
    return rows.sort((a, b) => (this.#keyOf(a) < this.#keyOf(b) ? -1 : 1))
  }

  *rows(): Iterable<R> {
    for (const rows of this.#byOwner.values()) yield* rows.values()
  }
}

/** Rows by a single key. */
export class KeyedRows<R, Key extends string | number> {
  readonly #byKey = new Map<Key, R>()
  readonly #keyOf: (row: R) => Key

  constructor(keyOf: (row: R) => Key) {
    this.#keyOf = keyOf
  }

  put(before: R | null, after: R | null): void {
    checkKeyed(this.#byKey, this.#keyOf, before, after)
    if (before !== null) this.#byKey.delete(this.#keyOf(before))
    if (after !== null) this.#byKey.set(this.#keyOf(after), after)
  }

  get size(): number {
    return this.#byKey.size
  }

  get(key: Key): R | undefined {
    return this.#byKey.get(key)
  }

  rows(): Iterable<R> {
    return this.#byKey.values()
  }
}

function checkKeyed<R, Key>(
  rows: ReadonlyMap<Key, R>,
  keyOf: (row: R) => Key,
  before: R | null,
  after: R | null,
): void {
  if (before !== null) expectPresence(rows.has(keyOf(before)), before)
  if (after === null) return
  if (before === null || keyOf(after) !== keyOf(before)) expectPresence(rows.has(keyOf(after)), null)
}

/** Numbers of rows, grouped by a value. */
export class Groups<Key extends string | number> {
  readonly #members = new Map<Key, Set<number>>()

  add(key: Key, member: number): void {
    const members = this.#members.get(key)
    if (members === undefined) this.#members.set(key, new Set([member]))
    else members.add(member)
  }

  delete(key: Key, member: number): void {
    const members = this.#members.get(key)
    members?.delete(member)
    if (members?.size === 0) this.#members.delete(key)
  }

  get(key: Key): ReadonlySet<number> {
    return this.#members.get(key) ?? NOBODY
  }

  countOf(key: Key): number {
    return this.get(key).size
  }

  keys(): Iterable<Key> {
    return this.#members.keys()
  }
}

const NOBODY: ReadonlySet<number> = new Set()
