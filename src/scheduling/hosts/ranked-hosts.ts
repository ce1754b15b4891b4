import { Random } from '../../kernel/random.ts'
import { TOP_MAX } from '../framework/choice-summary.ts'
import type { FunnelStep } from '../framework/pipeline.ts'
import type { SchedulingSettings } from '../framework/settings.ts'
import { type Contribution, rankBest, rankWeights } from '../framework/weighing.ts'
import type { WorldHost } from './world-host.ts'

/** The hosts that pass all filters, with their weights. */
export interface JudgedHosts {
  readonly passed: HostList
  readonly weighing: HostWeights
  /** The hosts with space that were checked; `truncated` says that there may be more. */
  readonly candidates: number
  readonly truncated: boolean
  /** The search gave up on some host, which may have space. */
  readonly searchExhausted: boolean
  readonly funnel: readonly FunnelStep[]
}

/** An array, or hosts that are made when they are looked at. */
interface HostList {
  readonly length: number
  at(nth: number): WorldHost | undefined
}

/** In the order of the hosts. */
interface HostWeights {
  readonly weights: Float64Array
  listContributions(at: number, host: WorldHost): readonly Contribution[]
}

/** Best first. The first is drawn from the best few, or from near-equals, if the operator configured that. */
export class RankedHosts {
  readonly judged: JudgedHosts
  readonly #explained: (host: WorldHost) => WorldHost
  readonly #settings: SchedulingSettings
  readonly #seed: number
  #order: readonly number[] | null = null
  #top: readonly TopHost[] | null = null

  /** `explained`: the host with what weighers measured on it. */
  constructor(
    judged: JudgedHosts,
    settings: SchedulingSettings,
    seed: number,
    explained: (host: WorldHost) => WorldHost,
  ) {
    this.judged = judged
    this.#settings = settings
    this.#seed = seed
    this.#explained = explained
  }

  get size(): number {
    return this.judged.passed.length
  }

  /** At most as many as are recorded. Does not sort the others, which are rarely needed. */
  listTop(): readonly TopHost[] {
    this.#top ??= this.#makeTop()
    return this.#top
  }

  #makeTop(): TopHost[] {
    const { weights } = this.judged.weighing
    const best = this.#isDrawn ? this.#getOrder().slice(0, TOP_MAX) : rankBest(weights, TOP_MAX)
    return best.map(at => {
      const host = this.#hostAt(at)
      return {
        host,
        weight: weights[at] as number,
        listContributions: () => this.judged.weighing.listContributions(at, this.#explained(host)),
      }
    })
  }

  *hosts(): Generator<WorldHost> {
    const top = this.listTop()
    for (const { host } of top) yield host
    if (top.length < this.size) for (const at of this.#getOrder().slice(top.length)) yield this.#hostAt(at)
  }

  #hostAt(at: number): WorldHost {
    return this.judged.passed.at(at) as WorldHost
  }

  get #isDrawn(): boolean {
    const { hostSubsetSize, shuffleBestSameWeighedHosts, nearEqualWeight } = this.#settings
    return hostSubsetSize > 1 || shuffleBestSameWeighedHosts || nearEqualWeight > 0
  }

  #getOrder(): readonly number[] {
    this.#order ??= this.#makeOrder()
    return this.#order
  }

  #makeOrder(): number[] {
    const { weights } = this.judged.weighing
    const { hostSubsetSize, shuffleBestSameWeighedHosts, nearEqualWeight } = this.#settings
    const random = new Random(this.#seed)
    const order = rankWeights(weights)
    if (shuffleBestSameWeighedHosts) {
      const best = order.filter(at => weights[at] === weights[order[0] as number])
      order.splice(0, best.length, ...random.shuffle(best))
    }
    const least = (weights[order[0] as number] as number) - nearEqualWeight
    const nearEqual =
      nearEqualWeight > 0 ? order.findLastIndex(at => (weights[at] as number) >= least) + 1 : 1
    const drawn = random.below(Math.max(1, nearEqual, Math.min(hostSubsetSize, order.length)))
    return drawn === 0 ? order : [...order.splice(drawn, 1), ...order]
  }
}

interface TopHost {
  readonly host: WorldHost
  readonly weight: number
  /** What each weigher that counts gave to the host. */
  listContributions(): readonly Contribution[]
}
