import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { CatalogDraft } from '../draft.ts'
import type { Definition } from '../fields.ts'
import { created, type ImportRefusal, refusalOf } from './import.ts'

const OWNER = 'admin'

/**
 * Adds the built-in namespaces that this store was never given, and notes that it was, in the same commit: one
 * that was deleted since does not come back, and one that somebody made under the same name is theirs.
 */
export function loadBuiltins(
  world: World,
  command: { readonly definitions: readonly Definition[] },
  nowMs: number,
): Decision<{ readonly added: number }, ImportRefusal> {
  const { catalog } = world
  const fresh = command.definitions.filter(({ namespace }) => catalog.builtins.find(namespace) === undefined)
  const wrong = refusalOf(fresh)
  if (wrong !== null) return refuse(wrong)
  const draft = new CatalogDraft(catalog, nowMs)
  let added = 0
  for (const definition of fresh) {
    draft.addBuiltin(definition.namespace)
    if (catalog.namespaces.find(definition.namespace) !== undefined) continue
    created(draft, definition, OWNER)
    added++
  }
  return accept({ ops: draft.ops }, { added })
}
