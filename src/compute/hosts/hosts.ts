import type { ProviderSlot } from '../../kernel/ids.ts'
import { type InventoryRecord, replaceInventories } from '../../placement/inventories/inventories.ts'
import { createProvider, deleteProvider } from '../../placement/providers/providers.ts'
import { ensureTrait, setProviderTraits } from '../../placement/traits/traits.ts'
import { findHostByName, getHostRow, isHost, listConsumers } from '../../scheduling/hosts/hosts.ts'
import { insert, update } from '../../world/change.ts'
import type { HostRow } from '../../world/compute.ts'
import { accept, type Decision, refuse } from '../../world/decision.ts'
import { decideInSequence, type Step } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import type { ComputeDecision, ComputeRefusal } from '../refusals.ts'

type HostStep = Step<unknown, ComputeRefusal>

/** Settings of a host. Undefined: unchanged. */
export interface HostFields {
  /** All of them, by class. */
  readonly inventories?: readonly (readonly [name: string, record: InventoryRecord])[] | undefined
  readonly traits?: readonly string[] | undefined
  /** A JSON object. */
  readonly capabilities?: string | undefined
  readonly isDisabled?: boolean | undefined
  /** Only kept while the host is disabled. */
  readonly disabledReason?: string | null | undefined
  readonly isForcedDown?: boolean | undefined
}

interface AddHost extends HostFields {
  readonly uuid: string
  readonly host: string
  readonly appliedBy?: string | null
}

/** Creates a root provider that is a declared host, with its inventory and traits, in one commit. */
export function addHost(world: World, command: AddHost, nowMs: number): ComputeDecision<null> {
  const { uuid, host, appliedBy = null } = command
  const steps: HostStep[] = [
    at => {
      const made = createProvider(at, { uuid, name: host, parent: null }, nowMs)
      if (made.ok || made.refusal.kind !== 'provider-exists') return made as Decision<unknown, never>
      return refuse({ kind: 'host-exists', field: made.refusal.field, value: made.refusal.value })
    },
    at =>
      accept(
        { ops: [insert('hosts', makeHostRow(at.providers.find(uuid) as ProviderSlot, appliedBy, nowMs))] },
        null,
      ),
    ...planSettings(uuid, host, command, nowMs),
  ]
  return dropAnswer(decideInSequence(world, steps))
}

function makeHostRow(provider_id: ProviderSlot, applied_by: string | null, nowMs: number): HostRow {
  return {
    provider_id,
    is_declared: 1,
    is_disabled: 0,
    disabled_reason: null,
    is_forced_down: 0,
    is_down: 0,
    capabilities: '{}',
    applied_by,
    created_at: nowMs,
    updated_at: null,
  }
}

/** Changes a host, no matter who created it. */
export function setHost(
  world: World,
  command: HostFields & { readonly host: string },
  nowMs: number,
): ComputeDecision<null> {
  const { host } = command
  const provider = findHostByName(world, host)
  if (provider === undefined) return refuse({ kind: 'host-missing', host })
  return dropAnswer(
    decideInSequence(world, planSettings(world.providers.uuid(provider), host, command, nowMs)),
  )
}

const dropAnswer = <R>(decision: Decision<unknown, R>): Decision<null, R> =>
  decision.ok ? accept(decision.change, null) : decision

function planSettings(uuid: string, host: string, fields: HostFields, nowMs: number): HostStep[] {
  const { inventories, traits } = fields
  const steps: HostStep[] = []
  if (inventories !== undefined)
    steps.push(at => {
      const command = { provider: uuid, generation: null, inventories, mayBeFullyReserved: true }
      const set = replaceInventories(at, command, nowMs)
      return set.ok ? set : refuse({ kind: 'host-inventory', host, reason: describeRefusal(set.refusal) })
    })
  for (const name of traits ?? [])
    if (name.startsWith('CUSTOM_')) steps.push(at => ensureTrait(at, { name }, nowMs))
  if (traits !== undefined)
    steps.push(at => {
      const set = setProviderTraits(at, { provider: uuid, generation: null, traits }, nowMs)
      if (set.ok) return set
      const reason =
        'names' in set.refusal ? `there is no trait ${set.refusal.names.join(', ')}` : set.refusal.kind
      return refuse({ kind: 'host-inventory', host, reason })
    })
  steps.push(at => setHostRow(at, uuid, host, fields, nowMs))
  return steps
}

function describeRefusal(refusal: { readonly kind: string }): string {
  const facts = Object.entries(refusal).filter(([name]) => name !== 'kind')
  return [refusal.kind, ...facts.map(([name, value]) => `${name} ${value}`)].join(', ')
}

function setHostRow(
  world: World,
  uuid: string,
  host: string,
  fields: HostFields,
  nowMs: number,
): ComputeDecision<null> {
  const provider = world.providers.find(uuid) as ProviderSlot
  if (!isHost(world, provider)) return refuse({ kind: 'host-not-root', host })
  const before = getHostRow(world, provider)
  const isDisabled = fields.isDisabled ?? before.is_disabled === 1
  const reason = fields.disabledReason === undefined ? before.disabled_reason : fields.disabledReason
  const after: HostRow = {
    ...before,
    is_disabled: Number(isDisabled),
    disabled_reason: isDisabled ? reason : null,
    is_forced_down: Number(fields.isForcedDown ?? before.is_forced_down === 1),
    capabilities: fields.capabilities ?? before.capabilities,
  }
  const isSame = (Object.keys(after) as (keyof HostRow)[]).every(column => after[column] === before[column])
  if (isSame) return accept({ ops: [] }, null)
  const row = { ...after, updated_at: nowMs }
  if (world.compute.host(provider) === undefined) return accept({ ops: [insert('hosts', row)] }, null)
  return accept({ ops: [update('hosts', before, row)] }, null)
}

/** With its whole tree and its aggregate memberships. It must have no allocations. */
export function removeHost(
  world: World,
  command: { readonly host: string },
  _nowMs: number,
): ComputeDecision<null> {
  const { host } = command
  const provider = findHostByName(world, host)
  if (provider === undefined) return refuse({ kind: 'host-missing', host })
  const consumers = listConsumers(world, provider).length
  if (consumers > 0) return refuse({ kind: 'host-in-use', host, consumers })
  const uuids = world.providers.listSubtree(provider).map(slot => world.providers.uuid(slot))
  const steps = uuids.reverse().map(
    (uuid): HostStep =>
      at =>
        // It has no allocations, and its children were deleted before.
        deleteProvider(at, { provider: uuid }) as Decision<null, never>,
  )
  return dropAnswer(decideInSequence(world, steps))
}
