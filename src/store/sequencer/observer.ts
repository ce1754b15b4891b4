import type { ChangeRefused } from '../../world/change-refused.ts'
import type { NamedChange } from '../../world/naming.ts'
import type { Head } from '../store.ts'

/** A change that is durable and in memory, with its head. */
export interface Applied extends NamedChange, Head {
  readonly atMs: number
}

/** Observes each batch, for metrics, logs and the change feed. */
export interface SequencerObserver {
  /** The batch is decided and goes to the store. A store may ask for the decision again: then this is called again. */
  batchDecided?(): void
  batchCommitted?(commands: number, changes: number): void
  batchFailed?(commands: number, reason: unknown): void
  /** Called when the whole batch is in memory, in order of revisions. */
  applied?(change: Applied): void
  /** A rule refused a command, for a reason of this kind. */
  refused?(kind: string): void
  /** A rule accepted a change that the world did not: a bug in the rule. The command is rejected. */
  misfitted?(kind: string, reason: ChangeRefused): void
  /**
   * Memory did not match the stored history, and was loaded again. Changes before that were not reported one by one.
   */
  reloaded?(head: Head, why: string): void
  /** Memory can no longer be trusted, and no more commands are accepted: end the process and restart it. */
  broken?(reason: unknown): void
}

/** Calls all observers in order of subscription. */
export class SequencerObservers implements Required<SequencerObserver> {
  readonly #all: SequencerObserver[] = []

  add(observer: SequencerObserver): void {
    this.#all.push(observer)
  }

  batchDecided(): void {
    for (const one of this.#all) one.batchDecided?.()
  }

  batchCommitted(commands: number, changes: number): void {
    for (const one of this.#all) one.batchCommitted?.(commands, changes)
  }

  batchFailed(commands: number, reason: unknown): void {
    for (const one of this.#all) one.batchFailed?.(commands, reason)
  }

  applied(change: Applied): void {
    for (const one of this.#all) one.applied?.(change)
  }

  refused(kind: string): void {
    for (const one of this.#all) one.refused?.(kind)
  }

  misfitted(kind: string, reason: ChangeRefused): void {
    for (const one of this.#all) one.misfitted?.(kind, reason)
  }

  reloaded(head: Head, why: string): void {
    for (const one of this.#all) one.reloaded?.(head, why)
  }

  broken(reason: unknown): void {
    for (const one of this.#all) one.broken?.(reason)
  }
}
