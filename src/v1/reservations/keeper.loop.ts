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

/** Between two looks; a look that took long is followed by ten times as long a pause. */
const PAUSE_MS = 10_000
const PAUSE_FACTOR = 10

/**
 * Keeps what reservations promise: claims places that are missing, follows moves with what is kept for failover, and ends what is over. Every
 * process does so: commands decide what is still missing.
 */
export class ReservationKeeper {
  readonly #parts: KeeperParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null
  /** The revision at which each reservation for failover was looked at. */
  readonly #seen = new Map<string, number>()

  constructor(parts: KeeperParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (let pauseMs = PAUSE_MS; !signal.aborted; ) {
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      const began = performance.now()
      await this.look().catch(error =>
        this.#parts.log().warn('reservations could not be looked at', { error }),
      )
      pauseMs = Math.max(PAUSE_MS, PAUSE_FACTOR * (performance.now() - began))
    }
  }

  /** One look at all reservations. */
  async look(): Promise<void> {
    const { world, clock } = this.#parts
    if (world.reservations.size === 0 || world.shadow.row?.is_ended === 0) return
    const now = clock.nowMs()
    if (world.reservations.rows.all().some(row => row.until_at !== null && row.until_at <= now))
      await this.#parts.submit({ kind: 'scheduling:expire-reservations' })
    for (const { uuid } of world.reservations.rows.all()) await this.keep(uuid)
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

  /** Claims all places at once, or none. */
  async keepAll(uuid: string): Promise<boolean> {
    const missing = this.#countMissing(uuid)
    return missing === 0 || this.#claimPlaces(uuid, missing)
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
    const { world, privateWorld, setup, newUuid, clock, submit } = this.#parts
    if (this.#seen.get(row.uuid) === world.revision || row.aggregate === null) return
    const { aggregate } = row
    const { parts, short } = await privateWorld.lend(copy =>
      planFailover(copy, row.id, aggregate, setup(), {
        newUuid,
        seed: 0,
        nowMs: clock.nowMs(),
        pause: nextTurn,
      }),
    )
    await submit({ kind: 'scheduling:hold-failover', reservation: row.uuid, parts, short })
    this.#seen.set(row.uuid, world.revision)
  }
}
