import { insert } from '../world/change.ts'
import { accept, type Decision } from '../world/decision.ts'
import type { World } from '../world/world.ts'

/** Adds the standard resource classes and traits that a store does not have yet, as a newer program may bring. */
export function syncStandards(
  world: World,
  command: { readonly classes: readonly string[]; readonly traits: readonly string[] },
  nowMs: number,
): Decision<{ readonly added: number }, never> {
  const classes = command.classes.flatMap((name, id) =>
    world.classes.id(name) === undefined ? [insert('resource_classes', { id, name, updated_at: nowMs })] : [],
  )
  let nextTrait = world.traits.nextId(1) as number
  const traits = command.traits.flatMap(name =>
    world.traits.id(name) === undefined
      ? [insert('traits', { id: nextTrait++, name, updated_at: nowMs })]
      : [],
  )
  const ops = [...classes, ...traits]
  return accept({ ops }, { added: ops.length })
}
