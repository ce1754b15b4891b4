import { assert } from '../kernel/assert.ts'
import { isStandardName } from '../kernel/standard-names.ts'
import { insert, type RowOp } from '../world/change.ts'
import { accept, type Decision } from '../world/decision.ts'
import type { World } from '../world/world.ts'

/** Adds the standard resource classes and traits that the store lacks, for example after an upgrade. */
export function syncStandards(
  world: World,
  command: { readonly classes: readonly string[]; readonly traits: readonly string[] },
  nowMs: number,
): Decision<{ readonly added: number }, never> {
  const classes = command.classes.flatMap((name, id) =>
    world.classes.id(name) === undefined ? [insert('resource_classes', { id, name, updated_at: nowMs })] : [],
  )
  const traits = insertTraits(world, unknownTraits(world, command.traits), nowMs)
  const ops = [...classes, ...traits]
  return accept({ ops }, { added: ops.length })
}

/** Adds standard traits that this version does not know yet; the operator supplies them. */
export function learnTraits(
  world: World,
  { traits }: { readonly traits: readonly string[] },
  nowMs: number,
): Decision<{ readonly added: readonly string[] }, never> {
  assert(traits.every(isStandardName), 'standard names')
  const added = unknownTraits(world, traits)
  return accept({ ops: insertTraits(world, added, nowMs) }, { added })
}

/** Removes duplicates, because a file may repeat a name. */
const unknownTraits = (world: World, names: readonly string[]): string[] =>
  [...new Set(names)].filter(name => world.traits.id(name) === undefined)

function insertTraits(world: World, names: readonly string[], nowMs: number): RowOp[] {
  let nextId = world.traits.nextId(1) as number
  return names.map(name => insert('traits', { id: nextId++, name, updated_at: nowMs }))
}

/** Advice about a missing trait that has a standard name; empty for other names. */
export function learnHint(names: readonly string[]): string {
  const standard = names.filter(isStandardName)
  return standard.length === 0
    ? ''
    : ` (Berth does not know the standard trait${standard.length === 1 ? '' : 's'} ${standard.join(', ')}: ` +
        'put the names into a file, one a line, and run: berth trait learn FILE)'
}
