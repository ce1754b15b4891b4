import { expectPresence, RowRefused } from './change-refused.ts'
import { IndexedRows } from './indexed-rows.ts'
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

interface Part extends Numbered {
  readonly namespace_id: number
}

/** The parts of one kind in all namespaces, each with a key that is unique within its namespace. */
class Parts<R extends Part, Key extends string | number> {
  readonly #byNamespace = new Map<number, Map<Key, R>>()
  readonly #byId = new Map<number, R>()
  readonly #keyOf: (row: R) => Key

  constructor(keyOf: (row: R) => Key) {
    this.#keyOf = keyOf
  }

  put(before: R | null, after: R | null): void {
    this.#check(before, after)
    if (before !== null) {
      this.#byId.delete(before.id)
      const parts = this.#byNamespace.get(before.namespace_id)
      parts?.delete(this.#keyOf(before))
      if (parts?.size === 0) this.#byNamespace.delete(before.namespace_id)
    }
    if (after !== null) {
      this.#byId.set(after.id, after)
      const parts = this.#byNamespace.get(after.namespace_id) ?? new Map<Key, R>()
      parts.set(this.#keyOf(after), after)
      this.#byNamespace.set(after.namespace_id, parts)
    }
  }

  #check(before: R | null, after: R | null): void {
    expectPresence(this.#byId.has((before ?? (after as R)).id), before)
    if (after === null) return
    const taken = this.find(after.namespace_id, this.#keyOf(after))
    if (taken !== undefined && taken.id !== before?.id) throw new RowRefused('taken', 0)
  }

  find(namespaceId: number, key: Key): R | undefined {
    return this.#byNamespace.get(namespaceId)?.get(key)
  }

  /** The oldest first. */
  list(namespaceId: number): R[] {
    return sortById(this.#byNamespace.get(namespaceId)?.values() ?? [])
  }

  nextId(): number {
    return findNextId(this.#byId.keys())
  }

  rows(): Iterable<R> {
    return this.#byId.values()
  }
}

function sortById<R extends Numbered>(rows: Iterable<R>): R[] {
  return [...rows].sort((a, b) => a.id - b.id)
}

/** Higher than any present, so that numbers grow with age. */
function findNextId(ids: Iterable<number>): number {
  let next = 1
  for (const id of ids) if (id >= next) next = id + 1
  return next
}

/** Metadata definitions: namespaces and their contents. */
export class Catalog {
  readonly namespaces = new IndexedRows<NamespaceRow>([row => row.namespace])
  readonly resourceTypes = new IndexedRows<ResourceTypeRow>([row => row.name])
  /** By the number of the resource type. */
  readonly associations = new Parts<AssociationRow, number>(row => row.resource_type_id)
  readonly properties = new Parts<PropertyRow, string>(row => row.name)
  readonly objects = new Parts<ObjectRow, string>(row => row.name)
  readonly tags = new Parts<TagRow, string>(row => row.name)
  readonly builtins = new IndexedRows<Row<'metadef_builtins'>>([row => row.namespace])

  readonly mirrors = {
    metadef_namespaces: this.namespaces,
    metadef_resource_types: this.resourceTypes,
    metadef_associations: this.associations,
    metadef_properties: this.properties,
    metadef_objects: this.objects,
    metadef_tags: this.tags,
    metadef_builtins: this.builtins,
  }

  /** The association of a namespace with a type of resource, if any. */
  findAssociation(namespaceId: number, resourceType: string): AssociationRow | undefined {
    const type = this.resourceTypes.find(resourceType)
    return type === undefined ? undefined : this.associations.find(namespaceId, type.id)
  }
}
