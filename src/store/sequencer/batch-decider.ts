import type { Change } from '../../world/change.ts'
import { ChangeRefused, WorldTorn } from '../../world/change-refused.ts'
import type { Outcome, Rules } from '../../world/decision.ts'
import { collectNames, type NamedChange } from '../../world/naming.ts'
import { requireStorable } from '../../world/storable.ts'
import type { AnyRow } from '../../world/table.ts'
import { tableByName } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import { type PlainPut, plainTableByName } from '../tables/plain-tables.ts'
import type { CommandTrace } from './command-trace.ts'
import { readKind } from './failures.ts'
import type { SequencerObserver } from './observer.ts'

/**
 * Plain rows to put in the commit of a command, when its outcome is known. May be called more than once. `revision` is
 * the state that the outcome was decided on.
 */
export type Recording<Answer, Refusal> = (
  outcome: Outcome<Answer, Refusal>,
  nowMs: number,
  revision: number,
) => readonly PlainPut[]

/** Sees every command when it is submitted, and may add plain rows to its commit. */
export interface CommitRecorder {
  /** What to remember of the origin of a command. */
  seen(): unknown
  /** May be called more than once. */
  record(
    seen: unknown,
    done: { readonly kind: string; readonly change: Change; readonly revision: number },
    nowMs: number,
  ): readonly PlainPut[]
}

/** A submitted command that has no outcome yet. */
export interface Waiting {
  readonly seen: unknown
  readonly kind: string
  readonly command: unknown
  readonly record: Recording<unknown, unknown> | undefined
  readonly resolve: (outcome: Outcome<unknown, unknown>) => void
  readonly reject: (reason: unknown) => void
  readonly trace: CommandTrace | null
}

/** A command with its outcome, which is answered once the batch is durable. */
export interface Decided extends NamedChange {
  readonly plain: readonly PlainPut[]
  /** The kind of the refusal; null if accepted. */
  readonly refusal: string | null
  readonly answer: () => void
}

interface DeciderParts {
  readonly world: World
  readonly rules: Rules
  readonly recorder: CommitRecorder | undefined
  /** The row ops of a batch; a command with more goes alone. */
  readonly opsMax: number
  readonly observers: Pick<Required<SequencerObserver>, 'misfitted'>
}

/** Runs the rules of the waiting commands. */
export class BatchDecider {
  readonly #world: World
  readonly #rules: Rules
  readonly #recorder: CommitRecorder | undefined
  readonly #opsMax: number
  readonly #observers: DeciderParts['observers']

  constructor({ world, rules, recorder, opsMax, observers }: DeciderParts) {
    this.#world = world
    this.#rules = rules
    this.#recorder = recorder
    this.#opsMax = opsMax
    this.#observers = observers
  }

  /**
   * Decides every waiting command on a world with the earlier ones; afterwards the world is unchanged. A change that the
   * world does not accept leaves it unchanged, and only its own command is rejected. When the world throws anything else,
   * it is torn and nothing can be undone: let it out.
   */
  decideAll(queue: readonly Waiting[], commandsMax: number, nowMs: number): Decided[] {
    const decided: Decided[] = []
    let ops = 0
    let { revision } = this.#world
    const applied: Change[] = []
    for (const one of queue) {
      if (decided.length >= commandsMax || ops >= this.#opsMax) break
      const entry = this.#decide(one, nowMs, revision)
      const { change } = entry
      if (ops > 0 && ops + change.ops.length > this.#opsMax) break
      ops += change.ops.length
      try {
        this.#world.apply(change)
      } catch (reason) {
        if (!(reason instanceof ChangeRefused)) throw reason
        decided.push(rejectWith(() => this.#rejectMisfit(one, reason)))
        continue
      }
      applied.push(change)
      decided.push(entry)
      if (change.ops.length > 0) revision++
    }
    for (const change of applied.toReversed()) this.#world.undo(change)
    return decided
  }

  #decide(one: Waiting, nowMs: number, revision: number): Decided {
    try {
      const rule = this.#rules[one.kind]
      if (rule === undefined) throw new Error(`no rule for command ${one.kind}`)
      one.trace?.deciding()
      const decision = rule(this.#world, one.command, nowMs)
      const outcome: Outcome<unknown, unknown> = decision.ok
        ? { ok: true, answer: decision.answer }
        : { ok: false, refusal: decision.refusal }
      const change = decision.ok ? decision.change : NOTHING
      const names = collectNames(this.#world, change)
      const committed = { kind: one.kind, change, revision: revision + 1 }
      const plain = [
        ...(one.record?.(outcome, nowMs, revision) ?? []),
        ...(change.ops.length === 0 ? [] : (this.#recorder?.record(one.seen, committed, nowMs) ?? [])),
      ]
      for (const { table, after } of change.ops)
        if (after !== null) requireStorable(tableByName[table], after as AnyRow)
      for (const { table, row } of plain) requireStorable(plainTableByName[table], row)
      const refusal = decision.ok ? null : readKind(decision.refusal)
      one.trace?.decided(refusal)
      return { change, names, plain, refusal, answer: () => one.resolve(outcome) }
    } catch (bug) {
      // Rules try changes on the world, too: see `rehearse`.
      if (bug instanceof WorldTorn) throw bug
      // One command that hits a bug of ours must not fail its neighbours.
      return rejectWith(() => (bug instanceof ChangeRefused ? this.#rejectMisfit(one, bug) : one.reject(bug)))
    }
  }

  /** The world is unchanged, so other commands are not affected. */
  #rejectMisfit(one: Waiting, reason: ChangeRefused): void {
    this.#observers.misfitted(one.kind, reason)
    one.reject(reason)
  }
}

const NOTHING: Change = { ops: [] }

function rejectWith(answer: () => void): Decided {
  return { change: NOTHING, names: {}, plain: [], refusal: null, answer }
}
