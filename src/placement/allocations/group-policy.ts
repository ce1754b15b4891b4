import type { ProviderSlot } from '../../kernel/ids.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision } from '../../world/decision.ts'
import type { GroupClaimRow } from '../../world/group-claims.ts'
import type { World } from '../../world/world.ts'
import { SHARING_TRAIT } from '../candidates/plan.ts'
import type { ConsumerClaim } from './ledger.ts'

/** A server group of Nova as its scheduler knows it. */
interface ForeignGroup {
  readonly uuid: string
  /** Soft policies are weights and refuse no claim. */
  readonly policy: 'affinity' | 'anti-affinity'
  readonly maxPerHost: number
  readonly members: readonly string[]
}

/** A claim that its server group does not allow. */
export interface GroupRefusal {
  readonly kind: 'group-policy'
  readonly group: string
  readonly policy: string
  readonly provider: string
  /** Other members on the host, and how many of them it may have. */
  readonly have: number
  readonly max: number
}

const SWEPT_MAX = 100

/** Notes under which policy a consumer is about to claim, and forgets what has expired. */
export function expectGroupClaim(
  world: World,
  command: { readonly consumer: string; readonly group: ForeignGroup; readonly keepMs: number },
  nowMs: number,
): Decision<null, never> {
  const { consumer, group, keepMs } = command
  const { groupClaims } = world
  const before = groupClaims.find(consumer)
  const after: GroupClaimRow = {
    consumer,
    group_uuid: group.uuid,
    policy: group.policy,
    max_per_host: group.maxPerHost,
    members: JSON.stringify(group.members.filter(member => member !== consumer)),
    expires_at: nowMs + keepMs,
  }
  const own = before === undefined ? insert('group_claims', after) : update('group_claims', before, after)
  return accept({ ops: [own, ...sweep(world, consumer, nowMs)] }, null)
}

function sweep({ groupClaims }: World, except: string, nowMs: number): RowOp[] {
  const ops: RowOp[] = []
  let seen = 0
  for (const row of groupClaims.rows()) {
    if (++seen > SWEPT_MAX) break
    if (row.expires_at <= nowMs && row.consumer !== except) ops.push(remove('group_claims', row))
  }
  return ops
}

/**
 * Null if the claim keeps the policy under which its consumer was announced. Only hosts that are new to the consumer count: what it
 * holds already, or gets back, is no placement.
 */
export function findGroupRefusal(
  world: World,
  { consumer, allocations }: ConsumerClaim,
  nowMs: number,
): GroupRefusal | null {
  const row = world.groupClaims.find(consumer)
  if (row === undefined || row.expires_at <= nowMs) return null
  const held = listHostsOf(world, consumer)
  const claimed = allocations.flatMap(({ provider }) => world.providers.find(provider) ?? [])
  const wanted = listRoots(world, claimed).difference(held)
  if (wanted.size === 0) return null
  const { group_uuid: group, policy, max_per_host: max } = row
  const members = countMembersByHost(world, group, JSON.parse(row.members) as string[], consumer)
  for (const host of wanted) {
    const have = members.get(host) ?? 0
    const isKept = policy === 'affinity' ? have > 0 || members.size === 0 : have < max
    if (!isKept)
      return { kind: 'group-policy', group, policy, provider: world.providers.uuid(host), have, max }
  }
  return null
}

/** Members of a group by the host of their allocations: those listed by Nova, and those announced since. */
export function countMembersByHost(
  world: World,
  group: string,
  listed: readonly string[],
  except: string,
): Map<ProviderSlot, number> {
  const counts = new Map<ProviderSlot, number>()
  for (const member of world.groupClaims.listConsumers(group).union(new Set(listed))) {
    if (member === except) continue
    for (const host of listHostsOf(world, member)) counts.set(host, (counts.get(host) ?? 0) + 1)
  }
  return counts
}

function listHostsOf(world: World, consumer: string): Set<ProviderSlot> {
  const slot = world.consumers.find(consumer)
  if (slot === undefined) return new Set()
  return listRoots(
    world,
    world.consumers.holdings(slot).map(({ provider }) => provider),
  )
}

/** The roots of providers. Members may share storage: a sharing provider is no host. */
function listRoots({ providers, providerTraits, traits }: World, slots: readonly ProviderSlot[]) {
  const sharing = traits.id(SHARING_TRAIT)
  const own = slots.filter(slot => sharing === undefined || !providerTraits.has(slot, sharing))
  return new Set(own.map(slot => providers.rootOf(slot)))
}
