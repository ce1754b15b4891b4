import type { ProviderSlot } from '../../kernel/ids.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { FitSum, FlavorFits, makeFlavorAsk } from '../../scheduling/hosts/flavor-fits.ts'
import { findZone, isHost, listAllHosts } from '../../scheduling/hosts/hosts.ts'
import { OwnPlaces } from '../../scheduling/reservations/own-places.ts'
import type { Fit, FlavorFit } from '../../wire/fit.ts'
import type { FlavorRow } from '../../world/compute.ts'
import { readWith } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import { Turns } from '../api/in-turns.ts'
import { describeAskRefusal, findCommonReason, findProjectOf } from '../explain/why-nowhere.ts'

/** Checks the clock after this many hosts. */
const HOSTS_PER_LOOK = 32

export interface FitQuestion {
  /** Null for any project that may use the flavor. */
  readonly project: string | null
  readonly flavors: readonly FlavorRow[]
  readonly truncated: boolean
}

/**
 * How many more servers of each flavor fit in each zone, on the live state. Writes continue meanwhile: each
 * host is counted as it is at that moment.
 */
export async function countAllFits(
  world: World,
  setup: SchedulingSetup,
  { project, flavors, truncated }: FitQuestion,
): Promise<Fit> {
  const { revision } = world
  const hosts = listAllHosts(world)
  const byZone = Map.groupBy(hosts, slot => findZone(world, slot, setup.settings.defaultAvailabilityZone))
  const zones = [...byZone].sort(([a], [b]) => (a < b ? -1 : 1))
  const counted: FlavorFit[] = []
  const turns = new Turns()
  for (const { flavorid } of flavors) {
    const found = await countFlavor({ world, setup, turns }, flavorid, project, { zones, revision })
    if (found !== null) counted.push(found)
  }
  return {
    revision,
    zones: zones.map(([zone, members]) => ({ zone, hosts: members.length })),
    flavors: counted,
    truncated,
  }
}

interface Counting {
  readonly world: World
  readonly setup: SchedulingSetup
  readonly turns: Turns
}

type Zones = readonly (readonly [zone: string, hosts: readonly ProviderSlot[]])[]

/** Null if it was deleted meanwhile. */
async function countFlavor(
  counting: Counting,
  id: string,
  project: string | null,
  { zones, revision: started }: { readonly zones: Zones; readonly revision: number },
): Promise<FlavorFit | null> {
  const { world, setup, turns } = counting
  const makeAsk = () => {
    const row = world.compute.flavors.find(id)
    return row === undefined ? null : makeFlavorAsk(world, row, project ?? findProjectOf(world, row), '')
  }
  const prepare = () => {
    const ask = makeAsk()
    return ask === null ? null : FlavorFits.of(world, ask, setup)
  }
  /** What reservations keep for the project is room for it. */
  const prepareOwn = () => {
    const ask = project === null ? null : makeAsk()
    return ask === null ? null : OwnPlaces.of(world, ask, '')
  }
  let fits = prepare()
  let own = prepareOwn()
  let state = `${world.lives} ${world.revision}`
  const whole = new FitSum(world)
  const sums: FitSum[] = []
  let looked = 0
  let mayBeGone = world.revision !== started
  for (const [, hosts] of zones) {
    const sum = new FitSum(world)
    sums.push(sum)
    for (const slot of hosts) {
      // Prepared data is valid until the state changes.
      if (
        ++looked % HOSTS_PER_LOOK === 0 &&
        (await turns.give()) &&
        state !== `${world.lives} ${world.revision}`
      ) {
        fits = prepare()
        own = prepareOwn()
        state = `${world.lives} ${world.revision}`
        mayBeGone = true
      }
      if (!(fits instanceof FlavorFits)) break
      if (mayBeGone && !isHost(world, slot)) continue
      const one = own?.isOn(slot) === true ? countWithOwn(world, fits, own, slot) : fits.countOn(slot)
      sum.add(one)
      whole.add(one)
    }
  }
  const row = world.compute.flavors.find(id)
  if (row === undefined || fits === null) return null
  const reason = fits instanceof FlavorFits ? null : describeAskRefusal(fits)
  const all = zones.flatMap(([, hosts]) => hosts)
  return {
    id,
    name: row.name,
    vcpus: row.vcpus,
    ram: row.memory_mb,
    disk: row.root_gb,
    ...countBody(whole),
    reason: whole.servers > 0 ? null : (reason ?? (await findCommonReason(counting, id, project, all))),
    zones: sums.map(countBody),
  }
}

const countWithOwn = (world: World, fits: FlavorFits, own: OwnPlaces, slot: ProviderSlot) =>
  readWith(world, { ops: own.listReleasesOn(slot) }, () => fits.countOn(slot))

const countBody = ({ servers, hosts, isExact }: FitSum) => ({ fits: servers, hosts, exact: isExact })
