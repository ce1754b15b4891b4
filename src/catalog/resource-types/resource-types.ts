import type { Decision } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { AssociationFields } from '../fields.ts'
import { createPart, deletePart } from '../parts.ts'
import type { CatalogRefusal } from '../refusals.ts'
import type { NamedAssociation } from '../whole.ts'

/** Says that a namespace is for a type of resource. Any name will do; a new one becomes known. */
export function associate(
  world: World,
  command: { readonly namespace: string; readonly association: AssociationFields },
  nowMs: number,
): Decision<NamedAssociation, CatalogRefusal> {
  const { namespace, association } = command
  const { name } = association
  return createPart(world, 'association', { namespace, name }, nowMs, (draft, id) =>
    draft.addAssociation(id, association),
  )
}

/** The type itself stays known. */
export function dissociate(
  world: World,
  command: { readonly namespace: string; readonly name: string },
): Decision<null, CatalogRefusal> {
  return deletePart(world, 'association', command)
}
