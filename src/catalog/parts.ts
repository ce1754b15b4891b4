import type { AssociationRow, Catalog, ObjectRow, PropertyRow, TagRow } from '../world/catalog.ts'
import type { RowOp } from '../world/change.ts'
import { accept, type Decision, refuse } from '../world/decision.ts'
import type { World } from '../world/world.ts'
import { CatalogDraft } from './catalog-draft.ts'
import {
  type CatalogRefusal,
  namespaceMissing,
  namespaceProtected,
  partExists,
  partMissing,
} from './refusals.ts'

/** The shared part of properties, objects, tags and associations. */

interface Rows {
  readonly association: AssociationRow
  readonly property: PropertyRow
  readonly object: ObjectRow
  readonly tag: TagRow
}

const tables = {
  association: 'metadef_associations',
  property: 'metadef_properties',
  object: 'metadef_objects',
  tag: 'metadef_tags',
} as const

/** Where a part is; an association is found by its type of resource. */
interface Address {
  readonly namespace: string
  readonly name: string
}

function find<K extends keyof Rows>(
  catalog: Catalog,
  part: K,
  namespaceId: number,
  name: string,
): Rows[K] | undefined {
  const finders: { readonly [P in keyof Rows]: () => Rows[P] | undefined } = {
    association: () => catalog.findAssociation(namespaceId, name),
    property: () => catalog.properties.find(namespaceId, name),
    object: () => catalog.objects.find(namespaceId, name),
    tag: () => catalog.tags.find(namespaceId, name),
  }
  return finders[part]()
}

/** The name must be free. */
export function createPart<Made>(
  { catalog }: World,
  part: keyof Rows,
  { namespace, name }: Address,
  nowMs: number,
  add: (draft: CatalogDraft, namespaceId: number) => Made,
): Decision<Made, CatalogRefusal> {
  const owner = catalog.namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  if (find(catalog, part, owner.id, name) !== undefined) return refuse(partExists(namespace, part, name))
  const draft = new CatalogDraft(catalog, nowMs)
  const made = add(draft, owner.id)
  return accept({ ops: draft.ops }, made)
}

/** Replaces a part, and renames it if `to` differs. */
export function replacePart<K extends keyof Rows>(
  { catalog }: World,
  part: K,
  { namespace, name, to }: Address & { readonly to: string },
  nowMs: number,
  change: (draft: CatalogDraft, before: Rows[K]) => Rows[K],
): Decision<Rows[K], CatalogRefusal> {
  const owner = catalog.namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  const before = find(catalog, part, owner.id, name)
  if (before === undefined) return refuse(partMissing(namespace, part, name))
  if (to !== name && find(catalog, part, owner.id, to) !== undefined)
    return refuse(partExists(namespace, part, to))
  const draft = new CatalogDraft(catalog, nowMs)
  const after = change(draft, before)
  return accept({ ops: draft.ops }, after)
}

export function deletePart(
  { catalog }: World,
  part: keyof Rows,
  { namespace, name }: Address,
): Decision<null, CatalogRefusal> {
  const owner = catalog.namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  const row = find(catalog, part, owner.id, name)
  if (row === undefined) return refuse(partMissing(namespace, part, name))
  if (owner.protected !== 0) return refuse(namespaceProtected(namespace))
  const op = { table: tables[part], before: row, after: null } as RowOp
  return accept({ ops: [op] }, null)
}
