import type { ProviderSlot } from '../../kernel/ids.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import { keyOf } from '../../scheduling/framework/refusal.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import type { AskRefusal } from '../../scheduling/hosts/host-selection.ts'
import { isHost } from '../../scheduling/hosts/hosts.ts'
import { FlavorJudge, type Ground } from '../../scheduling/hosts/landing.ts'
import type { FlavorRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'
import type { Turns } from '../api/in-turns.ts'

/** The reason is looked for on at most this many hosts, evenly spread over all. */
const SAMPLE_MAX = 500

/** A project that may use the flavor: some hosts are reserved for projects. */
export const findProjectOf = ({ compute }: World, { id }: FlavorRow): string =>
  compute.flavorAccess.list(id)[0]?.project_id ?? ''

interface Judging {
  readonly world: World
  readonly setup: SchedulingSetup
  readonly turns: Turns
}

/** The most frequent reason on the hosts that are nearest to fitting, in three words. */
export async function findCommonReason(
  { world, setup, turns }: Judging,
  flavorid: string,
  project: string | null,
  hosts: readonly ProviderSlot[],
): Promise<string | null> {
  const step = Math.max(1, Math.ceil(hosts.length / SAMPLE_MAX))
  const judge = () => {
    const row = world.compute.flavors.find(flavorid)
    return row === undefined
      ? null
      : FlavorJudge.of(world, row, { project: project ?? findProjectOf(world, row), user: '' }, setup)
  }
  let current = judge()
  let { revision } = world
  let fewest = Number.POSITIVE_INFINITY
  let counts = new Map<string, number>()
  for (let at = 0; at < hosts.length; at += step) {
    if ((await turns.give()) && world.revision !== revision) {
      current = judge()
      revision = world.revision
    }
    const slot = hosts[at] as ProviderSlot
    if (current === null || !(current instanceof FlavorJudge)) return null
    if (!isHost(world, slot)) continue
    const words = new Set(current.findOnHost(slot).map(describeGround))
    if (words.size === 0 || words.size > fewest) continue
    if (words.size < fewest) counts = new Map()
    fewest = words.size
    for (const one of words) counts.set(one, (counts.get(one) ?? 0) + 1)
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1])
  return most?.[0] ?? 'other hosts changed'
}

function describeGround(ground: Ground): string {
  if (ground.by === 'placement') return describeMiss(ground.miss)
  const key = keyOf(ground.reason)
  return key === null ? `${ground.filter} refuses` : `${key} differs`
}

function describeMiss(miss: Miss): string {
  switch (miss.kind) {
    case 'no-inventory':
      return `no ${miss.class} anywhere`
    case 'short':
      return miss.need > miss.capacity ? `${miss.class} too small` : `no ${miss.class} left`
    case 'units':
      return `${miss.class} units differ`
    case 'trait-missing':
    case 'root-trait-missing':
      return `trait ${miss.anyOf[0]} missing`
    case 'trait-forbidden':
    case 'root-trait-forbidden':
      return `trait ${miss.trait} forbidden`
    case 'not-in-aggregate':
      return 'not in aggregate'
    case 'in-forbidden-aggregate':
      return 'in forbidden aggregate'
    case 'other-tree':
      return 'in other tree'
    case 'not-together':
      return 'groups never together'
    default:
      return miss satisfies never
  }
}

export function describeAskRefusal(refusal: AskRefusal): string {
  switch (refusal.kind) {
    case 'flavor-faults':
      return 'extra specs faulty'
    case 'query-refused':
      return 'request is faulty'
    case 'nothing-asked':
      return 'asks for nothing'
    case 'no-aggregate-for-project':
      return 'project without aggregate'
    case 'unknown-name':
      return `${refusal.refusal.kind === 'unknown-class' ? 'class' : 'trait'} ${refusal.refusal.name} unknown`
    case 'host-missing':
    case 'group-missing':
      return 'nothing to find'
    default:
      return refusal satisfies never
  }
}
