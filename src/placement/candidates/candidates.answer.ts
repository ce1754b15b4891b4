import type { ClassId, ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import type { Features } from '../versions.ts'
import { type Candidate, expandCandidate, type FoundCandidates, summarizedProviders } from './candidates.ts'
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

/** What one ask adds to an allocation request, as text. */
interface AskText {
  readonly suffix: string
  /** `"VCPU":1,"MEMORY_MB":512`; empty for a group without resources. */
  readonly amounts: string
}

class RequestWriter {
  readonly #world: World
  readonly #plan: Plan
  readonly #features: Features
  readonly #asks: readonly AskText[]
  readonly #suffixes: readonly string[]
  /** Amounts of one provider may have to be added up. */
  readonly #contested: boolean
  /** When one provider serves everything, all candidates ask it for the same. */
  #together: string | null = null

  constructor(world: World, plan: Plan, features: Features) {
    this.#world = world
    this.#plan = plan
    this.#features = features
    this.#asks = plan.asks.map(({ suffix, classes, amounts }) => ({
      suffix,
      amounts: classes.map((id, nth) => `"${world.classes.name(id)}":${amounts[nth]}`).join(','),
    }))
    this.#suffixes = [...new Set(plan.asks.map(ask => ask.suffix))]
    const classes = plan.asks.flatMap(ask => ask.classes)
    this.#contested = new Set(classes).size < classes.length
  }

  text(candidate: Candidate): string {
    const first = candidate[0] as ProviderSlot
    let alone = true
    for (let at = 1; at < candidate.length; at++) if (candidate[at] !== first) alone = false
    if (alone) return this.#oneProvider(candidate, first)
    const allocations = this.#contested ? this.#addedUp(candidate) : this.#listed(candidate)
    return this.#wrap(allocations, this.#features.mappings ? this.#mappings(candidate) : '')
  }

  #oneProvider(candidate: Candidate, provider: ProviderSlot): string {
    this.#together ??= this.#amounts(expandCandidate(this.#plan, candidate).allocations.get(provider))
    const uuid = this.#world.providers.uuid(provider)
    const mappings = this.#features.mappings
      ? this.#suffixes.map(suffix => `"${suffix}":["${uuid}"]`).join(',')
      : ''
    return this.#wrap(this.#bracket(this.#one(uuid, this.#together)), mappings)
  }

  /** No class is asked for twice, so the texts of the asks can stand side by side. */
  #listed(candidate: Candidate): string {
    let text = ''
    for (let at = 0; at < candidate.length; at++) {
      const provider = candidate[at] as ProviderSlot
      if (candidate.indexOf(provider) < at) continue
      let amounts = ''
      for (let other = at; other < candidate.length; other++) {
        const more = (this.#asks[other] as AskText).amounts
        if (candidate[other] === provider && more !== '') amounts += amounts === '' ? more : `,${more}`
      }
      if (amounts === '') continue
      text += (text === '' ? '' : ',') + this.#one(this.#world.providers.uuid(provider), amounts)
    }
    return this.#bracket(text)
  }

  #addedUp(candidate: Candidate): string {
    const parts: string[] = []
    for (const [provider, amounts] of expandCandidate(this.#plan, candidate).allocations)
      parts.push(this.#one(this.#world.providers.uuid(provider), this.#amounts(amounts)))
    return this.#bracket(parts.join(','))
  }

  #mappings(candidate: Candidate): string {
    let text = ''
    for (const suffix of this.#suffixes) {
      let uuids = ''
      for (let at = 0; at < candidate.length; at++) {
        if ((this.#asks[at] as AskText).suffix !== suffix) continue
        const quoted = `"${this.#world.providers.uuid(candidate[at] as ProviderSlot)}"`
        if (uuids === '') uuids = quoted
        else if (!uuids.includes(quoted)) uuids += `,${quoted}`
      }
      text += `${text === '' ? '' : ','}"${suffix}":[${uuids}]`
    }
    return text
  }

  #one(uuid: string, amounts: string): string {
    return this.#features.allocationsByProvider
      ? `"${uuid}":{"resources":{${amounts}}}`
      : `{"resource_provider":{"uuid":"${uuid}"},"resources":{${amounts}}}`
  }

  #bracket(text: string): string {
    return this.#features.allocationsByProvider ? `{${text}}` : `[${text}]`
  }

  #wrap(allocations: string, mappings: string): string {
    return this.#features.mappings
      ? `{"allocations":${allocations},"mappings":{${mappings}}}`
      : `{"allocations":${allocations}}`
  }

  #amounts(amounts: ReadonlyMap<ClassId, number> | undefined): string {
    const parts: string[] = []
    for (const [id, amount] of amounts ?? []) parts.push(`"${this.#world.classes.name(id)}":${amount}`)
    return parts.join(',')
  }
}
