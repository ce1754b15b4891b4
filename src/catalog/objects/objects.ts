import type { ObjectRow } from '../../world/catalog.ts'
import { remove, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft, objectColumns } from '../draft.ts'
import type { ObjectFields } from '../fields.ts'
import {
  type CatalogRefusal,
  namespaceMissing,
  namespaceProtected,
  partExists,
  partMissing,
} from '../refusals.ts'

export function createObject(
  world: World,
  command: { readonly namespace: string; readonly object: ObjectFields },
  nowMs: number,
): Decision<ObjectRow, CatalogRefusal> {
  const { namespace, object } = command
  const { namespaces, objects } = world.catalog
  const owner = namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  if (objects.find(owner.id, object.name) !== undefined)
    return refuse(partExists(namespace, 'object', object.name))
  const draft = new CatalogDraft(world.catalog, nowMs)
  const row = draft.addObject(owner.id, object)
  return accept({ ops: draft.ops }, row)
}

/** Replaces the whole object, its name included. */
export function updateObject(
  world: World,
  command: { readonly namespace: string; readonly name: string; readonly object: ObjectFields },
  nowMs: number,
): Decision<ObjectRow, CatalogRefusal> {
  const { namespace, name, object } = command
  const { namespaces, objects } = world.catalog
  const owner = namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  const before = objects.find(owner.id, name)
  if (before === undefined) return refuse(partMissing(namespace, 'object', name))
  if (object.name !== name && objects.find(owner.id, object.name) !== undefined)
    return refuse(partExists(namespace, 'object', object.name))
  const after = { ...before, ...objectColumns(object), updated_at: nowMs }
  return accept({ ops: [update('metadef_objects', before, after)] }, after)
}

export function deleteObject(
  world: World,
  command: { readonly namespace: string; readonly name: string },
): Decision<null, CatalogRefusal> {
  const { namespace, name } = command
  const owner = world.catalog.namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  const row = world.catalog.objects.find(owner.id, name)
  if (row === undefined) return refuse(partMissing(namespace, 'object', name))
  if (owner.protected !== 0) return refuse(namespaceProtected(namespace))
  return accept({ ops: [remove('metadef_objects', row)] }, null)
}
