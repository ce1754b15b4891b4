import type { PropertyRow } from '../../world/catalog.ts'
import type { Decision } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { PropertyFields } from '../fields.ts'
import { createPart, deletePart, replacePart } from '../parts.ts'
import type { CatalogRefusal } from '../refusals.ts'

export function createProperty(
  world: World,
  command: { readonly namespace: string; readonly property: PropertyFields },
  nowMs: number,
): Decision<PropertyRow, CatalogRefusal> {
  const { namespace, property } = command
  const { name } = property
  return createPart(world, 'property', { namespace, name }, nowMs, (draft, id) =>
    draft.addProperty(id, property),
  )
}

/** Replaces the whole property, its name included. */
export function updateProperty(
  world: World,
  command: { readonly namespace: string; readonly name: string; readonly property: PropertyFields },
  nowMs: number,
): Decision<PropertyRow, CatalogRefusal> {
  const { namespace, name, property } = command
  return replacePart(world, 'property', { namespace, name, to: property.name }, nowMs, (draft, before) =>
    draft.updateProperty(before, property),
  )
}

export function deleteProperty(
  world: World,
  command: { readonly namespace: string; readonly name: string },
): Decision<null, CatalogRefusal> {
  return deletePart(world, 'property', command)
}
