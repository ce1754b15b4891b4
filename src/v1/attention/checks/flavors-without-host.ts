import type { ProviderSlot } from '../../../kernel/ids.ts'
import type { Miss } from '../../../placement/explain/misses.ts'
import { keyOf } from '../../../scheduling/framework/refusal.ts'
import { shellWord } from '../../../scheduling/framework/shell-commands.ts'
import { FlavorFits, makeFlavorAsk } from '../../../scheduling/hosts/flavor-fits.ts'
import type { AskRefusal } from '../../../scheduling/hosts/host-selection.ts'
import { isHost, listAllHosts } from '../../../scheduling/hosts/hosts.ts'
import { FlavorJudge, type Ground } from '../../../scheduling/hosts/landing.ts'
import type { FlavorRow } from '../../../world/compute.ts'
import { type AttentionCheck, type CheckRun, countOf, WorstItems } from '../check.ts'

/** More flavors than this are not checked, and counted in the text. */
const FLAVORS_MAX = 1_000
/** The reason is sought on so many hosts, spread over all. */
const SAMPLE_MAX = 500

/** Where each flavor was seen to fit last: the next run looks there first. */
const lastHosts = new WeakMap<object, Map<string, ProviderSlot>>()

/** No host takes another server of the flavor. */
export const flavorsWithoutHost: AttentionCheck = {
  code: 'flavor.fits-nowhere',
  severity: 'warning',
  operation: 'berth:explain:hosts',
  restMs: 5_000,
  async find(run) {
    const { world } = run
    const hosts = listAllHosts(world)
    if (hosts.length === 0) return null
    const all = world.compute.flavors.all().sort((a, b) => (a.name < b.name ? -1 : 1))
    const known = lastHosts.get(world) ?? new Map<string, ProviderSlot>()
    lastHosts.set(world, known)
    const worst = new WorstItems()
    let first: string | null = null
    for (const { flavorid } of all.slice(0, FLAVORS_MAX)) {
      const why = await findWhyNowhere(run, flavorid, hosts, known)
      const flavor = world.compute.flavors.find(flavorid)
      if (why === null || flavor === undefined) continue
      first ??= flavor.name
      const link = `/why?flavor=${encodeURIComponent(flavor.name)}`
      worst.add(0, { name: flavor.name, text: why, link })
    }
    if (first === null) return null
    const unchecked = all.length > FLAVORS_MAX ? `, of the first ${FLAVORS_MAX} by name` : ''
    return {
      total: worst.total,
      text: `${countOf(worst.total, 'flavor fits', 'flavors fit')} on no host${unchecked}`,
      link: `/why?flavor=${encodeURIComponent(first)}`,
      command: `berth explain schedule ${shellWord(first)}`,
      items: worst.list(),
    }
  },
}

/** In three words; null if it fits somewhere, or was deleted meanwhile. */
async function findWhyNowhere(
  { world, setup, turns }: CheckRun,
  flavorid: string,
  hosts: readonly ProviderSlot[],
  known: Map<string, ProviderSlot>,
): Promise<string | null> {
  const prepare = () => {
    const row = world.compute.flavors.find(flavorid)
    return row === undefined
      ? null
      : FlavorFits.of(world, makeFlavorAsk(world, row, findProject(world, row), ''), setup)
  }
  let fits = prepare()
  let { revision } = world
  const before = known.get(flavorid)
  for (const slot of before === undefined ? hosts : [before, ...hosts]) {
    // What was prepared is good until the state changes.
    if ((await turns.give()) && world.revision !== revision) {
      fits = prepare()
      revision = world.revision
    }
    if (fits === null) return null
    if ('kind' in fits) return describeAskRefusal(fits)
    if (!isHost(world, slot) || fits.countOn(slot).servers === 0) continue
    known.set(flavorid, slot)
    return null
  }
  known.delete(flavorid)
  return findCommonReason({ world, setup, turns }, flavorid, hosts)
}

type World = CheckRun['world']

/** One that may use it: some hosts are kept for projects. */
const findProject = ({ compute }: World, { id }: FlavorRow): string =>
  compute.flavorAccess.list(id)[0]?.project_id ?? ''

/** The most frequent reason on the hosts that are nearest to fitting. */
async function findCommonReason(
  { world, setup, turns }: Pick<CheckRun, 'world' | 'setup' | 'turns'>,
  flavorid: string,
  hosts: readonly ProviderSlot[],
): Promise<string | null> {
  const step = Math.max(1, Math.ceil(hosts.length / SAMPLE_MAX))
  const judge = () => {
    const row = world.compute.flavors.find(flavorid)
    return row === undefined
      ? null
      : FlavorJudge.of(world, row, { project: findProject(world, row), user: '' }, setup)
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

function describeAskRefusal(refusal: AskRefusal): string {
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
