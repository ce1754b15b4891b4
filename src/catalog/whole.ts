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

/** A namespace and all that is in it, each kind in the order in which it was made. */
export interface Whole {
  readonly row: NamespaceRow
  readonly associations: readonly NamedAssociation[]
  readonly properties: readonly PropertyRow[]
  readonly objects: readonly ObjectRow[]
  readonly tags: readonly TagRow[]
}

export function wholeOf(catalog: Catalog, row: NamespaceRow): Whole {
  return {
    row,
    associations: associationsOf(catalog, row),
    properties: catalog.properties.of(row.id),
    objects: catalog.objects.of(row.id),
    tags: catalog.tags.of(row.id),
  }
}

export function associationsOf(catalog: Catalog, { id }: NamespaceRow): NamedAssociation[] {
  return catalog.associations.of(id).map(row => ({
    name: catalog.resourceTypes.row(row.resource_type_id).name,
    row,
  }))
}
