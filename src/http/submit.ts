import type { Recording } from '../store/sequencer/batch-decider.ts'
import type { AnswerOf, CommandOf, RefusalOf, Sequencer } from '../store/sequencer/sequencer.ts'
import type { Rules } from '../world/decision.ts'
import type { ApiError } from './api.ts'

/** The commands that can only be refused so. */
type KindOf<R extends Rules, Refusal> = {
  [K in keyof R & string]: RefusalOf<R[K]> extends Refusal ? K : never
}[keyof R & string]

/** Submits commands for the routes of a service. Resolves with the answer, or throws the refusal as an error. */
export const submitWith =
  <R extends Rules, Refusal>(toApiError: (refusal: Refusal) => ApiError) =>
  async <K extends KindOf<R, Refusal>>(
    { sequencer }: { readonly sequencer: Pick<Sequencer<R>, 'submit'> },
    command: { kind: K } & CommandOf<R[K]>,
    record?: Recording<AnswerOf<R[K]>, RefusalOf<R[K]>>,
  ): Promise<AnswerOf<R[K]>> => {
    const outcome = await sequencer.submit(command, record)
    if (!outcome.ok) throw toApiError(outcome.refusal as Refusal)
    return outcome.answer
  }
