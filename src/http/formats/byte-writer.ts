import { assert } from '../../kernel/assert.ts'

export const COMMA = 0x2c

/** Text put together as bytes, in a buffer that is used again for the next answer. It holds what Latin-1 has: JSON of names. */
export class ByteWriter {
  bytes: Buffer
  #view: DataView
  /** Of what stands in the buffer: without pieces that are only pointed to. */
  length = 0
  readonly #pointed: { readonly at: number; readonly piece: Buffer }[] = []

  constructor(bytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(bytes)
    this.#view = new DataView(this.bytes.buffer)
  }

  text(text: string): void {
    this.reserve(text.length)
    this.length += this.bytes.write(text, this.length, 'latin1')
  }

  /** One character, by its code. */
  char(code: number): void {
    this.reserve(1)
    this.bytes[this.length++] = code
  }

  /** Characters by four in a word, over what was written already: for short texts much cheaper than a call for each. */
  overwrite(words: Int32Array, from: number, count: number, at: number): void {
    for (let nth = 0; nth < count; nth++) this.#view.setInt32(at + 4 * nth, words[from + nth] as number, true)
  }

  /** Bytes that somebody keeps and never changes: a long piece is not copied, only pointed to. */
  piece(kept: Buffer, from: number, to: number): void {
    if (to - from >= POINTED_BYTES_MIN) {
      this.#pointed.push({ at: this.length, piece: kept.subarray(from, to) })
      return
    }
    this.reserve(to - from)
    this.length += kept.copy(this.bytes, this.length, from, to)
  }

  /** What was written from one place to another, once more. */
  repeat(from: number, to: number): void {
    this.reserve(to - from)
    this.bytes.copyWithin(this.length, from, to)
    this.length += to - from
  }

  /** Makes room for so many more bytes. */
  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
    this.#view = new DataView(grown.buffer)
  }

  /** Of everything. */
  get size(): number {
    return this.#pointed.reduce((sum, { piece }) => sum + piece.length, this.length)
  }

  /** Of what is short: it points to nothing. */
  toString(): string {
    assert(this.#pointed.length === 0, 'a text has no pieces elsewhere')
    return this.bytes.toString('latin1', 0, this.length)
  }

  /** What was written, in pieces. It is overwritten once this writer is used again. */
  written(): Buffer[] {
    const pieces: Buffer[] = []
    let from = 0
    for (const { at, piece } of this.#pointed) {
      if (at > from) pieces.push(this.bytes.subarray(from, at))
      pieces.push(piece)
      from = at
    }
    if (this.length > from) pieces.push(this.bytes.subarray(from, this.length))
    return pieces
  }

  /** From the beginning. */
  reset(): void {
    this.length = 0
    this.#pointed.length = 0
  }
}

/** To hand over a piece more takes as long as to copy some thousand bytes. */
const POINTED_BYTES_MIN = 16 * 1024

const FIRST_BYTES = 64 * 1024
/** A buffer that had to grow past this is not kept. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024
const KEPT_MAX = 8

/** Writers that wait for their next answer: an answer is on its way for a while, and others are made meanwhile. */
export class ByteWriters {
  readonly #idle: ByteWriter[] = []

  take(): ByteWriter {
    return this.#idle.pop() ?? new ByteWriter(FIRST_BYTES)
  }

  /** Nobody may look at what it wrote any more. */
  giveBack(writer: ByteWriter): void {
    if (this.#idle.length >= KEPT_MAX || writer.bytes.length > KEPT_BYTES_MAX) return
    writer.reset()
    this.#idle.push(writer)
  }
}
