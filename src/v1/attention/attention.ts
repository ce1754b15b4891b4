import type { Clock } from '../../kernel/clock.ts'
import type { Attention as AttentionBody, AttentionFinding, Severity } from '../../wire/attention.ts'
import { Turns } from '../api/in-turns.ts'
import type { AttentionCheck, AttentionSources } from './check.ts'
import { ATTENTION_CHECKS } from './registry.ts'

interface Result {
  readonly check: AttentionCheck
  readonly atMs: number
  readonly state: string
  /** The revision of the state when the check began. */
  readonly revision: number
  readonly finding: AttentionFinding | null
  /** Why the check failed. */
  readonly failure: string | null
}

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, note: 2 }

/**
 * Runs the checks on request, one run at a time, and keeps each result until it is old. A request during a run
 * gets the next run, which sees all earlier writes.
 */
export class Attention {
  readonly #sources: () => AttentionSources
  readonly #clock: Clock
  readonly #checks: readonly AttentionCheck[]
  readonly #failed: (code: string, error: Error) => void
  readonly #results = new Map<string, Result>()
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(
    sources: () => AttentionSources,
    clock: Clock,
    failed: (code: string, error: Error) => void,
    checks: readonly AttentionCheck[] = ATTENTION_CHECKS,
  ) {
    this.#sources = sources
    this.#clock = clock
    this.#failed = failed
    this.#checks = checks
  }

  /** Resolves when every result is as recent as its check promises. */
  refresh(): Promise<void> {
    if (this.#next !== null) return this.#next
    if (this.#running === null) return this.#begin()
    this.#next = this.#running.then(() => {
      this.#next = null
      return this.#begin()
    })
    return this.#next
  }

  /** The present results. Runs no check. */
  get results(): readonly Result[] {
    return this.#checks.flatMap(({ code }) => this.#results.get(code) ?? [])
  }

  async answer(itemsMax: number, mayUse: (operation: string) => boolean): Promise<AttentionBody> {
    await this.refresh()
    const { results } = this
    const seen = results.filter(({ check }) => mayUse(check.operation))
    const findings = seen
      .flatMap(({ finding }) => finding ?? [])
      .sort((a, b) => RANK[a.severity] - RANK[b.severity])
    return {
      at: new Date(this.#clock.nowMs()).toISOString(),
      revision: Math.min(...results.map(({ revision }) => revision)),
      worst: findings[0]?.severity ?? 'none',
      findings: findings.map(one => ({ ...one, items: one.items.slice(0, itemsMax) })),
      passed: seen.flatMap(({ check, finding, failure }) =>
        finding === null && failure === null ? [check.code] : [],
      ),
      not_allowed: results.flatMap(({ check }) => (mayUse(check.operation) ? [] : [check.code])),
      failed: seen.flatMap(({ check: { code }, failure }) =>
        failure === null ? [] : [{ code, text: failure }],
      ),
    }
  }

  #begin(): Promise<void> {
    this.#running = this.#run().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #run(): Promise<void> {
    const turns = new Turns()
    for (const check of this.#checks) {
      const sources = this.#sources()
      const { lives, revision } = sources.world
      const [nowMs, state] = [this.#clock.nowMs(), `${lives} ${revision}`]
      const before = this.#results.get(check.code)
      if (before !== undefined && isFresh(before, nowMs, state)) {
        this.#results.set(check.code, {
          ...before,
          revision: before.state === state ? revision : before.revision,
        })
        continue
      }
      const made = { check, atMs: nowMs, state, revision }
      await turns.give()
      try {
        const found = await check.find({ ...sources, nowMs, turns })
        const finding =
          found === null ? null : { code: check.code, ...found, severity: found.severity ?? check.severity }
        this.#results.set(check.code, { ...made, finding, failure: null })
      } catch (error) {
        this.#failed(check.code, error as Error)
        this.#results.set(check.code, { ...made, finding: null, failure: (error as Error).message })
      }
    }
  }
}

function isFresh({ check, atMs, state, failure }: Result, nowMs: number, stateNow: string): boolean {
  if (nowMs < atMs + check.restMs) return true
  return check.readsMoreThanState !== true && failure === null && state === stateNow
}
