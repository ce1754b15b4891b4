import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft } from '../catalog-draft.ts'
import type { Definition } from '../fields.ts'
import { createFrom, findRefusal, type ImportRefusal } from './import.ts'

const OWNER = 'admin'

/**
 * Adds the built-in namespaces that this store never had, and records that in the same commit: one that was deleted
 * since does not come back, and one that a user created under the same name stays as it is.
 */
export function loadBuiltins(
  world: World,
  command: { readonly definitions: readonly Definition[] },
  nowMs: number,
): Decision<{ readonly added: number }, ImportRefusal> {
  const { catalog } = world
  const fresh = command.definitions.filter(({ namespace }) => catalog.builtins.find(namespace) === undefined)
  const wrong = findRefusal(fresh)
  if (wrong !== null) return refuse(wrong)
  const draft = new CatalogDraft(catalog, nowMs)
  let added = 0
  for (const definition of fresh) {
    draft.addBuiltin(definition.namespace)
    if (catalog.namespaces.find(definition.namespace) !== undefined) continue
    createFrom(draft, definition, OWNER)
    added++
  }
  return accept({ ops: draft.ops }, { added })
}
