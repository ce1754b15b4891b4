import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../http/ops/log.ts'
import { findBackendByName, nameOrEmpty } from '../../scheduling/pools/pools.ts'
import type { Sequencer } from '../../store/sequencer/sequencer.ts'
import { StoreUnavailable, StoreUncertain } from '../../store/store.ts'
import type { BackendRow, LeaseRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import { listAccess } from '../access/access-steps.ts'
import { recordMessages } from '../context.ts'
import type { Driver } from '../drivers/driver.ts'
import type { ShareRules } from '../rules.ts'
import { findDueInBin } from '../share/delete.ts'
import { doStep } from './do-step.loop.ts'
import { type Begun, findWaitingSteps, type Work } from './leases.ts'
import type { Ended, StepResult } from './results.ts'

export interface ShareWorkerParts {
  readonly world: World
  readonly sequencer: Sequencer<ShareRules>
  /** A new name at every start of a process. */
  readonly holder: string
  /** No other process uses the store: an earlier holder of a lease is gone. */
  readonly isAlone: boolean
  readonly leaseMs: number
  readonly open: (backend: BackendRow) => Driver
  readonly newUuid: () => string
  readonly nowMs: () => number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

/** How often to look for work of other processes. */
const LOOK_MS = 200
/** Leaves work that another process just accepted to that process for this long. */
const COURTESY_MS = 400
const STEPS_AT_ONCE_MAX = 64
const STEPS_PER_TURN_MAX = 16
const PAUSE_MS = 250
const BIN_MS = 30_000
const REST_MS = 10_000

interface Running {
  readonly backend: string
  readonly epoch: number
  readonly work: Work
  readonly abort: AbortController
  readonly done: Promise<void>
}

/**
 * Does the steps that rules recorded, for the back ends whose leases this process has. A lease is taken with the first step
 * and held while there are any: an idle system writes nothing.
 */
export class ShareWorker {
  readonly #parts: ShareWorkerParts
  readonly #running = new Map<string, Running>()
  readonly #drivers = new Map<string, { readonly settings: string; readonly driver: Driver }>()
  /** Epoch and driver of each back end: another epoch has another driver. */
  readonly #adopted = new Map<string, { readonly epoch: number; readonly done: Promise<Driver> }>()
  readonly #asking = new Set<string>()
  /** Steps whose result could not be recorded because of a bug, and when to try them again. */
  readonly #resting = new Map<string, number>()
  /** When the leases of other processes last changed. */
  readonly #seen = new Map<number, { readonly key: string; readonly sinceMs: number }>()
  /** Requests wake the worker, but the audit log must not name the last caller for its work. */
  readonly #outsideRequests = AsyncLocalStorage.snapshot()
  #timers: NodeJS.Timeout[] = []
  #isStopped = false

  constructor(parts: ShareWorkerParts) {
    this.#parts = parts
  }

  start(): void {
    const { leaseMs } = this.#parts
    this.#timers = [
      setInterval(() => this.#look(false), LOOK_MS),
      setInterval(() => void this.#renew(), Math.max(50, Math.floor(leaseMs / 3))),
      setInterval(() => void this.#emptyBin(), BIN_MS),
    ]
    for (const timer of this.#timers) timer.unref()
    this.#look(false)
  }

  /** Called after this process accepted work. */
  wake(): void {
    this.#outsideRequests(() => this.#look(true))
  }

  get running(): number {
    return this.#running.size
  }

  /** Lets running steps finish, or aborts them; other processes continue the work. */
  async stop(patienceMs: number): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#timers) clearInterval(timer)
    const all = Promise.allSettled([...this.#running.values()].map(({ done }) => done))
    await Promise.race([all, sleep(patienceMs, undefined, { ref: false })])
    for (const { abort } of this.#running.values()) abort.abort()
    await all
    await this.#parts.sequencer
      .submit({ kind: 'shares:release-leases', holder: this.#parts.holder })
      .catch(() => undefined)
  }

  #look(isOwn: boolean): void {
    if (this.#isStopped) return
    this.#abandonStale()
    const { shares } = this.#parts.world
    for (const id of shares.listBackendsWithWork())
      if (this.#hasWork(id, isOwn)) void this.#begin(nameOrEmpty(this.#parts.world, id))
  }

  /** Whether a back end has a step to begin, as far as memory knows. */
  #hasWork(backendId: number, isOwn: boolean): boolean {
    const { world, holder, isAlone, nowMs } = this.#parts
    if (this.#running.size >= STEPS_AT_ONCE_MAX) return false
    const waiting = findWaitingSteps(world, backendId, new Set(this.#listTaken()), nowMs())
    if (waiting.length === 0) return false
    const lease = world.shares.leases.get(backendId)
    if (isAlone || lease?.holder === holder) return true
    if (lease !== undefined && !this.#looksExpired(lease)) return false
    return isOwn || waiting.some(step => step.created_at + COURTESY_MS <= nowMs())
  }

  #listTaken(): string[] {
    const now = performance.now()
    for (const [step, untilMs] of this.#resting) if (untilMs <= now) this.#resting.delete(step)
    return [...this.#running.keys(), ...this.#resting.keys()]
  }

  /** Clocks differ. By any clock, a lease that was not renewed for its whole duration has expired; the store decides. */
  #looksExpired({ backend_id, epoch, expires_at }: LeaseRow): boolean {
    const key = `${epoch} ${expires_at}`
    const now = performance.now()
    const seen = this.#seen.get(backend_id)
    if (seen?.key !== key) this.#seen.set(backend_id, { key, sinceMs: now })
    const isQuiet = seen?.key === key && now - seen.sinceMs >= this.#parts.leaseMs
    return isQuiet || expires_at <= this.#parts.nowMs()
  }

  async #begin(backend: string): Promise<void> {
    if (this.#asking.has(backend)) return
    this.#asking.add(backend)
    const { sequencer, holder, isAlone, leaseMs } = this.#parts
    try {
      const running = this.#listTaken()
      const command = { kind: 'shares:begin-work', backend, holder, leaseMs, isAlone, running } as const
      const outcome = await sequencer.submit({ ...command, stepsMax: STEPS_PER_TURN_MAX })
      if (outcome.ok) this.#take(backend, outcome.answer)
    } catch (error) {
      if (!isPassing(error)) this.#parts.log.error('cannot begin work', { backend, error: error as Error })
    } finally {
      this.#asking.delete(backend)
    }
  }

  #take(backend: string, { epoch, work }: Begun): void {
    for (const one of work) {
      const abort = new AbortController()
      const earlier = [...this.#running.values()].filter(
        ({ work: other }) =>
          other.share === one.share && (one.kind === 'access') === (other.kind === 'access'),
      )
      const done = this.#do(backend, epoch, one, abort.signal, earlier)
        .catch(error => {
          this.#resting.set(one.step, performance.now() + REST_MS)
          this.#parts.log.error('a step was lost', { backend, share: one.share, error })
        })
        .finally(() => {
          this.#running.delete(one.step)
          this.#look(false)
        })
      this.#running.set(one.step, { backend, epoch, work: one, abort, done })
    }
  }

  /** An earlier step of the share must end here first. */
  async #do(
    backend: string,
    epoch: number,
    work: Work,
    signal: AbortSignal,
    earlier: readonly Running[],
  ): Promise<void> {
    await Promise.allSettled(earlier.map(({ done }) => done))
    const result = await this.#runStep(backend, epoch, work, signal)
    if (result === null || signal.aborted) return
    await this.#report(backend, epoch, work, result, signal)
  }

  /** Null if aborted. */
  async #runStep(
    backend: string,
    epoch: number,
    work: Work,
    signal: AbortSignal,
  ): Promise<StepResult | null> {
    const { log, world } = this.#parts
    try {
      const driver = await this.#adopt(backend, epoch, this.#openDriver(backend))
      return await doStep(work, {
        driver,
        driverOf: name => this.#openDriver(name),
        listAccess: () => listAccess(world, findBackendByName(world, backend)?.provider_id ?? -1),
        signal,
      })
    } catch (error) {
      if (signal.aborted) return null
      log.warn('a step failed', { backend, step: work.kind, share: work.share, error: error as Error })
      // Something that an earlier attempt created may still be there.
      const isHalfMade = work.kind === 'create' && work.attempts > 0
      return { ok: false, error: (error as Error).message, isHalfMade }
    }
  }

  async #report(
    backend: string,
    epoch: number,
    work: Work,
    result: StepResult,
    signal: AbortSignal,
  ): Promise<void> {
    const { sequencer, holder, newUuid, log } = this.#parts
    const command = { kind: 'shares:end-step', step: work.step, holder, epoch, result } as const
    while (!signal.aborted)
      try {
        const outcome = await sequencer.submit(
          { ...command, nextUuid: newUuid(), accessUuid: newUuid() },
          recordMessages<Ended>({ newUuid }, null),
        )
        if (!outcome.ok)
          log.warn('a result came too late', { backend, share: work.share, reason: outcome.refusal.kind })
        return
      } catch (error) {
        if (!isPassing(error)) throw error
        await sleep(PAUSE_MS)
      }
  }

  /** Once per epoch, before anything is done under it. */
  #adopt(backend: string, epoch: number, driver: Driver): Promise<Driver> {
    const known = this.#adopted.get(backend)
    if (known?.epoch === epoch) return known.done
    const done = driver.adopt(epoch)
    this.#adopted.set(backend, { epoch, done })
    done.catch(() => this.#adopted.delete(backend))
    return done
  }

  #openDriver(backend: string): Driver {
    const row = findBackendByName(this.#parts.world, backend)
    if (row === undefined) throw new Error(`there is no back end ${backend}`)
    const settings = `${row.driver} ${row.settings}`
    const known = this.#drivers.get(backend)
    if (known?.settings === settings) return known.driver
    const driver = this.#parts.open(row)
    this.#drivers.set(backend, { settings, driver })
    this.#adopted.delete(backend)
    return driver
  }

  /** Aborts steps that are no longer wanted, or that belong to another process now. */
  #abandonStale(): void {
    const { world, holder } = this.#parts
    for (const { work, backend, epoch, abort } of this.#running.values()) {
      const step = world.shares.steps.find(work.step)
      const id = findBackendByName(world, backend)?.provider_id
      const lease = id === undefined ? undefined : world.shares.leases.get(id)
      const isMine = lease?.holder === holder && lease.epoch === epoch
      if (step === undefined || !isMine) abort.abort()
    }
  }

  async #renew(): Promise<void> {
    const { sequencer, holder, leaseMs } = this.#parts
    const backends = [...new Set([...this.#running.values()].map(({ backend }) => backend))]
    if (backends.length === 0 || this.#isStopped) return
    try {
      await sequencer.submit({ kind: 'shares:renew-leases', holder, backends, leaseMs })
    } catch {
      // A process that cannot renew its lease loses it and stops in time.
    }
    this.#abandonStale()
  }

  /** Deletes soft-deleted shares whose time is over, in the process that comes first. */
  async #emptyBin(): Promise<void> {
    const { world, sequencer, nowMs, newUuid } = this.#parts
    for (const due of findDueInBin(world, nowMs())) {
      if (this.#isStopped) return
      const stepUuids = [newUuid(), newUuid()] as const
      await sequencer.submit({ kind: 'shares:delete', ...due, stepUuids }).catch(() => undefined)
    }
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof StoreUncertain
