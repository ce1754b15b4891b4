import type { CommandTrace } from '../../store/sequencer/command-trace.ts'
import { findActiveSpan, nowMs, type Span } from './span.ts'

/** The spans of a command, below that of its request; null if nothing is recorded. */
export function traceCommand(kind: string): CommandTrace | null {
  const parent = findActiveSpan()
  return parent?.isRecorded === true ? new CommandSpans(parent, kind) : null
}

/**
 * Four spans in sequence: queue wait, lock of the store's head, rule, and the commit of its batch. A store may have the
 * command decided again: then the last decision counts.
 */
class CommandSpans implements CommandTrace {
  readonly #parent: Span
  readonly #kind: string
  readonly #submittedMs = nowMs()
  #takenMs: number | null = null
  #decidingMs: number | null = null
  #decidedMs: number | null = null
  #refusal: string | null = null

  constructor(parent: Span, kind: string) {
    this.#parent = parent
    this.#kind = kind
  }

  taken(): void {
    this.#takenMs ??= nowMs()
  }

  deciding(): void {
    this.#decidingMs = nowMs()
  }

  decided(refusal: string | null): void {
    this.#decidedMs = nowMs()
    this.#refusal = refusal
  }

  settled(failure: unknown): void {
    const endMs = nowMs()
    const steps: readonly (readonly [string, number | null])[] = [
      ['queue wait', this.#submittedMs],
      ['store lock', this.#takenMs],
      [`rule ${this.#kind}`, this.#decidingMs],
      ['store commit', this.#decidedMs],
    ]
    const begun = steps.filter((step): step is readonly [string, number] => step[1] !== null)
    for (const [at, [name, startMs]] of begun.entries()) {
      const span = this.#parent.startChild(name, 'internal', startMs)
      if (startMs === this.#decidingMs) span.set('berth.refusal', this.#refusal)
      const isLast = at === begun.length - 1
      if (isLast && failure !== null) span.fail(failure)
      span.set('berth.command', this.#kind).end(begun[at + 1]?.[1] ?? endMs)
    }
  }
}
