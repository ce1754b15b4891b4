import type { ProviderSlot } from '../../kernel/ids.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, type Decision } from '../../world/decision.ts'
import type { GroupClaimRow } from '../../world/group-claims.ts'
import type { World } from '../../world/world.ts'
import { SHARING_TRAIT } from '../candidates/plan.ts'
import type { ConsumerClaim } from './ledger.ts'

/** A server group as Nova's scheduler describes it. */
interface ForeignGroup {
  readonly uuid: string
  /** Soft policies only affect weights and refuse no claim. */
  readonly policy: 'affinity' | 'anti-affinity'
  readonly maxPerHost: number
  readonly members: readonly string[]
}

/** A claim that violates the policy of its server group. */
export interface GroupRefusal {
  readonly kind: 'group-policy'
  readonly group: string
  readonly policy: string
  readonly provider: string
  /** The number of other members on the host, and the allowed number. */
  readonly have: number
  readonly max: number
}

const SWEPT_MAX = 100

/** Records the policy for a claim that a consumer is about to make, and removes expired records. */
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
 * Null if the claim obeys the policy that was announced for its consumer. Only hosts that are new to the
 * consumer count: keeping or returning allocations is not a placement.
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

/** Members of a group by the host of their allocations: members that Nova listed, and members announced since. */
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

/** The root providers of the allocations. Members may share storage: a sharing provider is not a host. */
function listRoots({ providers, providerTraits, traits }: World, slots: readonly ProviderSlot[]) {
  const sharing = traits.id(SHARING_TRAIT)
  const own = slots.filter(slot => sharing === undefined || !providerTraits.has(slot, sharing))
  return new Set(own.map(slot => providers.rootOf(slot)))
}
