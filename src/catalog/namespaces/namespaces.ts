import type { NamespaceRow } from '../../world/catalog.ts'
import { type RowOp, remove } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft, findDuplicate } from '../catalog-draft.ts'
import type { Content, NamespaceFields } from '../fields.ts'
import { type CatalogRefusal, namespaceMissing, namespaceProtected, partExists } from '../refusals.ts'
import type { Whole } from '../whole.ts'

/** Creates a namespace with its contents, all or nothing. */
export function createNamespace(
  world: World,
  command: { readonly fields: NamespaceFields; readonly content: Content },
  nowMs: number,
): Decision<Whole, CatalogRefusal> {
  const { fields, content } = command
  const { namespace } = fields
  if (world.catalog.namespaces.find(namespace) !== undefined)
    return refuse({ kind: 'namespace-exists', namespace })
  const twice = findDuplicate(content)
  if (twice !== null) return refuse(partExists(namespace, twice.part, twice.name))
  const draft = new CatalogDraft(world.catalog, nowMs)
  const whole = draft.addContent(draft.addNamespace(fields), content)
  return accept({ ops: draft.ops }, whole)
}

/** Replaces the attributes of the namespace and its name; its contents stay. */
export function updateNamespace(
  world: World,
  command: { readonly namespace: string; readonly fields: NamespaceFields },
  nowMs: number,
): Decision<NamespaceRow, CatalogRefusal> {
  const { fields } = command
  const { namespaces } = world.catalog
  const before = namespaces.find(command.namespace)
  if (before === undefined) return refuse(namespaceMissing(command.namespace))
  if (fields.namespace !== before.namespace && namespaces.find(fields.namespace) !== undefined)
    return refuse({ kind: 'namespace-exists', namespace: fields.namespace })
  const draft = new CatalogDraft(world.catalog, nowMs)
  const after = draft.updateNamespace(before, fields)
  return accept({ ops: draft.ops }, after)
}

/** With its contents. */
export function deleteNamespace(
  world: World,
  command: { readonly namespace: string },
  nowMs: number,
): Decision<null, CatalogRefusal> {
  const row = world.catalog.namespaces.find(command.namespace)
  if (row === undefined) return refuse(namespaceMissing(command.namespace))
  if (row.protected !== 0) return refuse(namespaceProtected(row.namespace))
  const draft = new CatalogDraft(world.catalog, nowMs)
  draft.removeContent(row.id)
  const ops: RowOp[] = [...draft.ops, remove('metadef_namespaces', row)]
  return accept({ ops }, null)
}

/** Removes all parts of one kind from a namespace. */
export function clearNamespace(
  world: World,
  command: { readonly namespace: string; readonly what: 'properties' | 'objects' | 'tags' },
  nowMs: number,
): Decision<null, CatalogRefusal> {
  const row = world.catalog.namespaces.find(command.namespace)
  if (row === undefined) return refuse(namespaceMissing(command.namespace))
  if (row.protected !== 0) return refuse(namespaceProtected(row.namespace))
  const draft = new CatalogDraft(world.catalog, nowMs)
  if (command.what === 'properties') draft.removeProperties(row.id)
  else if (command.what === 'objects') draft.removeObjects(row.id)
  else draft.removeTags(row.id)
  return accept({ ops: draft.ops }, null)
}
