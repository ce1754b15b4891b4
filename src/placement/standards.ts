import { assert } from '../kernel/assert.ts'
import { isStandardName } from '../kernel/standard-names.ts'
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

/** Adds standard traits that this program does not know yet, as an operator teaches them. */
export function learnTraits(
  world: World,
  { traits }: { readonly traits: readonly string[] },
  nowMs: number,
): Decision<{ readonly added: readonly string[] }, never> {
  assert(traits.every(isStandardName), 'standard names')
  const added = [...new Set(traits)].filter(name => world.traits.id(name) === undefined)
  let nextId = world.traits.nextId(1) as number
  const ops = added.map(name => insert('traits', { id: nextId++, name, updated_at: nowMs }))
  return accept({ ops }, { added })
}

/** What to do about a trait that is missing though its name is a standard one; empty for other names. */
export function learnHint(names: readonly string[]): string {
  const standard = names.filter(isStandardName)
  return standard.length === 0
    ? ''
    : ` (Berth does not know the standard trait${standard.length === 1 ? '' : 's'} ${standard.join(', ')}: ` +
        'put the names into a file, one a line, and run: berth trait learn FILE)'
}
