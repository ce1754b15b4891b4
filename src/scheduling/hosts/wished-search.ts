import type { ProviderSlot } from '../../kernel/ids.ts'
import type { ExpandedCandidate } from '../../placement/candidates/candidates.ts'
import type {
  CandidateBehaviour,
  CandidateRefusal,
  CandidateRequest,
} from '../../placement/candidates/request.ts'
import {
  type TreeChoice,
  type TreeLimits,
  type TreeRoots,
  TreeSearch,
} from '../../placement/candidates/trees.ts'
import type { World } from '../../world/world.ts'
import { listGroupWishes, type TraitWish } from './query/trait-wishes.ts'

/**
 * Searches trees like `TreeSearch`, and in a tree prefers the candidate that meets wishes for traits of
 * request groups: one wish after the other is required as well, and kept if the tree still has a candidate.
 */
export class WishedSearch {
  readonly #plain: TreeSearch
  readonly #wishes: readonly TraitWish[]
  readonly #searchWith: (wishes: readonly TraitWish[]) => TreeSearch | null
  /** By the kept wishes; made on demand. */
  readonly #narrowed = new Map<string, TreeSearch | null>()

  private constructor(
    plain: TreeSearch,
    wishes: readonly TraitWish[],
    searchWith: (wishes: readonly TraitWish[]) => TreeSearch | null,
  ) {
    this.#plain = plain
    this.#wishes = wishes
    this.#searchWith = searchWith
  }

  /** Null if no provider can meet some part of the request. */
  static of(
    world: World,
    request: CandidateRequest,
    wishes: readonly TraitWish[],
    behaviour: CandidateBehaviour,
    limits: TreeLimits,
  ): WishedSearch | { readonly refused: CandidateRefusal } | null {
    const plain = TreeSearch.of(world, request, behaviour, limits)
    if (plain === null || 'refused' in plain) return plain
    const suffixes = new Set(request.groups.map(({ suffix }) => suffix))
    const served = listGroupWishes(wishes).filter(
      ({ group, trait }) => suffixes.has(group) && world.traits.id(trait) !== undefined,
    )
    return new WishedSearch(plain, served, kept => {
      const search = TreeSearch.of(world, narrow(request, kept), behaviour, limits)
      return search === null || 'refused' in search ? null : search
    })
  }

  /** As `TreeSearch.again`. */
  again(): WishedSearch {
    return new WishedSearch(this.#plain.again(), this.#wishes, this.#searchWith)
  }

  findRoots(): TreeRoots {
    return this.#plain.findRoots()
  }

  get stepsOfLast(): number {
    return this.#plain.stepsOfLast
  }

  get searchExhausted(): boolean {
    return this.#plain.searchExhausted
  }

  roots(): Generator<ProviderSlot> {
    return this.#plain.roots()
  }

  countIn(root: ProviderSlot): number | null {
    return this.#plain.countIn(root)
  }

  canServe(root: ProviderSlot): boolean {
    return this.#plain.canServe(root)
  }

  /** The candidate of one tree that meets most wishes, in their order; null if there is none. */
  candidateIn(root: ProviderSlot): ExpandedCandidate | null {
    let best = this.#plain.candidateIn(root)
    if (best === null) return null
    let kept: readonly TraitWish[] = []
    for (const wish of this.#wishes) {
      const tried = [...kept, wish]
      const found = this.#find(tried)?.candidateIn(root) ?? null
      if (found !== null) [best, kept] = [found, tried]
    }
    return best
  }

  /** Candidates of one tree that meet as many wishes. */
  choicesIn(root: ProviderSlot, max: number): TreeChoice[] {
    let best = this.#plain
    let kept: readonly TraitWish[] = []
    for (const wish of this.#wishes) {
      const tried = [...kept, wish]
      const search = this.#find(tried)
      if (search !== null && search.candidateIn(root) !== null) [best, kept] = [search, tried]
    }
    return best.choicesIn(root, max)
  }

  get isHopeless(): boolean {
    return this.#plain.isHopeless
  }

  get isShared(): boolean {
    return this.#plain.isShared
  }

  #find(wishes: readonly TraitWish[]): TreeSearch | null {
    const key = wishes.map(wish => this.#wishes.indexOf(wish)).join(' ')
    const known = this.#narrowed.get(key)
    if (known !== undefined) return known
    const search = this.#searchWith(wishes)
    this.#narrowed.set(key, search)
    return search
  }
}

/** The request with wishes as requirements. */
const narrow = (request: CandidateRequest, wishes: readonly TraitWish[]): CandidateRequest => ({
  ...request,
  groups: request.groups.map(group => {
    const mine = wishes.filter(wish => wish.group === group.suffix)
    const listOf = (value: TraitWish['value']) =>
      mine.filter(wish => wish.value === value).map(({ trait }) => trait)
    return {
      ...group,
      required: [...group.required, ...listOf('preferred').map(trait => [trait])],
      forbidden: [...group.forbidden, ...listOf('avoided')],
    }
  }),
})
