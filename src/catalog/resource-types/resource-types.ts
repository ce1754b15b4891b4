import type { Decision } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { AssociationFields } from '../fields.ts'
import { createPart, deletePart } from '../parts.ts'
import type { CatalogRefusal } from '../refusals.ts'
import type { NamedAssociation } from '../whole.ts'

/** Associates a namespace with a type of resource. A new name creates the type. */
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

/** The type itself stays. */
export function dissociate(
  world: World,
  command: { readonly namespace: string; readonly name: string },
): Decision<null, CatalogRefusal> {
  return deletePart(world, 'association', command)
}
