import type { ByteWriter } from '../../../http/formats/byte-writer.ts'
import type { ProviderSlot } from '../../../kernel/ids.ts'
import type { World } from '../../../world/world.ts'
import { TextBlock, TextRun } from './text-blocks.answer.ts'

/** What a microversion shows of a provider in the summaries. */
interface SummaryShape {
  readonly traits: boolean
  readonly tree: boolean
  /** Null: all classes. Otherwise only these. */
  readonly onlyClasses: ReadonlySet<string> | null
}

/** The summaries of whole trees as JSON, kept until the tree changes. */
export class Summaries {
  readonly #world: World
  /** By the higher bits of the root. */
  #blocks: TextBlock[] = []
  #life = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Writes `"uuid": {...}` of each provider of the trees in the newest shape: every class, traits, parent and root. */
  write(writer: ByteWriter, roots: readonly ProviderSlot[]): void {
    if (this.#life !== this.#world.lives) {
      this.#blocks = []
      this.#life = this.#world.lives
    }
    const { treeStamp } = this.#world.providers
    const run = new TextRun(writer)
    let scattered: Set<TextBlock> | null = null
    for (let nth = 0; nth < roots.length; nth++) {
      const root = roots[nth] as ProviderSlot
      const block = this.#blocks[TextBlock.indexOf(root)] ?? this.#newBlock(root)
      if (block.write(run, root, treeStamp[root] as number)) continue
      run.text(this.#make(block, root))
      if (block.isScattered) scattered = (scattered ?? new Set()).add(block)
    }
    run.end()
    for (const block of scattered ?? []) block.gather(treeStamp)
  }

  #newBlock(root: ProviderSlot): TextBlock {
    const nth = TextBlock.indexOf(root)
    const block = new TextBlock(nth)
    this.#blocks[nth] = block
    return block
  }

  #make(block: TextBlock, root: ProviderSlot): string {
    const { providers } = this.#world
    const texts = providers.listSubtree(root).map(provider => this.make(provider, WHOLE_SHAPE))
    const text = texts.join(',')
    block.keep(root, providers.treeStamp[root] as number, text)
    return text
  }

  /** The summary of one provider. */
  make(provider: ProviderSlot, shape: SummaryShape): string {
    const { providers, providerTraits, traits } = this.#world
    const parts = [
      `"${providers.uuid(provider)}":{"resources":{`,
      this.#resources(provider, shape.onlyClasses),
      '}',
    ]
    if (shape.traits) {
      const names = providerTraits.list(provider).map(id => `"${traits.name(id)}"`)
      parts.push(`,"traits":[`, names.join(','), ']')
    }
    if (shape.tree) {
      const parent = providers.parentOf(provider)
      parts.push(`,"parent_provider_uuid":${parent < 0 ? 'null' : `"${providers.uuid(parent)}"`}`)
      parts.push(`,"root_provider_uuid":"${providers.uuid(providers.rootOf(provider))}"`)
    }
    parts.push('}')
    return parts.join('')
  }

  #resources(provider: ProviderSlot, only: ReadonlySet<string> | null): string {
    const { classes, inventories } = this.#world
    const parts: string[] = []
    for (const id of inventories.listClasses(provider)) {
      const name = classes.name(id)
      if (only !== null && !only.has(name)) continue
      const columns = inventories.columns(id)
      const capacity = wholeNumber(Math.trunc(columns?.capacity[provider] as number))
      parts.push(`"${name}":{"capacity":${capacity},"used":${columns?.used[provider]}}`)
    }
    return parts.join(',')
  }
}

const WHOLE_SHAPE: SummaryShape = { traits: true, tree: true, onlyClasses: null }

/** Huge ratios lead to capacities beyond 2^53. They are written in full, never as 1e+47. */
function wholeNumber(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString()
}
