import type {
  AssociationRow,
  Catalog,
  NamespaceRow,
  ObjectRow,
  PropertyRow,
  TagRow,
} from '../world/catalog.ts'
import { insert, type RowOp, remove, update } from '../world/change.ts'
import type {
  AssociationFields,
  Content,
  NamespaceFields,
  ObjectFields,
  PartKind,
  PropertyFields,
} from './fields.ts'
import type { NamedAssociation, Whole } from './whole.ts'

type Numbered =
  | 'namespaces'
  | 'resourceTypes'
  | 'associations'
  | 'properties'
  | 'objects'
  | 'tags'
  | 'builtins'

/** Collects the changes of a command and numbers new rows. */
export class CatalogDraft {
  readonly ops: RowOp[] = []
  readonly #catalog: Catalog
  readonly #nowMs: number
  readonly #next = new Map<Numbered, number>()
  readonly #newTypes = new Map<string, number>()

  constructor(catalog: Catalog, nowMs: number) {
    this.#catalog = catalog
    this.#nowMs = nowMs
  }

  addNamespace(fields: NamespaceFields): NamespaceRow {
    const row = {
      id: this.#takeNumber('namespaces'),
      ...namespaceColumns(fields),
      applied_by: null,
      ...this.#times,
    }
    this.ops.push(insert('metadef_namespaces', row))
    return row
  }

  /** Adds everything in a new namespace. */
  addContent(row: NamespaceRow, content: Content): Whole {
    const { id } = row
    return {
      row,
      associations: content.associations.map(one => this.addAssociation(id, one)),
      objects: content.objects.map(one => this.addObject(id, one)),
      tags: content.tags.map(name => this.addTag(id, name)),
      properties: content.properties.map(one => this.addProperty(id, one)),
    }
  }

  /** An association creates an unknown resource type. */
  addAssociation(
    namespace_id: number,
    { name, prefix, properties_target }: AssociationFields,
  ): NamedAssociation {
    const resource_type_id = this.#ensureResourceType(name)
    const row: AssociationRow = {
      id: this.#takeNumber('associations'),
      namespace_id,
      resource_type_id,
      prefix,
      properties_target,
      ...this.#times,
    }
    this.ops.push(insert('metadef_associations', row))
    return { name, row }
  }

  addProperty(namespace_id: number, { name, json_schema }: PropertyFields): PropertyRow {
    const row = { id: this.#takeNumber('properties'), namespace_id, name, json_schema, ...this.#times }
    this.ops.push(insert('metadef_properties', row))
    return row
  }

  addObject(namespace_id: number, fields: ObjectFields): ObjectRow {
    const row = { id: this.#takeNumber('objects'), namespace_id, ...objectColumns(fields), ...this.#times }
    this.ops.push(insert('metadef_objects', row))
    return row
  }

  addTag(namespace_id: number, name: string): TagRow {
    const row = { id: this.#takeNumber('tags'), namespace_id, name, ...this.#times }
    this.ops.push(insert('metadef_tags', row))
    return row
  }

  updateNamespace(row: NamespaceRow, fields: NamespaceFields): NamespaceRow {
    const after = { ...row, ...namespaceColumns(fields), updated_at: this.#nowMs }
    this.ops.push(update('metadef_namespaces', row, after))
    return after
  }

  updateAssociation(row: AssociationRow, { prefix, properties_target }: AssociationFields): void {
    const after = { ...row, prefix, properties_target, updated_at: this.#nowMs }
    this.ops.push(update('metadef_associations', row, after))
  }

  updateProperty(row: PropertyRow, { name, json_schema }: PropertyFields): PropertyRow {
    const after = { ...row, name, json_schema, updated_at: this.#nowMs }
    this.ops.push(update('metadef_properties', row, after))
    return after
  }

  updateObject(row: ObjectRow, fields: ObjectFields): ObjectRow {
    const after = { ...row, ...objectColumns(fields), updated_at: this.#nowMs }
    this.ops.push(update('metadef_objects', row, after))
    return after
  }

  updateTag(row: TagRow, name: string): TagRow {
    const after = { ...row, name, updated_at: this.#nowMs }
    this.ops.push(update('metadef_tags', row, after))
    return after
  }

  addBuiltin(namespace: string): void {
    const row = { id: this.#takeNumber('builtins'), namespace, loaded_at: this.#nowMs }
    this.ops.push(insert('metadef_builtins', row))
  }

  removeContent(namespaceId: number): void {
    this.removeProperties(namespaceId)
    this.removeObjects(namespaceId)
    this.removeTags(namespaceId)
    for (const row of this.#catalog.associations.list(namespaceId))
      this.ops.push(remove('metadef_associations', row))
  }

  removeProperties(namespaceId: number): void {
    for (const row of this.#catalog.properties.list(namespaceId))
      this.ops.push(remove('metadef_properties', row))
  }

  removeObjects(namespaceId: number): void {
    for (const row of this.#catalog.objects.list(namespaceId)) this.ops.push(remove('metadef_objects', row))
  }

  removeTags(namespaceId: number): void {
    for (const row of this.#catalog.tags.list(namespaceId)) this.ops.push(remove('metadef_tags', row))
  }

  get #times() {
    return { created_at: this.#nowMs, updated_at: this.#nowMs }
  }

  #ensureResourceType(name: string): number {
    const known = this.#catalog.resourceTypes.find(name)?.id ?? this.#newTypes.get(name)
    if (known !== undefined) return known
    const id = this.#takeNumber('resourceTypes')
    this.#newTypes.set(name, id)
    this.ops.push(insert('metadef_resource_types', { id, name, ...this.#times }))
    return id
  }

  #takeNumber(table: Numbered): number {
    const number = this.#next.get(table) ?? this.#catalog[table].nextId()
    this.#next.set(table, number + 1)
    return number
  }
}

/** The columns of a namespace that its fields determine. */
function namespaceColumns(fields: NamespaceFields) {
  const { namespace, display_name, description, visibility, owner } = fields
  return { namespace, display_name, description, visibility, protected: Number(fields.protected), owner }
}

function objectColumns({ name, description, required, json_schema }: ObjectFields) {
  return { name, description, required, json_schema }
}

export function findDuplicate(content: Content): { readonly part: PartKind; readonly name: string } | null {
  const kinds: [PartKind, readonly string[]][] = [
    ['association', content.associations.map(one => one.name)],
    ['property', content.properties.map(one => one.name)],
    ['object', content.objects.map(one => one.name)],
    ['tag', content.tags],
  ]
  for (const [part, names] of kinds) {
    const seen = new Set<string>()
    for (const name of names) {
      if (seen.has(name)) return { part, name }
      seen.add(name)
    }
  }
  return null
}
