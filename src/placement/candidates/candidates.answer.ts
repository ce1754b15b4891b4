import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import type { Features } from '../versions.ts'
import {
  type Candidate,
  type ExpandedCandidate,
  expandCandidate,
  type FoundCandidates,
  summarizedProviders,
} from './candidates.ts'
import type { SummaryFragments } from './fragments.ts'
import type { Plan } from './plan.ts'

/** The answer as JSON text, in the shape of the asked version. Joined from parts: nothing is stringified twice. */
export function candidatesJson(
  world: World,
  found: FoundCandidates,
  fragments: SummaryFragments,
  features: Features,
): string {
  const { plan } = found
  if (plan === null) return '{"allocation_requests":[],"provider_summaries":{}}'
  const writer = new RequestWriter(world, plan, features)
  const requests = found.candidates.map(candidate => writer.text(candidate))
  const providers = summarizedProviders(world, found, features.nestedCandidates)
  const summaries = features.nestedCandidates
    ? providers.map(provider => fragments.full(provider))
    : oldSummaries(world, plan, providers, fragments, features)
  return `{"allocation_requests":[${requests.join(',')}],"provider_summaries":{${summaries.join(',')}}}`
}

function oldSummaries(
  world: World,
  plan: Plan,
  providers: readonly ProviderSlot[],
  fragments: SummaryFragments,
  features: Features,
): string[] {
  const asked = new Set(plan.asks.flatMap(ask => ask.classes.map(id => world.classes.name(id))))
  const shape = {
    traits: features.candidateTraits,
    tree: features.nestedCandidates,
    onlyClasses: features.allClassesInSummaries ? null : asked,
  }
  return providers.map(provider => fragments.make(provider, shape))
}

class RequestWriter {
  readonly #world: World
  readonly #plan: Plan
  readonly #features: Features
  /** When one provider serves everything, all candidates ask it for the same. */
  #together: string | null = null
  readonly #suffixes: readonly string[]

  constructor(world: World, plan: Plan, features: Features) {
    this.#world = world
    this.#plan = plan
    this.#features = features
    this.#suffixes = [...new Set(plan.asks.map(ask => ask.suffix))]
  }

  text(candidate: Candidate): string {
    const first = candidate[0] as ProviderSlot
    if (candidate.every(provider => provider === first)) return this.#oneProvider(candidate, first)
    const expanded = expandCandidate(this.#plan, candidate)
    return this.#wrap(this.#allocations(expanded), this.#mappings(expanded))
  }

  #oneProvider(candidate: Candidate, provider: ProviderSlot): string {
    if (this.#together === null) {
      const amounts = expandCandidate(this.#plan, candidate).allocations.get(provider)
      this.#together = `"resources":{${this.#amounts(amounts ?? new Map())}}`
    }
    const uuid = this.#world.providers.uuid(provider)
    const allocations = this.#features.allocationsByProvider
      ? `{"${uuid}":{${this.#together}}}`
      : `[{"resource_provider":{"uuid":"${uuid}"},${this.#together}}]`
    return this.#wrap(allocations, this.#suffixes.map(suffix => `"${suffix}":["${uuid}"]`).join(','))
  }

  #wrap(allocations: string, mappings: string): string {
    return this.#features.mappings
      ? `{"allocations":${allocations},"mappings":{${mappings}}}`
      : `{"allocations":${allocations}}`
  }

  #allocations(expanded: ExpandedCandidate): string {
    const { providers } = this.#world
    const parts: string[] = []
    for (const [provider, amounts] of expanded.allocations) {
      const resources = `"resources":{${this.#amounts(amounts)}}`
      parts.push(
        this.#features.allocationsByProvider
          ? `"${providers.uuid(provider)}":{${resources}}`
          : `{"resource_provider":{"uuid":"${providers.uuid(provider)}"},${resources}}`,
      )
    }
    return this.#features.allocationsByProvider ? `{${parts.join(',')}}` : `[${parts.join(',')}]`
  }

  #mappings(expanded: ExpandedCandidate): string {
    const { providers } = this.#world
    const parts: string[] = []
    for (const [suffix, slots] of expanded.mappings)
      parts.push(`"${suffix}":[${slots.map(slot => `"${providers.uuid(slot)}"`).join(',')}]`)
    return parts.join(',')
  }

  #amounts(amounts: ReadonlyMap<ClassId, number>): string {
    const parts: string[] = []
    for (const [id, amount] of amounts) parts.push(`"${this.#world.classes.name(id)}":${amount}`)
    return parts.join(',')
  }
}
