import { type ByteWriter, COMMA } from '../../../http/formats/byte-writer.ts'
import type { ClassId } from '../../../kernel/ids.ts'
import { UUID_WORDS } from '../../../world/providers.ts'
import type { World } from '../../../world/world.ts'
import type { Features } from '../../versions.ts'
import { type FoundCandidates, usedProviders, usedTrees } from '../candidates.ts'
import type { CandidateList } from '../list.ts'
import type { Ask, Plan } from '../plan.ts'
import type { Summaries } from './summaries.answer.ts'

/** The answer as JSON, in the shape of the asked version. Written piece by piece: nothing large is ever a string. */
export function writeCandidates(
  writer: ByteWriter,
  world: World,
  found: FoundCandidates,
  summaries: Summaries,
  features: Features,
): void {
  const { plan, candidates } = found
  if (plan === null) {
    writer.text('{"allocation_requests":[],"provider_summaries":{}}')
    return
  }
  writer.text('{"allocation_requests":[')
  const requests = new RequestWriter(writer, world, plan, candidates, features)
  for (let nth = 0; nth < candidates.length; nth++) {
    if (nth > 0) writer.char(COMMA)
    requests.write(nth)
  }
  writer.text('],"provider_summaries":{')
  if (features.nestedCandidates) summaries.write(writer, usedTrees(world, found))
  else writeOldSummaries(writer, world, found, plan, summaries, features)
  writer.text('}}')
}

/** Of the providers that are taken from, not of their trees. */
function writeOldSummaries(
  writer: ByteWriter,
  world: World,
  found: FoundCandidates,
  plan: Plan,
  summaries: Summaries,
  features: Features,
): void {
  const asked = new Set(plan.asks.flatMap(ask => ask.classes.map(id => world.classes.name(id))))
  const shape = {
    traits: features.candidateTraits,
    tree: false,
    onlyClasses: features.allClassesInSummaries ? null : asked,
  }
  usedProviders(world, found).forEach((provider, nth) => {
    if (nth > 0) writer.char(COMMA)
    writer.text(summaries.make(provider, shape))
  })
}

/** Text and, for the uuid of an ask's provider, the number of the ask. */
type Parts = (string | number)[]

/** The text of an allocation request, with gaps for the uuids of the providers. */
interface Form {
  readonly text: string
  /** Where the uuid of which ask's provider goes. */
  readonly gaps: readonly { readonly at: number; readonly ask: number }[]
  /** Where it was written last, and where the providers are that it was for. Less than 0: nowhere yet. */
  lastAt: number
  lastFrom: number
}

/** Forms by what they are for: a step for each ask, to the first ask that has the same provider. */
interface FormStep {
  readonly steps: (FormStep | undefined)[]
  form: Form | null
}

const UUID_GAP = ' '.repeat(36)

/**
 * Which asks one provider serves together decides the whole text of a request but for its uuids. There are few such
 * forms, most often one: each is made once, and a candidate only fills in its uuids.
 */
class RequestWriter {
  readonly #writer: ByteWriter
  readonly #world: World
  readonly #plan: Plan
  readonly #slots: Int32Array
  readonly #asks: number
  readonly #features: Features
  readonly #suffixes: readonly string[]
  readonly #forms: FormStep = { steps: [], form: null }

  constructor(
    writer: ByteWriter,
    world: World,
    plan: Plan,
    { slots, asks }: CandidateList,
    features: Features,
  ) {
    this.#writer = writer
    this.#world = world
    this.#plan = plan
    this.#slots = slots
    this.#asks = asks
    this.#features = features
    this.#suffixes = [...new Set(plan.asks.map(ask => ask.suffix))]
  }

