import { type ByteWriter, COMMA } from '../../../http/formats/byte-writer.ts'
import type { ClassId, ProviderSlot } from '../../../kernel/ids.ts'
import type { World } from '../../../world/world.ts'
import type { Features } from '../../versions.ts'
import { type FoundCandidates, usedProviders, usedTrees } from '../candidates.ts'
import type { CandidateList } from '../list.ts'
import type { Ask, Plan } from '../plan.ts'
import { Summaries } from './summaries.answer.ts'
import { UUID_WORDS, UuidWords } from './uuid-words.ts'

/** Parts of answers that are reused from one answer to the next. */
export class AnswerPieces {
  readonly summaries: Summaries
  readonly uuids: UuidWords

  constructor(world: World) {
    this.summaries = new Summaries(world)
    this.uuids = new UuidWords(world)
  }
}

/** Writes the answer as JSON, in the shape of the requested version. */
export function writeCandidates(
  writer: ByteWriter,
  world: World,
  found: FoundCandidates,
  pieces: AnswerPieces,
  features: Features,
): void {
  const { plan, candidates } = found
  if (plan === null) {
    writer.writeText('{"allocation_requests":[],"provider_summaries":{}}')
    return
  }
  writer.writeText('{"allocation_requests":[')
  pieces.uuids.refresh()
  const requests = new RequestWriter(writer, world, plan, candidates, pieces.uuids, features)
  for (let nth = 0; nth < candidates.length; nth++) {
    if (nth > 0) writer.writeChar(COMMA)
    requests.write(nth)
  }
  writer.writeText('],"provider_summaries":{')
  if (features.nestedCandidates) pieces.summaries.write(writer, usedTrees(world, found))
  else writeOldSummaries(writer, world, found, plan, pieces.summaries, features)
  writer.writeText('}}')
}

/** Old versions have summaries of the used providers, not of their trees. */
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
    if (nth > 0) writer.writeChar(COMMA)
    writer.writeText(summaries.make(provider, shape))
  })
}

/** Text and, for the uuid of an ask's provider, the number of the ask. */
type Parts = (string | number)[]

/** The text of an allocation request, with gaps for the uuids of the providers. */
interface Form {
  readonly text: string
  /** The position of each gap, and the ask whose provider goes there. */
  readonly gaps: readonly { readonly at: number; readonly ask: number }[]
  /** Where the text was written last, and for which providers (by index). Negative if not yet written. */
  lastAt: number
  lastFrom: number
}

/** Forms as a tree with one level per ask, keyed by the first ask that has the same provider. */
interface FormStep {
  readonly steps: (FormStep | undefined)[]
  form: Form | null
}

const UUID_GAP = ' '.repeat(36)

/**
 * The text of a request depends only on which asks share a provider, except for the uuids. There are few such
 * forms, often just one: each is made once, and a candidate only fills in its uuids.
 */
class RequestWriter {
  readonly #writer: ByteWriter
  readonly #world: World
  readonly #plan: Plan
  readonly #slots: Int32Array
  readonly #asks: number
  readonly #uuids: UuidWords
  readonly #features: Features
  readonly #suffixes: readonly string[]
  readonly #forms: FormStep = { steps: [], form: null }

  constructor(
    writer: ByteWriter,
    world: World,
    plan: Plan,
    { slots, asks }: CandidateList,
    uuids: UuidWords,
    features: Features,
  ) {
    this.#writer = writer
    this.#world = world
    this.#plan = plan
    this.#slots = slots
    this.#asks = asks
    this.#uuids = uuids
    this.#features = features
    this.#suffixes = [...new Set(plan.asks.map(ask => ask.suffix))]
  }

  /**
   * Copies the last request of the same form and replaces the uuids that differ. Writing the whole text again
   * takes 4 to 30 % longer.
   */
  write(nth: number): void {
    const from = nth * this.#asks
    const form = this.#formOf(from)
    const { text, gaps, lastAt, lastFrom } = form
    const writer = this.#writer
    const slots = this.#slots
    const { words } = this.#uuids
    const start = writer.length
    if (lastAt < 0) writer.writeText(text)
    else writer.repeat(lastAt, lastAt + text.length)
    for (let gap = 0; gap < gaps.length; gap++) {
      const { at, ask } = gaps[gap] as Form['gaps'][number]
      const provider = slots[from + ask] as ProviderSlot
      if (lastAt >= 0 && slots[lastFrom + ask] === provider) continue
      const first = provider * UUID_WORDS
      if (words[first] === 0) this.#uuids.make(provider)
      writer.overwrite(words, first, UUID_WORDS, start + at)
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
    step.form ??= this.#makeForm(this.#firstsOf(from))
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

  #makeForm(firsts: readonly number[]): Form {
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
    // `join` makes a flat string. Concatenation would make a tree, which every write has to walk.
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
