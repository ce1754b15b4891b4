import type { ChangeRefused } from '../../world/change-refused.ts'
import type { NamedChange } from '../../world/naming.ts'
import type { Head } from '../store.ts'

/** A change that is durable and in memory, with the head it led to. */
export interface Applied extends NamedChange, Head {
  readonly atMs: number
}

/** What the sequencer tells about each batch, for metrics, logs and those who follow the changes. */
export interface SequencerObserver {
  batchCommitted?(commands: number, changes: number): void
  batchFailed?(commands: number, reason: unknown): void
  /** Called once everything of the change's batch is in memory, in order of the revisions. */
  applied?(change: Applied): void
  /** A rule said no, for a reason of this kind. */
  refused?(kind: string): void
  /** A rule said yes to a change that the world did not take: a bug in the rule. The command is rejected. */
  misfitted?(kind: string, reason: ChangeRefused): void
  /** Memory did not follow from what is stored, and was loaded again. Changes before that were not reported one by one. */
  reloaded?(head: Head): void
  /** Memory can no longer be trusted, nothing is taken any more: end the process and start again. */
  broken?(reason: unknown): void
}

/** Tells all observers, in the order in which they subscribed. */
export class SequencerObservers implements Required<SequencerObserver> {
  readonly #all: SequencerObserver[] = []

  add(observer: SequencerObserver): void {
    this.#all.push(observer)
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

  reloaded(head: Head): void {
    for (const one of this.#all) one.reloaded?.(head)
  }

  broken(reason: unknown): void {
    for (const one of this.#all) one.broken?.(reason)
  }
}
