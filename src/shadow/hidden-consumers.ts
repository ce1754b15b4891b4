import type { World } from '../world/world.ts'
import type { KeptRequest } from './exchange.ts'

const HIDDEN_MAX = 10_000

/**
 * Consumers that Placement may have stored without allocations when it refused or emptied them. Its API does not show them, so Berth does
 * not know their type; the next write of such a consumer meets them.
 */
export class HiddenConsumers {
  readonly #world: World
  readonly #hidden = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  /** Records a write. True if Placement accepted it and may have had one of its consumers already. */
  follow({ path, method }: KeptRequest, subjects: ReadonlySet<string>, isAccepted: boolean): boolean {
    if (!/^\/(allocations|reshaper)\b/.test(path) || method === 'DELETE') return false
    const { consumers, providers } = this.#world
    let wasHidden = false
    for (const subject of subjects) {
      if (providers.find(subject) !== undefined) continue
      wasHidden ||= isAccepted && this.#hidden.delete(subject)
      if (consumers.find(subject) !== undefined) continue
      if (this.#hidden.size >= HIDDEN_MAX) this.#hidden.delete(this.#hidden.values().next().value as string)
      this.#hidden.add(subject)
    }
    return wasHidden
  }
}
