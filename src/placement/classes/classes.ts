import { insert, remove, update } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'

/** Custom resource classes are numbered from here; standard ones below. */
export const CUSTOM_CLASS_ID_MIN = 10_000

type ClassRefusal<Kind extends string> = {
  readonly [K in Kind]: { readonly kind: K; readonly name: string }
}[Kind]
export type RenameRefusal = ClassRefusal<'class-missing' | 'class-standard' | 'class-exists'>
export type DeleteRefusal = ClassRefusal<'class-missing' | 'class-standard' | 'class-in-use'>

export function createClass(
  world: World,
  command: { readonly name: string },
  nowMs: number,
): Decision<null, ClassRefusal<'class-exists'>> {
  const { name } = command
  if (world.classes.id(name) !== undefined) return refuse({ kind: 'class-exists', name })
  const id = world.classes.nextId(CUSTOM_CLASS_ID_MIN)
  return accept({ ops: [insert('resource_classes', { id, name, updated_at: nowMs })] }, null)
}

/** Creates the class unless it exists. */
export function ensureClass(
  world: World,
  command: { readonly name: string },
  nowMs: number,
): Decision<{ readonly created: boolean }, never> {
  const created = createClass(world, command, nowMs)
  return created.ok ? accept(created.change, { created: true }) : accept(NO_CHANGE, { created: false })
}

export function renameClass(
  world: World,
  command: { readonly name: string; readonly newName: string },
  nowMs: number,
): Decision<null, RenameRefusal> {
  const { name, newName } = command
  const id = world.classes.id(name)
  if (id === undefined) return refuse({ kind: 'class-missing', name })
  if (id < CUSTOM_CLASS_ID_MIN) return refuse({ kind: 'class-standard', name })
  if (newName !== name && world.classes.id(newName) !== undefined)
    return refuse({ kind: 'class-exists', name: newName })
  const before = world.classes.row(id)
  const after = { id, name: newName, updated_at: nowMs }
  return accept({ ops: [update('resource_classes', before, after)] }, null)
}

export function deleteClass(world: World, command: { readonly name: string }): Decision<null, DeleteRefusal> {
  const { name } = command
  const id = world.classes.id(name)
  if (id === undefined) return refuse({ kind: 'class-missing', name })
  if (id < CUSTOM_CLASS_ID_MIN) return refuse({ kind: 'class-standard', name })
  if (world.inventories.isInUse(id)) return refuse({ kind: 'class-in-use', name })
  return accept({ ops: [remove('resource_classes', world.classes.row(id))] }, null)
}
