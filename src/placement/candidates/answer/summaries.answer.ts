import { type ByteWriter, COMMA } from '../../../http/formats/byte-writer.ts'
import type { ProviderSlot } from '../../../kernel/ids.ts'
import type { World } from '../../../world/world.ts'

/** What versions show of a provider in the summaries. */
export interface SummaryShape {
  readonly traits: boolean
  readonly tree: boolean
  /** Null: all classes. Otherwise only these. */
  readonly onlyClasses: ReadonlySet<string> | null
}

/** The summaries of whole trees as JSON, kept until something in the tree changes. */
export class Summaries {
  readonly #world: World
  /** By the higher bits of the root. */
  #blocks: Block[] = []
  #life = 0

  constructor(world: World) {
    this.#world = world
  }

  /** `"uuid": {...}` of each provider of the trees, as the newest versions have it: every class, traits, parent and root. */
  write(writer: ByteWriter, roots: readonly ProviderSlot[]): void {
    if (this.#life !== this.#world.lives) {
      this.#blocks = []
      this.#life = this.#world.lives
    }
    const { treeStamp } = this.#world.providers
    const run = new Run(writer)
    let scattered: Set<Block> | null = null
    for (let nth = 0; nth < roots.length; nth++) {
      const root = roots[nth] as ProviderSlot
      const block = this.#blocks[root >>> BLOCK_BITS] ?? this.#newBlock(root)
      if (block.write(run, root, treeStamp[root] as number)) continue
      run.text(this.#make(block, root))
      if (block.isScattered) scattered = (scattered ?? new Set()).add(block)
    }
    run.end()
    for (const block of scattered ?? []) block.gather(treeStamp)
  }

  #newBlock(root: ProviderSlot): Block {
    const nth = root >>> BLOCK_BITS
    const block = new Block(nth << BLOCK_BITS)
    this.#blocks[nth] = block
    return block
  }

  #make(block: Block, root: ProviderSlot): string {
    const { providers } = this.#world
    const texts = providers.subtree(root).map(provider => this.make(provider, WHOLE_SHAPE))
    const text = texts.join(',')
    block.keep(root, providers.treeStamp[root] as number, text)
    return text
  }

  /** One provider's own. */
  make(provider: ProviderSlot, shape: SummaryShape): string {
    const { providers, providerTraits, traits } = this.#world
    const parts = [
      `"${providers.uuid(provider)}":{"resources":{`,
      this.#resources(provider, shape.onlyClasses),
      '}',
    ]
    if (shape.traits) {
      const names = providerTraits.of(provider).map(id => `"${traits.name(id)}"`)
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
    for (const id of inventories.classesOf(provider)) {
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

const BLOCK_BITS = 10
const BLOCK_SIZE = 1 << BLOCK_BITS
const BLOCK_MASK = BLOCK_SIZE - 1

/** Of the trees of a block, one in so many may be loose. */
const LOOSE_ONE_IN = 8
const LOOSE_MIN = 16

/**
 * The texts of trees whose roots are neighbours. Most stand one behind the other, with a comma between, in bytes that never change:
 * whole stretches of them are sent as they are. Texts that were made since are loose, and gathered when they are many.
 */
class Block {
  readonly #base: number
  #bytes: Buffer = Buffer.alloc(0)
  /** By place: where the text is; an end of 0 is nowhere, or loose. */
  readonly #starts = new Int32Array(BLOCK_SIZE)
  readonly #ends = new Int32Array(BLOCK_SIZE)
  /** By place: the stamp that the tree had when its text was made. */
  readonly #stamps = new Int32Array(BLOCK_SIZE)
  readonly #loose = new Map<number, string>()
  #gathered = 0

  constructor(base: number) {
    this.#base = base
  }

  /** False when it does not have the text of that tree, or had it before the stamp. */
  write(run: Run, root: ProviderSlot, stamp: number): boolean {
    const place = root & BLOCK_MASK
    if (this.#stamps[place] !== stamp) return false
    const end = this.#ends[place] as number
    if (end > 0) {
      run.add(this.#bytes, this.#starts[place] as number, end)
      return true
    }
    const text = this.#loose.get(place)
    if (text === undefined) return false
    run.text(text)
    return true
  }

  keep(root: ProviderSlot, stamp: number, text: string): void {
    const place = root & BLOCK_MASK
    this.#forget(place)
    this.#stamps[place] = stamp
    this.#loose.set(place, text)
  }

  get isScattered(): boolean {
    return this.#loose.size >= Math.max(LOOSE_MIN, this.#gathered / LOOSE_ONE_IN)
  }

  /** Into new bytes, because the old ones may be on their way still. What is out of date is left behind. */
  gather(treeStamp: Int32Array): void {
    const starts = this.#starts
    const ends = this.#ends
    const loose = this.#loose
    let length = 0
    for (let place = 0; place < BLOCK_SIZE; place++) {
      if (this.#stamps[place] !== treeStamp[this.#base + place]) this.#forget(place)
      const text = loose.get(place)?.length ?? (ends[place] as number) - (starts[place] as number)
      if (text > 0) length += text + 1
    }
    const bytes = Buffer.allocUnsafeSlow(length)
    let at = 0
    this.#gathered = 0
    for (let place = 0; place < BLOCK_SIZE; place++) {
      const text = loose.get(place)
      if (text === undefined && ends[place] === 0) continue
      const start = at
      if (text === undefined) at += this.#bytes.copy(bytes, at, starts[place], ends[place])
      else at += bytes.write(text, at, 'latin1')
      starts[place] = start
      ends[place] = at
      bytes[at++] = COMMA
      this.#gathered++
    }
    this.#bytes = bytes
    loose.clear()
  }

  #forget(place: number): void {
    this.#starts[place] = 0
    this.#ends[place] = 0
    this.#loose.delete(place)
  }
}

/** Texts with a comma between. Those that stand one behind the other in the same bytes are written in one piece. */
class Run {
  readonly #writer: ByteWriter
  #isFirst = true
  #bytes: Buffer | null = null
  #start = 0
  #end = 0

  constructor(writer: ByteWriter) {
    this.#writer = writer
  }

  add(bytes: Buffer, start: number, end: number): void {
    if (bytes === this.#bytes && start === this.#end + 1) {
      this.#end = end
      return
    }
    this.end()
    this.#bytes = bytes
    this.#start = start
    this.#end = end
  }

  text(text: string): void {
    this.end()
    this.#comma()
    this.#writer.text(text)
  }

  end(): void {
    if (this.#bytes === null) return
    this.#comma()
    this.#writer.piece(this.#bytes, this.#start, this.#end)
    this.#bytes = null
  }

  #comma(): void {
    if (!this.#isFirst) this.#writer.char(COMMA)
    this.#isFirst = false
  }
}

/** Huge ratios make capacities past 2^53; they are told in full, never as 1e+47. */
function wholeNumber(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString()
}
