import type { Change } from './change.ts'
import type { World } from './world.ts'

/** A rule's decision about a command: a change and an answer, or a refusal. */
export type Decision<Answer, Refusal> =
  | { readonly ok: true; readonly change: Change; readonly answer: Answer }
  | { readonly ok: false; readonly refusal: Refusal }

/** A decision without its change. */
export type Outcome<Answer, Refusal> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly refusal: Refusal }

/**
 * Rules are pure: world, command and time in, decision out. They read the world; to try something on it they use
 * `rehearse` (rehearsal.ts), which restores it.
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
