import { Random } from '../../../kernel/random.ts'
import type { World } from '../../../world/world.ts'
import type { SchedulingSettings } from '../../framework/settings.ts'
import type { Weigher } from '../../framework/weigher.ts'
import { findMultiplier, listCounting, weighHosts } from '../../framework/weighing.ts'
import type { SchedulingRequest } from '../request-view.ts'
import type { WishedSearch } from '../wished-search.ts'
import type { WorldHost } from '../world-host.ts'
import { HostClaim } from './host-claim.ts'
import { getHostRoom } from './host-room.ts'

/** At most this many candidates of one host are compared, the first that the search finds. */
const CLAIMS_MAX = 64

/** Chooses among the candidates of one host, that is among its devices or NUMA nodes. */
export class ClaimChoice {
  readonly #world: World
  readonly #search: WishedSearch
  readonly #request: SchedulingRequest
  readonly #settings: SchedulingSettings
  readonly #weighers: readonly Weigher[]
  readonly #chance: number
  /** By signature of the tree. */
  readonly #like = new Map<string, HostClaim>()

  private constructor(
    world: World,
    search: WishedSearch,
    request: SchedulingRequest,
    settings: SchedulingSettings,
    weighers: readonly Weigher[],
  ) {
    this.#world = world
    this.#search = search
    this.#request = request
    this.#settings = settings
    this.#weighers = weighers
    this.#chance = hashText(request.instance ?? '')
  }

  /** Null if no weigher compares candidates: then the first one is as good as any. */
  static of(
    world: World,
    search: WishedSearch,
    request: SchedulingRequest,
    settings: SchedulingSettings,
    weighers: readonly Weigher[],
  ): ClaimChoice | null {
    const comparing = weighers.filter(({ weighClaim }) => weighClaim !== undefined)
    if (comparing.length === 0 && !(settings.nearEqualWeight > 0)) return null
    return new ClaimChoice(world, search, request, settings, comparing)
  }

  /** The host with its best candidate; null if it has no space. */
  withBestClaim(host: WorldHost): WorldHost | null {
    const room = getHostRoom(this.#world, host.slot)
    if (host.claim?.room === room) return host
    // A host of one provider has one candidate.
    const max = room.slots.length === 1 ? 1 : CLAIMS_MAX
    const claims = this.#search.choicesIn(host.slot, max).map(choice => new HostClaim(room, choice))
    const weighers = listCounting(this.#weighers, this.#request, [host], this.#settings)
    if (claims.length > 1 && weighers.length === 0) return host.withClaim(this.#draw(host, claims))
    const distinct = claims.length <= 1 ? claims : [...new Map(claims.map(one => [one.key, one])).values()]
    const hosts = distinct.map(claim => host.withClaim(claim))
    return hosts.length <= 1 ? (hosts[0] ?? null) : this.#findBest(weighers, hosts)
  }

  /**
   * The host with its best candidate for the weighers; null if it has no space. Trees that differ only in names have equal
   * candidates, so only one of them is searched and the others use its candidate.
   */
  withLikeClaim(host: WorldHost): WorldHost | null {
    if (this.#weighers.length === 0) return host
    if (this.#search.isShared || this.#isMultipliedBy(host)) return this.withBestClaim(host)
    const { signature } = getHostRoom(this.#world, host.slot)
    const like = this.#like.get(signature)
    if (like !== undefined) return host.withClaim(like)
    const own = this.withBestClaim(host)
    if (own?.claim !== undefined) this.#like.set(signature, own.claim)
    return own
  }

  /** Whether an aggregate of the host changes the multiplier of a weigher that compares candidates. */
  #isMultipliedBy({ aggregates }: WorldHost): boolean {
    return aggregates.some(({ metadata }) =>
      this.#weighers.some(({ multiplierKey }) => metadata.has(multiplierKey)),
    )
  }

  #draw(host: WorldHost, claims: readonly HostClaim[]): HostClaim {
    const random = new Random(this.#chance ^ host.slot)
    const drawn = this.#settings.nearEqualWeight > 0 ? random.below(claims.length) : 0
    return claims[drawn] as HostClaim
  }

  #findBest(weighers: readonly Weigher[], hosts: readonly WorldHost[]): WorldHost {
    const [first] = weighers as readonly [Weigher]
    const [one] = hosts as readonly [WorldHost]
    if (weighers.length === 1 && one.aggregates.length === 0) {
      const sign = findMultiplier(first, this.#settings) * (first.isNegated === true ? -1 : 1)
      const score = (host: WorldHost): number =>
        sign * (first.weighClaim?.(this.#request, host, this.#settings) as number)
      let best = { host: one, score: score(one) }
      for (const host of hosts.slice(1)) {
        const own = score(host)
        if (own > best.score) best = { host, score: own }
      }
      return best.host
    }
    const comparing = weighers.map(weigher => ({
      ...weigher,
      weigh: (request: SchedulingRequest, host: WorldHost, settings: SchedulingSettings): number =>
        weigher.weighClaim?.(request, host, settings) as number,
    }))
    const { ranking } = weighHosts<WorldHost, SchedulingRequest, SchedulingSettings>(
      comparing,
      this.#request,
      hosts,
      this.#settings,
    )
    return hosts[ranking[0] as number] as WorldHost
  }
}

/** A seed from the uuid of a server: the same server gets the same candidate in each try. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}
