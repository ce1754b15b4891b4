import type { ProviderSlot } from '../../../kernel/ids.ts'
import type { World } from '../../../world/world.ts'

const UUID_CHARS = 36
/** Four characters to a word. */
export const UUID_WORDS = UUID_CHARS / 4

/**
 * The uuids of providers as words to copy into answers, made on first use. Writing the uuids as strings makes
 * answers of a thousand candidates take 3 to 28 % longer.
 */
export class UuidWords {
  readonly #world: World
  /** By slot × UUID_WORDS; 0 if not made yet. */
  words = new Int32Array(0)
  #lives = 0
  #inserts = -1

  constructor(world: World) {
    this.#world = world
  }

  /** Called before each answer. Forgets everything if a slot may have a new provider. */
  refresh(): void {
    const { providers, lives } = this.#world
    if (this.#lives === lives && this.#inserts === providers.inserts) return
    this.#lives = lives
    this.#inserts = providers.inserts
    const length = providers.slots * UUID_WORDS
    if (this.words.length < length) this.words = new Int32Array(2 * length)
    else this.words.fill(0)
  }

  /** Only a damaged store has uuids of another length; they are padded with blanks. */
  make(provider: ProviderSlot): void {
    const text = this.#world.providers.uuid(provider).padEnd(UUID_CHARS)
    const code = (at: number): number => text.charCodeAt(at)
    for (let nth = 0; nth < UUID_WORDS; nth++) {
      const at = 4 * nth
      this.words[provider * UUID_WORDS + nth] =
        code(at) | (code(at + 1) << 8) | (code(at + 2) << 16) | (code(at + 3) << 24)
    }
  }
}
