import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'

/** What versions show of a provider in the summaries. */
export interface SummaryShape {
  readonly traits: boolean
  readonly tree: boolean
  /** Null: all classes. Otherwise only these. */
  readonly onlyClasses: ReadonlySet<string> | null
}

interface Fragment {
  readonly stamp: number
  readonly text: string
}

/** The summaries of whole trees as JSON text, kept until something in the tree changes. */
export class SummaryFragments {
  readonly #world: World
  #trees: (Fragment | undefined)[] = []
  #life = 0

  constructor(world: World) {
    this.#world = world
  }

  /** `"uuid": {...}` of each provider of the tree, as the newest versions have it: every class, traits, parent and root. */
  tree(root: ProviderSlot): string {
    if (this.#life !== this.#world.lives) {
      this.#trees = []
      this.#life = this.#world.lives
    }
    const stamp = this.#world.providers.treeStamp[root] as number
    const known = this.#trees[root]
    return known !== undefined && known.stamp === stamp ? known.text : this.#keep(root, stamp)
  }

  /** Apart from where it is only looked up: a function that makes another pays for that also when it does not. */
  #keep(root: ProviderSlot, stamp: number): string {
    const shape = { traits: true, tree: true, onlyClasses: null }
    const texts = this.#world.providers.subtree(root).map(provider => this.make(provider, shape))
    const text = texts.join(',')
    this.#trees[root] = { stamp, text }
    return text
  }

  /** Joined once and for all: a string that is still a tree of parts would be copied anew for every answer. */
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

/** Huge ratios make capacities past 2^53; they are told in full, never as 1e+47. */
function wholeNumber(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString()
}
