import type { ObjectRow } from '../../world/catalog.ts'
import type { Decision } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { ObjectFields } from '../fields.ts'
import { createPart, deletePart, replacePart } from '../parts.ts'
import type { CatalogRefusal } from '../refusals.ts'

export function createObject(
  world: World,
  command: { readonly namespace: string; readonly object: ObjectFields },
  nowMs: number,
): Decision<ObjectRow, CatalogRefusal> {
  const { namespace, object } = command
  const { name } = object
  return createPart(world, 'object', { namespace, name }, nowMs, (draft, id) => draft.addObject(id, object))
}

/** Replaces the whole object, its name included. */
export function updateObject(
  world: World,
  command: { readonly namespace: string; readonly name: string; readonly object: ObjectFields },
  nowMs: number,
): Decision<ObjectRow, CatalogRefusal> {
  const { namespace, name, object } = command
  return replacePart(world, 'object', { namespace, name, to: object.name }, nowMs, (draft, before) =>
    draft.updateObject(before, object),
  )
}

export function deleteObject(
  world: World,
  command: { readonly namespace: string; readonly name: string },
): Decision<null, CatalogRefusal> {
  return deletePart(world, 'object', command)
}
