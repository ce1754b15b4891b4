import { assert } from '../kernel/assert.ts'
import type { Change } from './change.ts'
import { accept, type Decision, refuse } from './decision.ts'
import type { World } from './world.ts'

/**
 * The only way for a rule to see the world with undecided changes. Otherwise rules only read it, which a test proves
 * (test/repo-rules.ts). A rehearsal is synchronous: every change is undone before `rehearse` returns or throws, so
 * nothing else ever sees one. It works on the live world, which costs no setup; what takes longer than one turn of the
 * event loop needs a copy (world-copy.ts).
 */
export class Rehearsal {
  readonly #world: World
  readonly #supposed: Change[] = []

  constructor(world: World) {
    this.#world = world
  }

  /** Applies a change. Throws ChangeRefused, and changes nothing, if it does not fit. */
  suppose(change: Change): void {
    this.#world.apply(change)
    this.#supposed.push(change)
  }

  /** Undoes the last change. */
  takeBack(): void {
    const last = this.#supposed.pop()
    assert(last !== undefined, 'something was supposed')
    this.#world.undo(last)
  }

  /** All applied changes as one. */
  get change(): Change {
    return { ops: this.#supposed.flatMap(({ ops }) => ops) }
  }

  end(): void {
    while (this.#supposed.length > 0) this.takeBack()
  }
}

/** A promise would be settled after the changes are undone. */
type Settled<T> = T extends PromiseLike<unknown> ? never : T

/** Runs `run` and undoes all that it applied. */
export function rehearse<T>(world: World, run: (rehearsal: Rehearsal) => Settled<T>): T {
  const rehearsal = new Rehearsal(world)
  try {
    const result: T = run(rehearsal)
    assert(!(result instanceof Promise), 'a rehearsal ends before anything else runs')
    return result
  } finally {
    rehearsal.end()
  }
}

/** Reads the world with one more change. */
export const readWith = <T>(world: World, change: Change, read: () => Settled<T>): T =>
  rehearse<T>(world, rehearsal => {
    rehearsal.suppose(change)
    return read()
  })

/** Decides one step on a world with the earlier ones. */
export type Step<Answer, Refusal> = (world: World) => Decision<Answer, Refusal>

/** Several decisions as one change, all or nothing, each on a world with the earlier ones. */
export function decideInSequence<Answer, Refusal>(
  world: World,
  steps: Iterable<Step<Answer, Refusal>>,
): Decision<readonly Answer[], Refusal> {
  return rehearse<Decision<readonly Answer[], Refusal>>(world, rehearsal => {
    const answers: Answer[] = []
    for (const step of steps) {
      const decision = step(world)
      if (!decision.ok) return refuse(decision.refusal)
      rehearsal.suppose(decision.change)
      answers.push(decision.answer)
    }
    return accept(rehearsal.change, answers)
  })
}
