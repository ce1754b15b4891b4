import type { Change } from './change.ts'
import type { World } from './world.ts'

/** What a rule says to a command: yes, with what changes and what to answer, or no, with the reason. */
export type Decision<Answer, Refusal> =
  | { readonly ok: true; readonly change: Change; readonly answer: Answer }
  | { readonly ok: false; readonly refusal: Refusal }

/** A decision as it is answered, without the change. */
export type Outcome<Answer, Refusal> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly refusal: Refusal }

/**
 * Rules are pure: world, command and time in, decision out. They read the world; what they have to try out on it goes through
 * `rehearse` (rehearsal.ts), which leaves it as it was.
 */
export type Rule<Command, Answer, Refusal> = (
  world: World,
  command: Command,
  nowMs: number,
) => Decision<Answer, Refusal>

// biome-ignore lint/suspicious/noExplicitAny: a registry holds rules of every shape
export type Rules = Readonly<Record<string, Rule<any, any, any>>>

export const accept = <Answer>(change: Change, answer: Answer) => ({ ok: true, change, answer }) as const

export const refuse = <Refusal>(refusal: Refusal) => ({ ok: false, refusal }) as const

export const NO_CHANGE: Change = { ops: [] }
