import { ownValue } from '../../kernel/records.ts'
import type { FlavorRow } from '../../world/compute.ts'
import { accept, type Decision } from '../../world/decision.ts'
import { decideInSequence, type Step } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import {
  createFlavor,
  deleteFlavor,
  grantAccess,
  listProjects,
  revokeAccess,
  setExtraSpecs,
  updateFlavor,
} from '../flavors/flavors.ts'
import type { ComputeRefusal } from '../refusals.ts'
import { compareFields, type FlavorDeclaration, type PlannedChange } from './declarations.ts'

type ChangeDecision = Decision<PlannedChange, ComputeRefusal>
type FlavorStep = Step<unknown, ComputeRefusal>

/** A flavor is found by the declared id, or by its name. */
export function applyFlavor(
  world: World,
  declared: FlavorDeclaration,
  { owner, newUuid, nowMs }: { readonly owner: string; readonly newUuid: string; readonly nowMs: number },
): ChangeDecision {
  const { id, fields } = declared
  const { name } = fields
  const { compute } = world
  const row = (id === undefined ? undefined : compute.flavors.find(id)) ?? compute.findFlavorByName(name)
  const flavor = row?.flavorid ?? id ?? newUuid
  const differences = compareFields(
    row === undefined ? {} : renderCurrent(world, row, declared),
    renderDeclared(declared),
  )
  const owned = row === undefined || row.applied_by === owner
  const action = row === undefined ? 'create' : differences.length === 0 ? 'unchanged' : 'update'
  const change: PlannedChange = { kind: 'flavor', name, action, owned, differences }
  if (action === 'unchanged') return accept({ ops: [] }, change)
  const first: FlavorStep =
    row === undefined
      ? at => createFlavor(at, { fields: { flavorid: flavor, ...fields }, appliedBy: owner }, nowMs)
      : at => updateFlavor(at, { flavor, fields }, nowMs)
  const decision = decideInSequence(world, [
    first,
    ...planSpecs(world, row, flavor, declared),
    ...planAccess(world, row, flavor, declared),
  ])
  return decision.ok ? accept(decision.change, change) : decision
}

function planSpecs(
  { compute }: World,
  row: FlavorRow | undefined,
  flavor: string,
  { extraSpecs }: FlavorDeclaration,
): FlavorStep[] {
  if (extraSpecs === undefined) return []
  const there = row === undefined ? [] : [...compute.getExtraSpecs(row.id).keys()]
  const gone = there.filter(key => !Object.hasOwn(extraSpecs, key)).map(key => [key, null] as const)
  const specs = { ...extraSpecs, ...Object.fromEntries(gone) }
  return [at => setExtraSpecs(at, { flavor, specs })]
}

function planAccess(
  world: World,
  row: FlavorRow | undefined,
  flavor: string,
  { access }: FlavorDeclaration,
): FlavorStep[] {
  if (access === undefined) return []
  const there = new Set(row === undefined ? [] : listProjects(world, row))
  const wanted = new Set(access)
  return [
    ...[...there.difference(wanted)].map(
      (project): FlavorStep =>
        at =>
          revokeAccess(at, { flavor, project }),
    ),
    ...[...wanted.difference(there)].map(
      (project): FlavorStep =>
        at =>
          grantAccess(at, { flavor, project, mayBePublic: true }),
    ),
  ]
}

export function dropFlavor(world: World, { flavorid, name }: FlavorRow): ChangeDecision {
  const gone = deleteFlavor(world, { flavor: flavorid })
  const change: PlannedChange = { kind: 'flavor', name, action: 'remove', owned: true, differences: [] }
  return gone.ok ? accept(gone.change, change) : gone
}

export const listAppliedFlavors = ({ compute }: World, owner: string): FlavorRow[] =>
  compute.flavors.all().filter(row => row.applied_by === owner)

/** The flavors that no declaration refers to, by id or by name. */
export function findUndeclared(
  rows: readonly FlavorRow[],
  declared: readonly FlavorDeclaration[],
): FlavorRow[] {
  const ids = new Set(declared.map(one => one.id))
  const names = new Set(declared.map(one => one.fields.name))
  return rows.filter(row => !ids.has(row.flavorid) && !names.has(row.name))
}

function renderDeclared({ fields, extraSpecs, access }: FlavorDeclaration): Record<string, unknown> {
  return {
    ...fields,
    ...Object.fromEntries(
      Object.entries(extraSpecs ?? {}).map(([key, value]) => [`extra_specs.${key}`, value]),
    ),
    ...(access === undefined ? {} : { access: [...new Set(access)].sort() }),
  }
}

function renderCurrent(world: World, row: FlavorRow, declared: FlavorDeclaration): Record<string, unknown> {
  const specs = declared.extraSpecs === undefined ? [] : [...world.compute.getExtraSpecs(row.id)]
  const fields = Object.fromEntries(
    Object.keys(declared.fields).map(name => [name, ownValue<unknown>(row, name)]),
  )
  return {
    ...fields,
    is_public: row.is_public === 1,
    ...Object.fromEntries(specs.map(([key, value]) => [`extra_specs.${key}`, value])),
    ...(declared.access === undefined ? {} : { access: listProjects(world, row).sort() }),
  }
}
