import { insert, type RowOp, remove, update } from '../../world/change.ts'
import type { FlavorRow } from '../../world/compute.ts'
import { accept, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import type { ComputeDecision } from '../refusals.ts'

export interface FlavorFields {
  readonly flavorid: string
  readonly name: string
  readonly memory_mb: number
  readonly vcpus: number
  readonly root_gb: number
  readonly ephemeral_gb: number
  readonly swap: number
  readonly rxtx_factor: number
  readonly is_public: boolean
  readonly description: string | null
}

/** `appliedBy` is set by declarations only. */
export function createFlavor(
  world: World,
  command: { readonly fields: FlavorFields; readonly appliedBy?: string | null },
  nowMs: number,
): ComputeDecision<FlavorRow> {
  const { fields, appliedBy = null } = command
  const { flavors } = world.compute
  if (world.compute.findFlavorByName(fields.name) !== undefined)
    return refuse({ kind: 'flavor-exists', field: 'name', value: fields.name })
  if (flavors.find(fields.flavorid) !== undefined)
    return refuse({ kind: 'flavor-exists', field: 'id', value: fields.flavorid })
  const row: FlavorRow = {
    id: flavors.nextId(),
    ...toColumns(fields),
    applied_by: appliedBy,
    created_at: nowMs,
    updated_at: null,
  }
  return accept({ ops: [insert('flavors', row)] }, row)
}

const toColumns = (fields: FlavorFields) => ({ ...fields, is_public: Number(fields.is_public) })

/** Only the given fields; the id stays. */
export function updateFlavor(
  world: World,
  command: { readonly flavor: string; readonly fields: Partial<Omit<FlavorFields, 'flavorid'>> },
  nowMs: number,
): ComputeDecision<FlavorRow> {
  const before = world.compute.flavors.find(command.flavor)
  if (before === undefined) return refuse({ kind: 'flavor-missing', flavor: command.flavor })
  const { is_public, ...others } = command.fields
  const named = others.name === undefined ? undefined : world.compute.findFlavorByName(others.name)
  if (named !== undefined && named.id !== before.id)
    return refuse({ kind: 'flavor-exists', field: 'name', value: named.name })
  const after: FlavorRow = {
    ...before,
    ...others,
    updated_at: nowMs,
    is_public: is_public === undefined ? before.is_public : Number(is_public),
  }
  return accept({ ops: [update('flavors', before, after)] }, after)
}

/** With its extra specs and project access. */
export function deleteFlavor(world: World, command: { readonly flavor: string }): ComputeDecision<null> {
  const { flavors, extraSpecs, flavorAccess } = world.compute
  const row = flavors.find(command.flavor)
  if (row === undefined) return refuse({ kind: 'flavor-missing', flavor: command.flavor })
  const ops: RowOp[] = [
    ...extraSpecs.list(row.id).map(one => remove('flavor_extra_specs', one)),
    ...flavorAccess.list(row.id).map(one => remove('flavor_access', one)),
    remove('flavors', row),
  ]
  return accept({ ops }, null)
}

/** Adds to the extra specs; null removes one. Answers all of them. */
export function setExtraSpecs(
  world: World,
  command: { readonly flavor: string; readonly specs: Readonly<Record<string, string | null>> },
): ComputeDecision<ReadonlyMap<string, string>> {
  const { flavors, extraSpecs } = world.compute
  const row = flavors.find(command.flavor)
  if (row === undefined) return refuse({ kind: 'flavor-missing', flavor: command.flavor })
  const after = new Map(world.compute.getExtraSpecs(row.id))
  const ops: RowOp[] = []
  for (const [key, value] of Object.entries(command.specs)) {
    const before = extraSpecs.find(row.id, key)
    if (value === null) after.delete(key)
    else after.set(key, value)
    if (before?.value === (value ?? undefined)) continue
    const wanted = value === null ? null : { flavor_id: row.id, key, value }
    if (wanted === null) ops.push(remove('flavor_extra_specs', before as NonNullable<typeof before>))
    else if (before === undefined) ops.push(insert('flavor_extra_specs', wanted))
    else ops.push(update('flavor_extra_specs', before, wanted))
  }
  return accept(ops.length === 0 ? NO_CHANGE : { ops }, after)
}

export function deleteExtraSpec(
  world: World,
  command: { readonly flavor: string; readonly key: string },
): ComputeDecision<null> {
  const { flavor, key } = command
  const row = world.compute.flavors.find(flavor)
  if (row === undefined) return refuse({ kind: 'flavor-missing', flavor })
  const spec = world.compute.extraSpecs.find(row.id, key)
  if (spec === undefined) return refuse({ kind: 'extra-spec-missing', flavor, key })
  return accept({ ops: [remove('flavor_extra_specs', spec)] }, null)
}

/** Answers every project that has access afterwards. */
export function addFlavorAccess(world: World, command: AddAccess): ComputeDecision<readonly string[]> {
  const decision = grantAccess(world, command)
  if (!decision.ok) return decision
  return accept(decision.change, [...listProjects(world, decision.answer), command.project].sort())
}

interface AddAccess {
  readonly flavor: string
  readonly project: string
  readonly mayBePublic: boolean
}

/** Without the list of all projects, which would be long where many are granted in sequence. */
export function grantAccess(world: World, command: AddAccess): ComputeDecision<FlavorRow> {
  const { flavor, project } = command
  const { flavors, flavorAccess } = world.compute
  const row = flavors.find(flavor)
  if (row === undefined) return refuse({ kind: 'flavor-missing', flavor })
  if (row.is_public === 1 && !command.mayBePublic) return refuse({ kind: 'flavor-public', flavor })
  if (flavorAccess.find(row.id, project) !== undefined)
    return refuse({ kind: 'access-exists', flavor, project })
  const ops = [insert('flavor_access', { flavor_id: row.id, project_id: project })]
  return accept({ ops }, row)
}

export function removeFlavorAccess(
  world: World,
  command: { readonly flavor: string; readonly project: string },
): ComputeDecision<readonly string[]> {
  const decision = revokeAccess(world, command)
  if (!decision.ok) return decision
  const left = listProjects(world, decision.answer).filter(one => one !== command.project)
  return accept(decision.change, left)
}

export function revokeAccess(
  world: World,
  command: { readonly flavor: string; readonly project: string },
): ComputeDecision<FlavorRow> {
  const { flavor, project } = command
  const { flavors, flavorAccess } = world.compute
  const row = flavors.find(flavor)
  if (row === undefined) return refuse({ kind: 'flavor-missing', flavor })
  const access = flavorAccess.find(row.id, project)
  if (access === undefined) return refuse({ kind: 'access-missing', flavor, project })
  return accept({ ops: [remove('flavor_access', access)] }, row)
}

export const listProjects = (world: World, { id }: FlavorRow): string[] =>
  world.compute.flavorAccess.list(id).map(one => one.project_id)