  /** Mostly as the last one of its form, but for the uuids of other providers. */
  write(nth: number): void {
    const from = nth * this.#asks
    const form = this.#formOf(from)
    const { text, gaps, lastAt, lastFrom } = form
    const writer = this.#writer
    const slots = this.#slots
    const { uuidWords } = this.#world.providers
    const start = writer.length
    if (lastAt < 0) writer.text(text)
    else writer.repeat(lastAt, lastAt + text.length)
    for (let gap = 0; gap < gaps.length; gap++) {
      const { at, ask } = gaps[gap] as Form['gaps'][number]
      const provider = slots[from + ask] as number
      if (lastAt < 0 || slots[lastFrom + ask] !== provider)
        writer.overwrite(uuidWords, provider * UUID_WORDS, UUID_WORDS, start + at)
    }
    form.lastAt = start
    form.lastFrom = from
  }

  #formOf(from: number): Form {
    let step = this.#forms
    for (let ask = 0; ask < this.#asks; ask++) {
      const first = this.#firstAlike(from, ask)
      let next = step.steps[first]
      if (next === undefined) {
        next = { steps: [], form: null }
        step.steps[first] = next
      }
      step = next
    }
    step.form ??= this.#made(this.#firstsOf(from))
    return step.form
  }

  /** For each ask, the first one that has the same provider. */
  #firstsOf(from: number): number[] {
    return Array.from({ length: this.#asks }, (_, ask) => this.#firstAlike(from, ask))
  }

  #firstAlike(from: number, ask: number): number {
    const provider = this.#slots[from + ask]
    let first = 0
    while (this.#slots[from + first] !== provider) first++
    return first
  }

  #made(firsts: readonly number[]): Form {
    const allocations = this.#allocations(firsts)
    const parts = this.#features.mappings
      ? ['{"allocations":', ...allocations, ',"mappings":{', ...this.#mappings(firsts), '}}']
      : ['{"allocations":', ...allocations, '}']
    const gaps: { at: number; ask: number }[] = []
    let length = 0
    for (const part of parts) {
      if (typeof part === 'number') gaps.push({ at: length, ask: part })
      length += typeof part === 'number' ? UUID_GAP.length : part.length
    }
    // Joined, it is in one piece: a text that is still a tree of parts would be walked for every candidate.
    return {
      text: parts.map(part => (typeof part === 'number' ? UUID_GAP : part)).join(''),
      gaps,
      lastAt: -1,
      lastFrom: -1,
    }
  }

  #allocations(firsts: readonly number[]): Parts {
    const byProvider = this.#features.allocationsByProvider
    const parts: Parts = [byProvider ? '{' : '[']
    firsts.forEach((first, at) => {
      const amounts = first === at ? this.#amounts(firsts, at) : ''
      if (amounts === '') return
      if (parts.length > 1) parts.push(',')
      if (byProvider) parts.push('"', at, `":{"resources":{${amounts}}}`)
      else parts.push('{"resource_provider":{"uuid":"', at, `"},"resources":{${amounts}}}`)
    })
    parts.push(byProvider ? '}' : ']')
    return parts
  }

  /** What one provider gives to all asks that it serves, added up by class. */
  #amounts(firsts: readonly number[], provider: number): string {
    const amounts = new Map<ClassId, number>()
    this.#plan.asks.forEach((ask, at) => {
      if (firsts[at] !== provider) return
      ask.classes.forEach((id, nth) => {
        amounts.set(id, (amounts.get(id) ?? 0) + (ask.amounts[nth] as number))
      })
    })
    return [...amounts].map(([id, amount]) => `"${this.#world.classes.name(id)}":${amount}`).join(',')
  }

  #mappings(firsts: readonly number[]): Parts {
    const parts: Parts = []
    for (const suffix of this.#suffixes) {
      const served = (this.#plan.asks as readonly Ask[]).flatMap((ask, at) =>
        ask.suffix === suffix ? [firsts[at] as number] : [],
      )
      parts.push(`${parts.length > 0 ? ',' : ''}"${suffix}":[`)
      ;[...new Set(served)].forEach((ask, nth) => {
        parts.push(nth > 0 ? ',"' : '"', ask, '"')
      })
      parts.push(']')
    }
    return parts
  }
}
