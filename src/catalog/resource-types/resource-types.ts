import { remove } from '../../world/change.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft } from '../draft.ts'
import type { AssociationFields } from '../fields.ts'
import {
  type CatalogRefusal,
  namespaceMissing,
  namespaceProtected,
  partExists,
  partMissing,
} from '../refusals.ts'
import type { NamedAssociation } from '../whole.ts'

/** Says that a namespace is for a type of resource. Any name will do; a new one becomes known. */
export function associate(
  world: World,
  command: { readonly namespace: string; readonly association: AssociationFields },
  nowMs: number,
): Decision<NamedAssociation, CatalogRefusal> {
  const { namespace, association } = command
  const owner = world.catalog.namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  if (world.catalog.association(owner.id, association.name) !== undefined)
    return refuse(partExists(namespace, 'association', association.name))
  const draft = new CatalogDraft(world.catalog, nowMs)
  const made = draft.addAssociation(owner.id, association)
  return accept({ ops: draft.ops }, made)
}

/** The type itself stays known. */
export function dissociate(
  world: World,
  command: { readonly namespace: string; readonly name: string },
): Decision<null, CatalogRefusal> {
  const { namespace, name } = command
  const owner = world.catalog.namespaces.find(namespace)
  if (owner === undefined) return refuse(namespaceMissing(namespace))
  const row = world.catalog.association(owner.id, name)
  if (row === undefined) return refuse(partMissing(namespace, 'association', name))
  if (owner.protected !== 0) return refuse(namespaceProtected(namespace))
  return accept({ ops: [remove('metadef_associations', row)] }, null)
}
