import type {
  AssociationRow,
  Catalog,
  NamespaceRow,
  ObjectRow,
  PropertyRow,
  TagRow,
} from '../world/catalog.ts'

export interface NamedAssociation {
  /** The type of resource. */
  readonly name: string
  readonly row: AssociationRow
}

/** A namespace with its contents, each kind in order of creation. */
export interface Whole {
  readonly row: NamespaceRow
  readonly associations: readonly NamedAssociation[]
  readonly properties: readonly PropertyRow[]
  readonly objects: readonly ObjectRow[]
  readonly tags: readonly TagRow[]
}

export function collectWhole(catalog: Catalog, row: NamespaceRow): Whole {
  return {
    row,
    associations: listAssociations(catalog, row),
    properties: catalog.properties.list(row.id),
    objects: catalog.objects.list(row.id),
    tags: catalog.tags.list(row.id),
  }
}

export function listAssociations(catalog: Catalog, { id }: NamespaceRow): NamedAssociation[] {
  return catalog.associations.list(id).map(row => ({
    name: catalog.resourceTypes.row(row.resource_type_id).name,
    row,
  }))
}
