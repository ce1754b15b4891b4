import type { TagRow } from '../../world/catalog.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft } from '../catalog-draft.ts'
import { createPart, deletePart, replacePart } from '../parts.ts'
import { type CatalogRefusal, namespaceMissing, partExists } from '../refusals.ts'

export function createTag(
  world: World,
  command: { readonly namespace: string; readonly name: string },
  nowMs: number,
): Decision<TagRow, CatalogRefusal> {
  const { name } = command
  return createPart(world, 'tag', command, nowMs, (draft, id) => draft.addTag(id, name))
}

/** Replaces all tags, or adds to them. An empty list changes nothing. */
export function setTags(
  world: World,
  command: { readonly namespace: string; readonly names: readonly string[]; readonly append: boolean },
  nowMs: number,
): Decision<null, CatalogRefusal> {
  const { namespace, names, append } = command
  const { namespaces, tags } = world.catalog
  const owner = namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  if (names.length === 0) return accept(NO_CHANGE, null)
  const taken = new Set(append ? tags.list(owner.id).map(tag => tag.name) : [])
  for (const name of names) {
    if (taken.has(name)) return refuse(partExists(namespace, 'tag', name))
    taken.add(name)
  }
  const draft = new CatalogDraft(world.catalog, nowMs)
  if (!append) draft.removeTags(owner.id)
  for (const name of names) draft.addTag(owner.id, name)
  return accept({ ops: draft.ops }, null)
}

export function renameTag(
  world: World,
  command: { readonly namespace: string; readonly name: string; readonly to: string },
  nowMs: number,
): Decision<TagRow, CatalogRefusal> {
  const { to } = command
  return replacePart(world, 'tag', command, nowMs, (draft, before) => draft.updateTag(before, to))
}

export function deleteTag(
  world: World,
  command: { readonly namespace: string; readonly name: string },
): Decision<null, CatalogRefusal> {
  return deletePart(world, 'tag', command)
}
