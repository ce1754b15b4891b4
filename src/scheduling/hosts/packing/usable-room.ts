import type { ClassId } from '../../../kernel/ids.ts'
import type { HostRoom } from './host-room.ts'
import type { ExpectedRequest, Need, RequestMix } from './request-mix.ts'

/**
 * How often a tree could serve a request if it served nothing else, as a fraction: for each need, what is free on the
 * providers that can serve it at least once, divided by the need. The scarcest need decides. 0 if it cannot serve it once.
 */
function countUses({ needs }: ExpectedRequest, room: HostRoom, free: Float64Array): number {
  let uses = Number.POSITIVE_INFINITY
  for (let nth = 0; nth < needs.length && uses > 0; nth++)
    uses = Math.min(uses, countNeed(needs[nth] as Need, room, free))
  return uses === Number.POSITIVE_INFINITY ? 0 : uses
}

function countNeed(need: Need, room: HostRoom, free: Float64Array): number {
  const { amounts, traits, count, isApart } = need
  const { unitMax, slots } = room
  const columns = room.columnsOf(need)
  if (columns === null) return 0
  const width = room.classes.length
  let whole = 0
  let uses = 0
  for (let place = 0; place < slots.length; place++) {
    let here = Number.POSITIVE_INFINITY
    for (let nth = 0; nth < columns.length && here > 0; nth++) {
      const { 1: amount } = amounts[nth] as Need['amounts'][number]
      const at = place * width + (columns[nth] as number)
      const has = free[at] as number
      if (has < amount || (unitMax[at] as number) < amount) here = 0
      else if (has < here * amount) here = has / amount
    }
    if (here === 0 || (traits.length > 0 && !traits.every(anyOf => room.hasTrait(place, anyOf)))) continue
    whole += isApart ? 1 : Math.floor(here)
    uses += here
  }
  return whole < count ? 0 : uses / count
}

/** The weight of one server of each kind of request. */
export function weighRequests(
  { requests, means }: RequestMix,
  classWeights: ReadonlyMap<ClassId, number> | null,
): Float64Array {
  const weights = new Float64Array(requests.length)
  requests.forEach(({ share, amounts }, nth) => {
    for (const [id, amount] of amounts)
      weights[nth]! +=
        share * amount * (classWeights === null ? 1 / (means.get(id) as number) : (classWeights.get(id) ?? 0))
  })
  return weights
}

/** How much of a tree the expected mix of requests can still use: the uses of each kind, weighted. */
export function measureUsable(
  { requests }: RequestMix,
  weights: Float64Array,
  room: HostRoom,
  free: Float64Array,
): number {
  let usable = 0
  for (let nth = 0; nth < requests.length; nth++)
    if (weights[nth] !== 0)
      usable += (weights[nth] as number) * countUses(requests[nth] as ExpectedRequest, room, free)
  return usable
}
