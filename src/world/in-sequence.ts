import type { RowOp } from './change.ts'
import { accept, type Decision, refuse } from './decision.ts'
import type { World } from './world.ts'

/** Decides one step on a world that has the earlier ones. */
export type Step<Answer, Refusal> = (world: World) => Decision<Answer, Refusal>

/**
 * Several decisions as one, all or nothing. Each is made on a world that already holds the earlier ones, as the sequencer
 * does with a batch; before this returns the world is as it was.
 */
export function inSequence<Answer, Refusal>(
  world: World,
  steps: Iterable<Step<Answer, Refusal>>,
): Decision<readonly Answer[], Refusal> {
  const done: { readonly ops: readonly RowOp[] }[] = []
  const answers: Answer[] = []
  try {
    for (const step of steps) {
      const decision = step(world)
      if (!decision.ok) return refuse(decision.refusal)
      world.apply(decision.change)
      done.push(decision.change)
      answers.push(decision.answer)
    }
    return accept({ ops: done.flatMap(({ ops }) => ops) }, answers)
  } finally {
    for (const change of done.reverse()) world.undo(change)
  }
}
