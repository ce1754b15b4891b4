import { assert } from '../kernel/assert.ts'
import type { Row } from './tables.ts'

export type NamespaceRow = Row<'metadef_namespaces'>
export type ResourceTypeRow = Row<'metadef_resource_types'>
export type AssociationRow = Row<'metadef_associations'>
export type PropertyRow = Row<'metadef_properties'>
export type ObjectRow = Row<'metadef_objects'>
export type TagRow = Row<'metadef_tags'>

interface Numbered {
  readonly id: number
}

/** Rows that are known by their number and by one name. */
class Named<R extends Numbered> {
  readonly #byId = new Map<number, R>()
  readonly #byName = new Map<string, R>()
  readonly #nameOf: (row: R) => string

  constructor(nameOf: (row: R) => string) {
    this.#nameOf = nameOf
  }

  put(before: R | null, after: R | null): void {
    if (before !== null) {
      assert(this.#byId.delete(before.id), () => `no row numbered ${before.id}`)
      this.#byName.delete(this.#nameOf(before))
    }
    if (after !== null) {
      assert(!this.#byId.has(after.id), () => `row ${after.id} exists`)
      assert(!this.#byName.has(this.#nameOf(after)), () => `${this.#nameOf(after)} exists`)
      this.#byId.set(after.id, after)
      this.#byName.set(this.#nameOf(after), after)
    }
  }

  get size(): number {
    return this.#byId.size
  }

  find(name: string): R | undefined {
    return this.#byName.get(name)
  }

  has(id: number): boolean {
    return this.#byId.has(id)
  }

  row(id: number): R {
    const row = this.#byId.get(id)
    assert(row !== undefined, () => `no row numbered ${id}`)
    return row
  }

  /** The oldest first. */
  all(): R[] {
    return inOrder(this.#byId.values())
  }

  nextId(): number {
    return nextAfter(this.#byId.keys())
  }

  rows(): Iterable<R> {
    return this.#byId.values()
  }
}

interface Part extends Numbered {
  readonly namespace_id: number
}

/** What a namespace holds of one kind, each known by a key that is unique within it. */
class Parts<R extends Part, Key extends string | number> {
  readonly #byNamespace = new Map<number, Map<Key, R>>()
  readonly #byId = new Map<number, R>()
  readonly #keyOf: (row: R) => Key

  constructor(keyOf: (row: R) => Key) {
    this.#keyOf = keyOf
  }

  put(before: R | null, after: R | null): void {
    if (before !== null) {
      assert(this.#byId.delete(before.id), () => `no row numbered ${before.id}`)
      const parts = this.#byNamespace.get(before.namespace_id)
      parts?.delete(this.#keyOf(before))
      if (parts?.size === 0) this.#byNamespace.delete(before.namespace_id)
    }
    if (after !== null) {
      assert(!this.#byId.has(after.id), () => `row ${after.id} exists`)
      this.#byId.set(after.id, after)
      const parts = this.#byNamespace.get(after.namespace_id) ?? new Map<Key, R>()
      assert(!parts.has(this.#keyOf(after)), () => `${this.#keyOf(after)} exists in ${after.namespace_id}`)
      parts.set(this.#keyOf(after), after)
      this.#byNamespace.set(after.namespace_id, parts)
    }
  }

  find(namespaceId: number, key: Key): R | undefined {
    return this.#byNamespace.get(namespaceId)?.get(key)
  }

  /** The oldest first. */
  of(namespaceId: number): R[] {
    return inOrder(this.#byNamespace.get(namespaceId)?.values() ?? [])
  }

  nextId(): number {
    return nextAfter(this.#byId.keys())
  }

  rows(): Iterable<R> {
    return this.#byId.values()
  }
}

function inOrder<R extends Numbered>(rows: Iterable<R>): R[] {
  return [...rows].sort((a, b) => a.id - b.id)
}

/** Higher than any that is there, so that numbers grow with age. */
function nextAfter(ids: Iterable<number>): number {
  let next = 1
  for (const id of ids) if (id >= next) next = id + 1
  return next
}

/** The metadata definitions: namespaces, and what is in them. */
export class Catalog {
  readonly namespaces = new Named<NamespaceRow>(row => row.namespace)
  readonly resourceTypes = new Named<ResourceTypeRow>(row => row.name)
  /** By the number of the resource type. */
  readonly associations = new Parts<AssociationRow, number>(row => row.resource_type_id)
  readonly properties = new Parts<PropertyRow, string>(row => row.name)
  readonly objects = new Parts<ObjectRow, string>(row => row.name)
  readonly tags = new Parts<TagRow, string>(row => row.name)
  readonly builtins = new Named<Row<'metadef_builtins'>>(row => row.namespace)

  readonly mirrors = {
    metadef_namespaces: this.namespaces,
    metadef_resource_types: this.resourceTypes,
    metadef_associations: this.associations,
    metadef_properties: this.properties,
    metadef_objects: this.objects,
    metadef_tags: this.tags,
    metadef_builtins: this.builtins,
  }

  /** How a namespace is meant for a type of resource, if it is. */
  association(namespaceId: number, resourceType: string): AssociationRow | undefined {
    const type = this.resourceTypes.find(resourceType)
    return type === undefined ? undefined : this.associations.find(namespaceId, type.id)
  }
}
