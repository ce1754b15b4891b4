import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { BerthRules } from '../../commands.ts'
import type { Log } from '../../http/ops/log.ts'
import { planFailover } from '../../scheduling/reservations/failover.ts'
import {
  type DecisionWriter,
  type ScheduleResult,
  type SchedulerParts,
  schedule,
} from '../../scheduling/schedule.ts'
import type { Sequencer } from '../../store/sequencer/sequencer.ts'
import type { ReservationRow } from '../../world/reservations.ts'
import type { WorldCopyPool } from '../schedule/world-copies.ts'

interface KeeperParts extends SchedulerParts {
  readonly clock: { nowMs(): number }
  /** There is no caller. */
  readonly submit: Sequencer<BerthRules>['submit']
  readonly privateWorld: WorldCopyPool
  readonly log: () => Pick<Log, 'warn'>
}

/** Between two looks. */
const PAUSE_MS = 10_000
/** What is kept for failover is tried again after ten times as long as it took. */
const FAILOVER_PAUSE_FACTOR = 10
/** Others may claim what a trial found; so often it is tried again at once. */
const FAILOVER_TRIES_MAX = 3

/**
 * Keeps what reservations promise: claims places that are missing, follows moves with what is kept for failover, and ends what is over. Every
 * process does so: commands decide what is still missing.
 */
export class ReservationKeeper {
  readonly #parts: KeeperParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null
  /** The revision that each reservation for failover was last tried on. */
  readonly #seen = new Map<string, number>()
  /** Trials for failover run one after the other: there is one copy of the state. */
  #trial: Promise<unknown> = Promise.resolve()
  #failoverLook: Promise<void> | null = null
  #failoverDueMs = 0

  constructor(parts: KeeperParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#failoverLook
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      await this.lookAtPlaces().catch(this.#warn)
      // A trial takes long in a large cloud; places begin and end at their time nevertheless.
      if (performance.now() >= this.#failoverDueMs) this.#failoverLook ??= this.#lookAtFailoverAndRest()
    }
  }

  readonly #warn = (error: Error): void =>
    this.#parts.log().warn('reservations could not be looked at', { error })

  async #lookAtFailoverAndRest(): Promise<void> {
    const began = performance.now()
    await this.lookAtFailover().catch(this.#warn)
    const tookMs = performance.now() - began
    this.#failoverDueMs = performance.now() + FAILOVER_PAUSE_FACTOR * tookMs
    this.#failoverLook = null
  }

  /** Ends what is over, and claims places of projects that are missing. */
  async lookAtPlaces(): Promise<void> {
    const { world, clock } = this.#parts
    if (this.#isIdle) return
    const now = clock.nowMs()
    if (world.reservations.rows.all().some(row => row.until_at !== null && row.until_at <= now))
      await this.#parts.submit({ kind: 'scheduling:expire-reservations' })
    await this.#keepAllOf('project')
  }

  async lookAtFailover(): Promise<void> {
    if (!this.#isIdle) await this.#keepAllOf('failover')
  }

  /** There is nothing to keep, or another Placement decides. */
  get #isIdle(): boolean {
    const { reservations, shadow } = this.#parts.world
    return reservations.size === 0 || shadow.row?.is_ended === 0
  }

  /** One that fails does not keep the others from it. */
  async #keepAllOf(wanted: string): Promise<void> {
    for (const { uuid, kind } of this.#parts.world.reservations.rows.all())
      if (kind === wanted && !this.#stopping.signal.aborted) await this.keep(uuid).catch(this.#warn)
  }

  /** Claims what is missing of one reservation that has begun. */
  async keep(uuid: string): Promise<void> {
    const row = this.#find(uuid)
    if (row === undefined || row.from_at > this.#parts.clock.nowMs()) return
    if (row.kind === 'failover') await this.#keepFailover(row)
    else await this.#keepPlaces(row)
  }

  #find(uuid: string): ReservationRow | undefined {
    return this.#parts.world.reservations.rows.find(uuid)
  }

  async #keepPlaces({ uuid: reservation }: ReservationRow): Promise<void> {
    const { submit } = this.#parts
    await submit({ kind: 'scheduling:leave-closed-hosts', reservation })
    let isStuck = false
    while (!isStuck && this.#countMissing(reservation) > 0) {
      isStuck = !(await this.#claimPlaces(reservation, 1))
      await nextTurn()
    }
    await submit({
      kind: 'scheduling:note-short',
      reservation,
      short: this.#countMissing(reservation),
    })
  }

  /** Claims all places at once, or none. The loop of any process may claim some of them meanwhile. */
  async keepAll(uuid: string): Promise<boolean> {
    for (;;) {
      const missing = this.#countMissing(uuid)
      if (missing === 0 || (await this.#claimPlaces(uuid, missing))) return true
      if (this.#countMissing(uuid) === missing) return false
    }
  }

  #countMissing(uuid: string): number {
    const row = this.#find(uuid)
    return row === undefined ? 0 : row.servers - row.used - this.#parts.world.reservations.countSlots(row.id)
  }

  async #claimPlaces(reservation: string, count: number): Promise<boolean> {
    const row = this.#find(reservation)
    if (row === undefined) return false
    const { spec, host } = JSON.parse(row.request)
    const instances = Array.from({ length: count }, () => this.#parts.newUuid())
    const result = await schedule(
      this.#parts,
      {
        readAsk: () => ({
          operation: 'create',
          spec,
          host,
          instances,
          reserves: reservation,
          generation: null,
          not_hosts: [],
          group: null,
          project: row.project_id ?? '',
          user: row.uuid,
        }),
        seed: undefined,
        alternates: 0,
        isDryRun: false,
        sourceHolder: null,
      },
      this.#makeWriter(),
    )
    return result.outcome.ok
  }

  #makeWriter(): DecisionWriter<ScheduleResult> {
    const { submit } = this.#parts
    return {
      claim: async (command, conclude, rows) => conclude(await submit(command, rows)),
      // Refusals of a reservation that waits for room would fill the decisions.
      note: async result => result,
    }
  }

  async #keepFailover(row: ReservationRow): Promise<void> {
    const { world, submit } = this.#parts
    for (let tries = 1; tries <= FAILOVER_TRIES_MAX; tries++) {
      if (this.#seen.get(row.uuid) === world.revision) return
      const trial = this.#trial.then(() => this.#tryFailover(row))
      this.#trial = trial.catch(() => undefined)
      const { revision, parts, short } = await trial
      const outcome = await submit({
        kind: 'scheduling:hold-failover',
        reservation: row.uuid,
        parts,
        short,
      })
      if (!outcome.ok) continue
      // What was committed since the copy was made was not tried; what this wrote itself changes nothing the next time.
      this.#seen.set(row.uuid, revision)
      return
    }
  }

  #tryFailover({ id, aggregate }: ReservationRow) {
    const { privateWorld, setup, newUuid, clock } = this.#parts
    return privateWorld.lend(async copy => {
      const { revision } = copy.world
      const way = { newUuid, seed: 0, nowMs: clock.nowMs(), pause: nextTurn }
      return { revision, ...(await planFailover(copy, id, aggregate ?? '', setup(), way)) }
    })
  }
}
