import { assert } from '../kernel/assert.ts'
import type { Change } from './change.ts'
import { accept, type Decision, refuse } from './decision.ts'
import type { World } from './world.ts'

/**
 * The one way for a rule to see the world with changes that are not decided yet. Rules read the world; they never write to
 * it otherwise, and a test proves it (test/repo-rules.ts). A rehearsal runs in one go: every change is undone before
 * `rehearse` returns or throws, so nobody else ever sees one. It works on the live world, which costs nothing to set up;
 * a question that takes longer than one turn of the event loop needs a copy of the state (world-copy.ts).
 */
export class Rehearsal {
  readonly #world: World
  readonly #supposed: Change[] = []

  constructor(world: World) {
    this.#world = world
  }

  /** From here on the world has this change. Throws ChangeRefused, and changes nothing, where it does not fit. */
  suppose(change: Change): void {
    this.#world.apply(change)
    this.#supposed.push(change)
  }

  /** Undoes the last change that was supposed. */
  takeBack(): void {
    const last = this.#supposed.pop()
    assert(last !== undefined, 'something was supposed')
    this.#world.undo(last)
  }

  /** All that is supposed, as one change. */
  get change(): Change {
    return { ops: this.#supposed.flatMap(({ ops }) => ops) }
  }

  end(): void {
    while (this.#supposed.length > 0) this.takeBack()
  }
}

/** A promise would be settled after the changes are undone. */
type Settled<T> = T extends PromiseLike<unknown> ? never : T

/** Runs on the world with whatever `run` supposes, and undoes all of it. */
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

/** Reads the world as it is with one more change. */
export const readWith = <T>(world: World, change: Change, read: () => Settled<T>): T =>
  rehearse<T>(world, rehearsal => {
    rehearsal.suppose(change)
    return read()
  })

/** Decides one step on a world that has the earlier ones. */
export type Step<Answer, Refusal> = (world: World) => Decision<Answer, Refusal>

/** Several decisions as one change, all or nothing, each made on a world that has the earlier ones. */
export function inSequence<Answer, Refusal>(
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
