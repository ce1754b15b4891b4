import { type ByteWriter, COMMA } from '../../../http/formats/byte-writer.ts'
import type { ProviderSlot } from '../../../kernel/ids.ts'

const BLOCK_BITS = 10
const BLOCK_SIZE = 1 << BLOCK_BITS
const BLOCK_MASK = BLOCK_SIZE - 1

/** At most one in this many texts of a block may be loose. */
const LOOSE_ONE_IN = 8
const LOOSE_MIN = 16

/**
 * The texts of trees with neighbouring roots. Most texts are joined by commas in one immutable buffer, so
 * that whole runs of them are sent in one piece. New texts are loose, and join the buffer once there are
 * many. Writing each text separately makes answers of a thousand candidates take 30 to 50 % longer.
 */
export class TextBlock {
  readonly #base: number
  #bytes: Buffer = Buffer.alloc(0)
  /** By place: the range of the text in the buffer. An end of 0: no text, or a loose one. */
  readonly #starts = new Int32Array(BLOCK_SIZE)
  readonly #ends = new Int32Array(BLOCK_SIZE)
  /** By place: the stamp of the tree when its text was made. */
  readonly #stamps = new Int32Array(BLOCK_SIZE)
  readonly #loose = new Map<number, string>()
  #gathered = 0

  constructor(nth: number) {
    this.#base = nth << BLOCK_BITS
  }

  /** The index of the block that holds the tree of a root. */
  static indexOf(root: ProviderSlot): number {
    return root >>> BLOCK_BITS
  }

  /** False if it has no text of that tree, or an outdated one. */
  write(run: TextRun, root: ProviderSlot, stamp: number): boolean {
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

  /** Joins all current texts in a new buffer, because an answer may still be using the old one. */
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

/** Writes texts with commas between them; neighbours in the same buffer are written in one piece. */
export class TextRun {
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
    this.#writer.writeText(text)
  }

  end(): void {
    if (this.#bytes === null) return
    this.#comma()
    this.#writer.addPiece(this.#bytes, this.#start, this.#end)
    this.#bytes = null
  }

  #comma(): void {
    if (!this.#isFirst) this.#writer.writeChar(COMMA)
    this.#isFirst = false
  }
}
