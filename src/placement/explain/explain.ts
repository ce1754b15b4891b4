import { Bitset } from '../../kernel/bitset.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import { readWith } from '../../world/rehearsal.ts'
import type { World } from '../../world/world.ts'
import { findCandidates } from '../candidates/candidates.ts'
import {
  type CandidateBehaviour,
  type CandidateRefusal,
  type CandidateRequest,
  workBounds,
} from '../candidates/request.ts'
import { amountsGiven } from './amounts.ts'
import { type Census, census, everything, type FullCensus, isServable, type Pause } from './census.ts'
import { PROVIDERS_AT_ONCE_MAX, readConsistently } from './consistent-read.ts'
import { type Constraint, constraintsOf, requestOf } from './constraints.ts'
import { type NearMiss, nearestMisses } from './nearest.ts'
import { changeOf, cloudRemedies, type Remedy } from './remedies.ts'

/**
 * `blocks`: without this constraint alone there would be a candidate. `narrows`: it excludes something that
 * all earlier constraints accept, or would if anything were left. `redundant`: all that it excludes from its
 * group's resources is excluded already. `innocent`: it excludes nothing.
 */
type Verdict = 'blocks' | 'narrows' | 'redundant' | 'innocent'

export interface ConstraintStep {
  readonly constraint: Constraint
  readonly before: Census
  readonly after: Census
  readonly verdict: Verdict
}

export interface Explanation {
  readonly kind: 'explanation'
  readonly revision: number
  readonly candidates: number
  /** There are more candidates than were counted. */
  readonly capped: boolean
  readonly funnel: readonly ConstraintStep[]
  readonly nearest: readonly NearMiss[]
  readonly remedies: readonly Remedy[]
}

interface ExplainLimits {
  readonly candidatesMax: number
  readonly nearestMax: number
  readonly remediesMax: number
  readonly stepsMax: number
  /** If the world changes during every try, up to this many providers are read without a pause. */
  readonly providersAtOnceMax: number
}

export const EXPLAIN_LIMITS: ExplainLimits = {
  candidatesMax: 1_000,
  nearestMax: 10,
  remediesMax: 10,
  stepsMax: 20_000,
  providersAtOnceMax: PROVIDERS_AT_ONCE_MAX,
}

type Explained =
  | Explanation
  | { readonly kind: 'refused'; readonly refusal: CandidateRefusal }
  /** The world changed during every try. */
  | { readonly kind: 'restless' }
  /** The explanation needs more work than one request may take. */
  | { readonly kind: 'too-costly' }

/** The work for one explanation, in units of about one step of the search. */
const WORK_MAX = 5_000_000

class TooCostly extends Error {
  override name = 'TooCostly'
}

function limitWork(pause: Pause): Pause {
  let left = WORK_MAX
  return (work = 0) => {
    left -= work
    return left < 0 ? Promise.reject(new TooCostly(`more than ${WORK_MAX} units of work`)) : pause()
  }
}

/** `turn` lets other requests run between two steps. If the world changes meanwhile, the explanation starts again. */
export async function explain(
  world: World,
  request: CandidateRequest,
  behaviour: CandidateBehaviour,
  turn: () => Promise<void>,
  limits: ExplainLimits = EXPLAIN_LIMITS,
): Promise<Explained> {
  const look = (pause: Pause) => explainStill(world, request, behaviour, limitWork(pause), limits)
  try {
    return (await readConsistently(world, turn, look, limits.providersAtOnceMax)) ?? { kind: 'restless' }
  } catch (error) {
    if (error instanceof TooCostly) return { kind: 'too-costly' }
    throw error
  }
}

/** The same on a world that does not change, or whose `pause` throws if it does. */
export const explainStill = (
  world: World,
  request: CandidateRequest,
  behaviour: CandidateBehaviour,
  pause: Pause,
  limits: ExplainLimits = EXPLAIN_LIMITS,
): Promise<Explanation | { readonly kind: 'refused'; readonly refusal: CandidateRefusal }> =>
  new Explainer(world, request, behaviour, limits, pause).run()

