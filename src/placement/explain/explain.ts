import type { ProviderSlot } from '../../kernel/ids.ts'
import type { World } from '../../world/world.ts'
import { findCandidates } from '../candidates/candidates.ts'
import type { CandidateBehaviour, CandidateRefusal, CandidateRequest } from '../candidates/request.ts'
import { type Census, census, everything, isServable } from './census.ts'
import { type Constraint, constraintsOf, requestOf } from './constraints.ts'
import { type NearMiss, nearestMisses } from './nearest.ts'
import { changeOf, cloudRemedies, type Remedy } from './remedies.ts'

/**
 * `blocks`: without this one alone there would be a candidate. `narrows`: it keeps something out that its
 * group's resources would let in. `innocent`: it does not.
 */
export type Verdict = 'blocks' | 'narrows' | 'innocent'

export interface FunnelStep {
  readonly constraint: Constraint
  readonly before: Census
  readonly after: Census
  readonly verdict: Verdict
}

export interface Explanation {
  readonly kind: 'explanation'
  readonly revision: number
  readonly candidates: number
  /** There are more than were counted. */
  readonly capped: boolean
  readonly funnel: readonly FunnelStep[]
  readonly nearest: readonly NearMiss[]
  readonly remedies: readonly Remedy[]
}

export interface ExplainLimits {
  readonly candidatesMax: number
  readonly nearestMax: number
  readonly remediesMax: number
  readonly stepsMax: number
}

export const EXPLAIN_LIMITS: ExplainLimits = {
  candidatesMax: 1_000,
  nearestMax: 10,
  remediesMax: 10,
  stepsMax: 200_000,
}

/** `pause` lets others work between two looks; should the world move meanwhile, all is looked at again. */
export async function explain(
  world: World,
  request: CandidateRequest,
  behaviour: CandidateBehaviour,
  pause: () => Promise<void>,
  limits: ExplainLimits = EXPLAIN_LIMITS,
): Promise<Explanation | { readonly kind: 'refused'; readonly refusal: CandidateRefusal }> {
  for (let tries = 0; ; tries++) {
    const revision = world.revision
    const explained = await new Explainer(world, request, behaviour, limits).run(
      tries < 3 ? pause : async () => undefined,
    )
    if (explained.kind === 'refused' || world.revision === revision || tries >= 3) return explained
  }
}

class Explainer {
  readonly #world: World
  readonly #request: CandidateRequest
  readonly #behaviour: CandidateBehaviour
  readonly #limits: ExplainLimits
  readonly #constraints: readonly Constraint[]

  constructor(world: World, request: CandidateRequest, behaviour: CandidateBehaviour, limits: ExplainLimits) {
    this.#world = world
    this.#request = request
    this.#behaviour = behaviour
    this.#limits = limits
    this.#constraints = constraintsOf(request)
  }

