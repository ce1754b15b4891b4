import type { TagRow } from '../../world/catalog.ts'
import { remove, update } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft } from '../draft.ts'
import {
  type CatalogRefusal,
  namespaceMissing,
  namespaceProtected,
  partExists,
  partMissing,
} from '../refusals.ts'

export function createTag(
  world: World,
  command: { readonly namespace: string; readonly name: string },
  nowMs: number,
): Decision<TagRow, CatalogRefusal> {
  const { namespace, name } = command
  const owner = world.catalog.namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  if (world.catalog.tags.find(owner.id, name) !== undefined) return refuse(partExists(namespace, 'tag', name))
  const draft = new CatalogDraft(world.catalog, nowMs)
  const row = draft.addTag(owner.id, name)
  return accept({ ops: draft.ops }, row)
}

/** Many at once: in place of all that were there, or beside them. None at all changes nothing. */
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
  const taken = new Set(append ? tags.of(owner.id).map(tag => tag.name) : [])
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
  const { namespace, name, to } = command
  const { namespaces, tags } = world.catalog
  const owner = namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  const before = tags.find(owner.id, name)
  if (before === undefined) return refuse(partMissing(namespace, 'tag', name))
  if (to !== name && tags.find(owner.id, to) !== undefined) return refuse(partExists(namespace, 'tag', to))
  const after = { ...before, name: to, updated_at: nowMs }
  return accept({ ops: [update('metadef_tags', before, after)] }, after)
}

export function deleteTag(
  world: World,
  command: { readonly namespace: string; readonly name: string },
): Decision<null, CatalogRefusal> {
  const { namespace, name } = command
  const owner = world.catalog.namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  const row = world.catalog.tags.find(owner.id, name)
  if (row === undefined) return refuse(partMissing(namespace, 'tag', name))
  if (owner.protected !== 0) return refuse(namespaceProtected(namespace))
  return accept({ ops: [remove('metadef_tags', row)] }, null)
}
