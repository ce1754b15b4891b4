import { getOrCompute, memoizeByIdentity } from '../../framework/memoize.ts'
import type { SchedulingSettings } from '../../framework/settings.ts'
import type { Weigher } from '../../framework/weigher.ts'
import type { HostView } from '../host-view.ts'
import type { HostRoom } from '../packing/host-room.ts'
import type { RequestMix } from '../packing/request-mix.ts'
import { measureUsable, weighRequests } from '../packing/usable-room.ts'

/** What is known of a tree with one mix: the same for all trees with as much left. */
interface Usable {
  readonly before: number
  /** By the key of a claim. */
  readonly after: Map<string, number>
}

interface Known {
  readonly mix: RequestMix
  readonly settings: SchedulingSettings
  readonly usable: Usable
}

/** More states of trees than this are not kept. */
const STATES_MAX = 20_000

const knownUsable = memoizeByIdentity((_: HostRoom) => ({ last: null as Known | null }))
const knownStates = memoizeByIdentity((_: Float64Array) => new Map<string, Usable>())
const knownWeights = memoizeByIdentity((_: RequestMix) => new Map<SchedulingSettings, Float64Array>())

function readWeights(room: HostRoom, settings: SchedulingSettings): Float64Array {
  return getOrCompute(knownWeights(room.mix), settings, () => {
    const named = Object.entries(settings.fragmentationWeights)
    const byClass = new Map(
      named.flatMap(([name, weight]) => {
        const id = room.classId(name)
        return id === undefined ? [] : [[id, weight] as const]
      }),
    )
    return weighRequests(room.mix, named.length === 0 ? null : byClass)
  })
}

function readUsable(room: HostRoom, settings: SchedulingSettings): Usable {
  const known = knownUsable(room)
  const { mix } = room
  if (known.last?.mix === mix && known.last.settings === settings) return known.last.usable
  const weights = readWeights(room, settings)
  const states = knownStates(weights)
  if (states.size > STATES_MAX) states.clear()
  const usable = getOrCompute(states, room.signature, () => ({
    before: measureUsable(mix, weights, room, room.free),
    after: new Map<string, number>(),
  }))
  known.last = { mix, settings, usable }
  return usable
}

interface Loss {
  readonly before: number
  readonly after: number
}

function measureLoss({ claim }: HostView, settings: SchedulingSettings): Loss {
  if (claim === undefined) return { before: 0, after: 0 }
  const { room } = claim
  const { before, after } = readUsable(room, settings)
  return {
    before,
    after: getOrCompute(after, claim.key, () =>
      measureUsable(room.mix, readWeights(room, settings), room, claim.listFreeAfter()),
    ),
  }
}

const weigh: Weigher['weigh'] = (_request, host, settings) => {
  const { before, after } = measureLoss(host, settings)
  return after - before
}

export const fragmentationWeigher: Weigher = {
  name: 'FragmentationWeigher',
  summary:
    'Prefers the host, and the device or NUMA node on it, where the server takes least from what the expected mix of requests can still use.',
  multiplierKey: 'fragmentation_weight_multiplier',
  multiplier: 1,
  multiplierMin: 0,
  reads: { host: ['inventories', 'usages'], settings: ['fragmentationWeights'] },
  byMix: true,
  weigh,
  weighClaim: weigh,
  explain(_request, host, settings) {
    if (host.claim === undefined) return 'nothing is known of its inventories'
    const { before, after } = measureLoss(host, settings)
    const kinds = host.claim.room.mix.requests.length
    return `${kinds} kinds of requests could use ${before.toFixed(3)} here, and ${after.toFixed(3)} after ${host.claim.describe()}`
  },
}