class Explainer {
  readonly #world: World
  readonly #request: CandidateRequest
  readonly #behaviour: CandidateBehaviour
  readonly #limits: ExplainLimits
  readonly #constraints: readonly Constraint[]
  readonly #pause: Pause
  /** Found for the verdict, and shown as a remedy. */
  readonly #otherAmounts = new Map<Constraint, Remedy | null>()

  constructor(
    world: World,
    request: CandidateRequest,
    behaviour: CandidateBehaviour,
    limits: ExplainLimits,
    pause: Pause,
  ) {
    this.#world = world
    this.#request = request
    this.#behaviour = behaviour
    this.#limits = limits
    this.#pause = pause
    this.#constraints = constraintsOf(request)
  }

  async run(): Promise<Explanation | { readonly kind: 'refused'; readonly refusal: CandidateRefusal }> {
    const { candidatesMax, stepsMax } = this.#limits
    const found = findCandidates(
      this.#world,
      { ...this.#request, limit: candidatesMax + 1 },
      this.#behaviour,
      {
        strategy: 'breadth-first',
        randomSeed: null,
        candidatesMax: candidatesMax + 1,
        stepsMax,
        bounds: workBounds(stepsMax),
      },
    )
    if (found.kind === 'refused') return found
    const candidates = Math.min(found.candidates.length, candidatesMax)
    const { revision } = this.#world
    await this.#pause()
    const funnel = await this.#funnel(candidates > 0)
    const nearest = await this.#nearest()
    return {
      kind: 'explanation',
      revision,
      candidates,
      capped: found.candidates.length > candidatesMax || found.exhausted,
      funnel,
      nearest,
      remedies: candidates > 0 ? [] : await this.#remedies(funnel, nearest),
    }
  }

  async #funnel(served: boolean): Promise<ConstraintStep[]> {
    const steps: ConstraintStep[] = []
    let before: Census = everything(this.#world)
    for (const [at, after] of (await this.#censuses()).entries()) {
      const constraint = this.#constraints[at] as Constraint
      steps.push({
        constraint,
        before,
        after,
        verdict: await this.#verdict(constraint, before, after, served),
      })
      before = after
    }
    return steps
  }

  /**
   * A census after each constraint. A provider that only has disks first appears with the constraint that
   * requests disks. It is counted from the beginning, so that the funnel never widens.
   */
  async #censuses(): Promise<Census[]> {
    const kept = new Set<Constraint>()
    const found: FullCensus[] = []
    for (const constraint of this.#constraints) {
      kept.add(constraint)
      found.push(await this.#census(kept))
      await this.#pause()
    }
    let usable = new Bitset()
    return found
      .reverse()
      .map(({ trees, used }) => {
        usable = Bitset.union([usable, used])
        return { trees, providers: usable.size }
      })
      .reverse()
  }

  async #verdict(constraint: Constraint, before: Census, after: Census, served: boolean): Promise<Verdict> {
    if (!served && (await this.#isToBlame(constraint))) return 'blocks'
    if (after.trees < before.trees || after.providers < before.providers) return 'narrows'
    const alone = await this.#onItsOwn(constraint)
    if (alone.with.trees >= alone.without.trees && alone.with.providers >= alone.without.providers)
      return 'innocent'
    return after.trees > 0 ? 'redundant' : 'narrows'
  }

  /**
   * Whether there would be a candidate without this constraint or, for a group's only resource, with another
   * amount.
   */
  async #isToBlame(constraint: Constraint): Promise<boolean> {
    if (constraint.kind === 'resource' && isOnlyResource(this.#constraints, constraint))
      return (await this.#otherAmount(constraint)) !== null
    return this.#servable(without(this.#constraints, constraint))
  }

  /** What the constraint excludes from the resources that it applies to: these resources with and without it. */
  async #onItsOwn(constraint: Constraint): Promise<{ with: Census; without: Census }> {
    const resources = this.#constraints.filter(
      one => one.kind === 'resource' && (!('group' in constraint) || one.group === constraint.group),
    )
    let base = constraint.kind === 'resource' ? [] : resources
    let bare = await this.#census(new Set(base))
    if (bare.trees === 0) {
      // No provider gives that much: consider those that have any of it.
      base = base.map(one => ({ ...one, amount: 1 }) as Constraint)
      bare = await this.#census(new Set(base))
    }
    return { with: await this.#census(new Set([...base, constraint])), without: bare }
  }

  async #nearest(): Promise<NearMiss[]> {
    const served = new Set<ProviderSlot>()
    const { stepsMax, nearestMax } = this.#limits
    await census(this.#world, this.#request, this.#behaviour, stepsMax, this.#pause, root => served.add(root))
    return nearestMisses(this.#world, this.#request, root => served.has(root), nearestMax, this.#pause)
  }

  async #remedies(funnel: readonly ConstraintStep[], nearest: readonly NearMiss[]): Promise<Remedy[]> {
    const remedies: Remedy[] = []
    for (const { constraint, verdict } of funnel) {
      if (verdict !== 'blocks') continue
      const other = constraint.kind === 'resource' ? await this.#otherAmount(constraint) : null
      if (other !== null) remedies.push(other)
      else if (!isOnlyResource(this.#constraints, constraint)) remedies.push({ kind: 'drop', constraint })
    }
    remedies.push(...(await this.#groupsToDrop()))
    const tried = new Set<string>()
    for (const remedy of cloudRemedies(this.#world, nearest)) {
      if (remedies.length >= this.#limits.remediesMax) break
      const like = JSON.stringify(remedy)
      if (tried.has(like)) continue
      tried.add(like)
      if (this.#works(remedy)) remedies.push(remedy)
      await this.#pause()
    }
    return remedies.slice(0, this.#limits.remediesMax)
  }

  /** Whole groups without which there would be a candidate. */
  async #groupsToDrop(): Promise<Remedy[]> {
    const suffixes = this.#request.groups.map(group => group.suffix)
    const remedies: Remedy[] = []
    for (const group of suffixes.length < 2 ? [] : suffixes) {
      const others = this.#constraints.filter(one => !('group' in one) || one.group !== group)
      if (this.#servable(new Set(others))) remedies.push({ kind: 'drop-group', group })
      await this.#pause()
    }
    return remedies
  }

  /**
   * The nearest smaller amount that works, otherwise the nearest larger one. Tries only amounts that some
   * provider can give.
   */
  async #otherAmount(constraint: Extract<Constraint, { kind: 'resource' }>): Promise<Remedy | null> {
    const known = this.#otherAmounts.get(constraint)
    if (known !== undefined) return known
    const found = await this.#findOtherAmount(constraint)
    this.#otherAmounts.set(constraint, found)
    return found
  }

  async #findOtherAmount(constraint: Extract<Constraint, { kind: 'resource' }>): Promise<Remedy | null> {
    const others = this.#constraints.filter(one => one !== constraint)
    const { group, class: name, amount: from } = constraint
    const { below, above } = amountsGiven(this.#world, name, from)
    for (const to of [...below, ...above]) {
      if (this.#servable(new Set([...others, { ...constraint, amount: to }])))
        return { kind: to < from ? 'ask-less' : 'ask-more', group, class: name, from, to }
      await this.#pause()
    }
    return null
  }

  #works(remedy: Remedy): boolean {
    const change = changeOf(this.#world, remedy)
    if (change === null) return false
    return readWith(this.#world, change, () => this.#servable(new Set(this.#constraints)))
  }

  #census(kept: ReadonlySet<Constraint>): Promise<FullCensus> {
    const request = requestOf(this.#request, kept)
    return census(this.#world, request, this.#behaviour, this.#limits.stepsMax, this.#pause)
  }

  #servable(kept: ReadonlySet<Constraint>): boolean {
    return isServable(this.#world, requestOf(this.#request, kept), this.#behaviour, this.#limits.stepsMax)
  }
}

/** All constraints except one. A group's only resource cannot be dropped, so its amount becomes 1. */
export function without(all: readonly Constraint[], one: Constraint): Set<Constraint> {
  const others = all.filter(other => other !== one)
  if (one.kind === 'resource' && isOnlyResource(all, one)) others.push({ ...one, amount: 1 })
  return new Set(others)
}

function isOnlyResource(all: readonly Constraint[], one: Constraint): boolean {
  if (one.kind !== 'resource') return false
  return all.filter(other => other.kind === 'resource' && other.group === one.group).length === 1
}