  async run(
    pause: () => Promise<void>,
  ): Promise<Explanation | { readonly kind: 'refused'; readonly refusal: CandidateRefusal }> {
    const { candidatesMax, stepsMax } = this.#limits
    const found = findCandidates(
      this.#world,
      { ...this.#request, limit: candidatesMax + 1 },
      this.#behaviour,
      { strategy: 'breadth-first', randomSeed: null, candidatesMax: candidatesMax + 1, stepsMax },
    )
    if (found.kind === 'refused') return found
    const candidates = Math.min(found.candidates.length, candidatesMax)
    const { revision } = this.#world
    await pause()
    const funnel = await this.#funnel(candidates > 0, pause)
    const nearest = this.#nearest()
    await pause()
    return {
      kind: 'explanation',
      revision,
      candidates,
      capped: found.candidates.length > candidatesMax || found.exhausted,
      funnel,
      nearest,
      remedies: candidates > 0 ? [] : await this.#remedies(funnel, nearest, pause),
    }
  }

  async #funnel(served: boolean, pause: () => Promise<void>): Promise<FunnelStep[]> {
    const kept = new Set<Constraint>()
    const steps: FunnelStep[] = []
    let before = everything(this.#world)
    for (const constraint of this.#constraints) {
      kept.add(constraint)
      const after = this.#census(kept)
      await pause()
      steps.push({ constraint, before, after, verdict: this.#verdict(constraint, before, after, served) })
      before = after
      await pause()
    }
    return steps
  }

  #verdict(constraint: Constraint, before: Census, after: Census, served: boolean): Verdict {
    if (!served && this.#servable(without(this.#constraints, constraint))) return 'blocks'
    if (after.trees < before.trees || after.providers < before.providers) return 'narrows'
    const alone = this.#onItsOwn(constraint)
    return alone.with.trees < alone.without.trees || alone.with.providers < alone.without.providers
      ? 'narrows'
      : 'innocent'
  }

  /** A constraint with nothing but the resources it is about, and these resources without it. */
  #onItsOwn(constraint: Constraint): { with: Census; without: Census } {
    const resources = this.#constraints.filter(
      one => one.kind === 'resource' && (!('group' in constraint) || one.group === constraint.group),
    )
    const base = new Set(constraint.kind === 'resource' ? [] : resources)
    const without = this.#census(base)
    base.add(constraint)
    return { with: this.#census(base), without }
  }

  #nearest(): NearMiss[] {
    const served = new Set<ProviderSlot>()
    census(this.#world, this.#request, this.#behaviour, this.#limits.stepsMax, root => served.add(root))
    return nearestMisses(this.#world, this.#request, root => served.has(root), this.#limits.nearestMax)
  }

  async #remedies(
    funnel: readonly FunnelStep[],
    nearest: readonly NearMiss[],
    pause: () => Promise<void>,
  ): Promise<Remedy[]> {
    const remedies: Remedy[] = []
    for (const { constraint, verdict } of funnel) {
      if (verdict !== 'blocks') continue
      const less = constraint.kind === 'resource' ? this.#askLess(constraint) : null
      if (less !== null) remedies.push(less)
      else if (!isOnlyResource(this.#constraints, constraint)) remedies.push({ kind: 'drop', constraint })
      await pause()
    }
    remedies.push(...this.#groupsToDrop())
    await pause()
    const tried = new Set<string>()
    for (const remedy of cloudRemedies(this.#world, nearest)) {
      if (remedies.length >= this.#limits.remediesMax) break
      const like = JSON.stringify(remedy)
      if (tried.has(like)) continue
      tried.add(like)
      if (this.#works(remedy)) remedies.push(remedy)
      await pause()
    }
    return remedies.slice(0, this.#limits.remediesMax)
  }

  /** Whole groups that the rest could be had without. */
  #groupsToDrop(): Remedy[] {
    const suffixes = this.#request.groups.map(group => group.suffix)
    if (suffixes.length < 2) return []
    return suffixes
      .filter(group => {
        const others = this.#constraints.filter(one => !('group' in one) || one.group !== group)
        return this.#servable(new Set(others))
      })
      .map(group => ({ kind: 'drop-group', group }))
  }

  /** The most that could be asked for instead. */
  #askLess(constraint: Extract<Constraint, { kind: 'resource' }>): Remedy | null {
    const others = this.#constraints.filter(one => one !== constraint)
    const works = (amount: number) => this.#servable(new Set([...others, { ...constraint, amount }]))
    let most = 0
    let tooMuch = constraint.amount
    while (tooMuch - most > 1) {
      const middle = Math.floor((most + tooMuch) / 2)
      if (works(middle)) most = middle
      else tooMuch = middle
    }
    if (most < 1) return null
    const { group, class: name, amount: from } = constraint
    return { kind: 'ask-less', group, class: name, from, to: most }
  }

  /** Makes the change, looks, and takes it back, all before anybody else can look. */
  #works(remedy: Remedy): boolean {
    const change = changeOf(this.#world, remedy)
    if (change === null) return false
    this.#world.apply(change)
    try {
      return this.#servable(new Set(this.#constraints))
    } finally {
      this.#world.undo(change)
    }
  }

  #census(kept: ReadonlySet<Constraint>): Census {
    return census(this.#world, requestOf(this.#request, kept), this.#behaviour, this.#limits.stepsMax)
  }

  #servable(kept: ReadonlySet<Constraint>): boolean {
    return isServable(this.#world, requestOf(this.#request, kept), this.#behaviour, this.#limits.stepsMax)
  }
}

/** All but one. A group cannot do without its only resource, only with the least of it. */
export function without(all: readonly Constraint[], one: Constraint): Set<Constraint> {
  const others = all.filter(other => other !== one)
  if (one.kind === 'resource' && isOnlyResource(all, one)) others.push({ ...one, amount: 1 })
  return new Set(others)
}

function isOnlyResource(all: readonly Constraint[], one: Constraint): boolean {
  if (one.kind !== 'resource') return false
  return all.filter(other => other.kind === 'resource' && other.group === one.group).length === 1
}
