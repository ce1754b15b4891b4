import type { ProviderSlot } from '../../kernel/ids.ts'
import { findHostByName, getHostRow } from '../../scheduling/hosts/hosts.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { addHost, removeHost, setHost } from '../hosts/hosts.ts'
import type { ComputeRefusal } from '../refusals.ts'
import { compareFields, type HostDeclaration, type PlannedChange } from './declarations.ts'

type ChangeDecision = Decision<PlannedChange, ComputeRefusal>

export function applyHost(
  world: World,
  declared: HostDeclaration,
  { owner, newUuid, nowMs }: { readonly owner: string; readonly newUuid: string; readonly nowMs: number },
): ChangeDecision {
  const { name, uuid, ...fields } = declared
  const host = findHostByName(world, name)
  if (host === undefined) {
    const added = addHost(world, { ...fields, host: name, uuid: uuid ?? newUuid, appliedBy: owner }, nowMs)
    const differences = compareFields({}, renderDeclared(declared))
    return withPlan(added, { kind: 'host', name, action: 'create', owned: true, differences })
  }
  if (uuid !== undefined && uuid !== world.providers.uuid(host))
    return refuse({ kind: 'host-exists', field: 'name', value: name })
  const differences = compareFields(renderCurrent(world, host, declared), renderDeclared(declared))
  const owned = world.compute.host(host)?.applied_by === owner
  if (differences.length === 0)
    return accept({ ops: [] }, { kind: 'host', name, action: 'unchanged', owned, differences })
  const set = setHost(world, { ...fields, host: name }, nowMs)
  return withPlan(set, { kind: 'host', name, action: 'update', owned, differences })
}

export function dropHost(world: World, name: string, nowMs: number): ChangeDecision {
  const gone: PlannedChange = { kind: 'host', name, action: 'remove', owned: true, differences: [] }
  return withPlan(removeHost(world, { host: name }, nowMs), gone)
}

const withPlan = (decision: Decision<unknown, ComputeRefusal>, change: PlannedChange): ChangeDecision =>
  decision.ok ? accept(decision.change, change) : decision

export function listAppliedHosts({ compute, providers }: World, owner: string): string[] {
  return [...compute.hosts()]
    .filter(row => row.applied_by === owner)
    .map(row => providers.name(row.provider_id as ProviderSlot))
}

/** The declared fields ... */
function renderDeclared(declared: HostDeclaration): Record<string, unknown> {
  const { uuid, inventories, traits, capabilities, isDisabled, disabledReason, isForcedDown } = declared
  return {
    ...(uuid === undefined ? {} : { uuid }),
    ...Object.fromEntries((inventories ?? []).map(([name, record]) => [`inventories.${name}`, record])),
    ...(traits === undefined ? {} : { traits: [...new Set(traits)].sort() }),
    ...(capabilities === undefined ? {} : { capabilities: JSON.parse(capabilities) }),
    ...(isDisabled === undefined ? {} : { disabled: isDisabled }),
    ...(disabledReason === undefined ? {} : { disabled_reason: disabledReason }),
    ...(isForcedDown === undefined ? {} : { forced_down: isForcedDown }),
  }
}

/** ... and their current values, in the same form. */
function renderCurrent(world: World, host: ProviderSlot, declared: HostDeclaration): Record<string, unknown> {
  const row = getHostRow(world, host)
  return {
    ...(declared.uuid === undefined ? {} : { uuid: world.providers.uuid(host) }),
    ...(declared.inventories === undefined ? {} : renderInventories(world, host)),
    ...(declared.traits === undefined
      ? {}
      : {
          traits: world.providerTraits
            .list(host)
            .map(id => world.traits.name(id))
            .sort(),
        }),
    ...(declared.capabilities === undefined ? {} : { capabilities: JSON.parse(row.capabilities) }),
    ...(declared.isDisabled === undefined ? {} : { disabled: row.is_disabled === 1 }),
    ...(declared.disabledReason === undefined ? {} : { disabled_reason: row.disabled_reason }),
    ...(declared.isForcedDown === undefined ? {} : { forced_down: row.is_forced_down === 1 }),
  }
}

function renderInventories(world: World, host: ProviderSlot): Record<string, unknown> {
  return Object.fromEntries(
    world.inventories.listClasses(host).map(id => {
      const row = world.inventories.row(host, id)
      const record = row && {
        total: row.total,
        reserved: row.reserved,
        minUnit: row.min_unit,
        maxUnit: row.max_unit,
        stepSize: row.step_size,
        allocationRatio: row.allocation_ratio,
      }
      return [`inventories.${world.classes.name(id)}`, record]
    }),
  )
}
