import type { PropertyRow } from '../../world/catalog.ts'
import { remove, update } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft } from '../draft.ts'
import type { PropertyFields } from '../fields.ts'
import {
  type CatalogRefusal,
  namespaceMissing,
  namespaceProtected,
  partExists,
  partMissing,
} from '../refusals.ts'

export function createProperty(
  world: World,
  command: { readonly namespace: string; readonly property: PropertyFields },
  nowMs: number,
): Decision<PropertyRow, CatalogRefusal> {
  const { namespace, property } = command
  const { namespaces, properties } = world.catalog
  const owner = namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  if (properties.find(owner.id, property.name) !== undefined)
    return refuse(partExists(namespace, 'property', property.name))
  const draft = new CatalogDraft(world.catalog, nowMs)
  const row = draft.addProperty(owner.id, property)
  return accept({ ops: draft.ops }, row)
}

/** Replaces the whole property, its name included. */
export function updateProperty(
  world: World,
  command: { readonly namespace: string; readonly name: string; readonly property: PropertyFields },
  nowMs: number,
): Decision<PropertyRow, CatalogRefusal> {
  const { namespace, name, property } = command
  const { namespaces, properties } = world.catalog
  const owner = namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  const before = properties.find(owner.id, name)
  if (before === undefined) return refuse(partMissing(namespace, 'property', name))
  if (property.name !== name && properties.find(owner.id, property.name) !== undefined)
    return refuse(partExists(namespace, 'property', property.name))
  const after = { ...before, name: property.name, json_schema: property.json_schema, updated_at: nowMs }
  return accept({ ops: [update('metadef_properties', before, after)] }, after)
}

export function deleteProperty(
  world: World,
  command: { readonly namespace: string; readonly name: string },
): Decision<null, CatalogRefusal> {
  const { namespace, name } = command
  const owner = world.catalog.namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  const row = world.catalog.properties.find(owner.id, name)
  if (row === undefined) return refuse(partMissing(namespace, 'property', name))
  if (owner.protected !== 0) return refuse(namespaceProtected(namespace))
  return accept({ ops: [remove('metadef_properties', row)] }, null)
}
