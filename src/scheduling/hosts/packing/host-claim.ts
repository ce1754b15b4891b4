import type { ClassId, ProviderSlot } from '../../../kernel/ids.ts'
import type { TreeChoice } from '../../../placement/candidates/trees.ts'
import type { HostRoom } from './host-room.ts'

interface Take {
  readonly provider: ProviderSlot
  readonly class: ClassId
  readonly amount: number
}

/** A candidate of a host, with the room of the host before the claim. */
export class HostClaim {
  readonly room: HostRoom
  readonly choice: TreeChoice
  readonly takes: readonly Take[]
  #key: string | null = null

  constructor(room: HostRoom, choice: TreeChoice) {
    this.room = room
    this.choice = choice
    const takes: Take[] = []
    choice.forEachTake((provider, id, amount) => takes.push({ provider, class: id, amount }))
    this.takes = takes
  }

  /** Equal for candidates that leave equal room behind. */
  get key(): string {
    this.#key ??= this.#describe()
    return this.#key
  }

  #describe(): string {
    const { room, takes } = this
    const first = (takes[0] as Take).provider
    // Mostly one provider, or the root and one device.
    const second = takes.find(({ provider }) => provider !== first)?.provider ?? first
    if (takes.every(({ provider }) => provider === first || provider === second)) {
      let text = ''
      for (const { provider, class: id, amount } of takes)
        text += `${provider === first ? '' : '/'}${room.stateOf(provider)}:${id}:${amount},`
      return text
    }
    const byProvider = new Map<ProviderSlot, string>()
    for (const { provider, class: id, amount } of takes)
      byProvider.set(provider, `${byProvider.get(provider) ?? ''}${id}:${amount},`)
    return [...byProvider]
      .map(([provider, text]) => `${room.stateOf(provider)}:${text}`)
      .sort()
      .join(';')
  }

  /** In words: what it takes, and from where. */
  describe(): string {
    return this.takes
      .map(
        ({ provider, class: id, amount }) =>
          `${amount} ${this.room.className(id)} of ${this.room.providerName(provider)}`,
      )
      .join(', ')
  }

  /** What is free after the claim, in the form of `HostRoom.free`. */
  listFreeAfter(): Float64Array {
    const free = this.room.free.slice()
    for (const { provider, class: id, amount } of this.takes) {
      const at = this.room.indexOf(provider, id)
      if (at >= 0) free[at] = (free[at] as number) - amount
    }
    return free
  }
}
