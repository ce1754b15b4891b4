import { setTimeout as pause } from 'node:timers/promises'
import { Garbled, Refused, Unreachable } from '../../../client/failure.ts'
import { ndjsonOf } from '../../../client/lines.ts'
import { CloudFailure } from '../../../openstack/cloud/cloud-failure.ts'
import { applyKind, type KindReport, noteApplied } from '../../../openstack/pull/apply-pull.ts'
import { type BerthState, readBerthState } from '../../../openstack/pull/berth-state.ts'
import { CloudReader } from '../../../openstack/pull/cloud-reader.ts'
import { planPull } from '../../../openstack/pull/plan-pull.ts'
import type { Session } from '../../connection/session.ts'
import { durationText } from '../../render/progress.ts'
import { openCloud } from './cloud-option.ts'

export const INTERVAL_S = 30
/** How often everything is read again, to catch what no list shows cheaply and any missed change. */
const FULL_MS = 3_600_000
/** A slow cloud is asked less often: the interval grows at most by this factor. */
const SLOWER_MAX = 20

interface FollowOptions {
  readonly cloud?: string
  readonly adopt?: true
  readonly interval?: number
}

/** Follows the cloud until the reader closes the output or a signal arrives. Repeats failed rounds later. */
export async function followCloud(session: Session, options: FollowOptions): Promise<void> {
  const { around } = session
  const stop = new AbortController()
  around.onSignal(() => stop.abort())
  const signal = AbortSignal.any([stop.signal, around.stdout.closed])
  const cloud = await openCloud(around, options.cloud, signal)
  const follower = new Follower(session, new CloudReader(cloud), cloud.settings.name, options.adopt === true)
  const intervalMs = (options.interval ?? INTERVAL_S) * 1_000
  let slower = 1
  while (!signal.aborted) {
    const startMs = around.nowMs()
    const failure = await follower.round(startMs).catch(error => describeFailure(error, signal))
    if (signal.aborted) break
    // Spends at most half of the time with requests, so that a slow cloud is not overloaded.
    const tookMs = around.nowMs() - startMs
    const isSlow = failure !== null || tookMs > (intervalMs * slower) / 2
    slower = isSlow ? Math.min(slower * 2, SLOWER_MAX) : Math.max(1, slower / 2)
    if (failure !== null) session.note(`${failure}; trying again in ${durationText(intervalMs * slower)}`)
    await pause(intervalMs * slower, undefined, { signal }).catch(() => undefined)
  }
}

/** Null at the end. Throws unexpected errors. */
function describeFailure(error: unknown, signal: AbortSignal): string | null {
  if (signal.aborted) return null
  if (error instanceof CloudFailure || error instanceof Unreachable || error instanceof Garbled)
    return error.message
  if (error instanceof Refused && error.status >= 500) return error.message
  throw error
}

class Follower {
  readonly #session: Session
  readonly #reader: CloudReader
  readonly #cloud: string
  readonly #adopt: boolean
  #here: BerthState | null = null
  #fullAtMs = Number.NEGATIVE_INFINITY
  #notes = ''

  constructor(session: Session, reader: CloudReader, cloud: string, adopt: boolean) {
    this.#session = session
    this.#reader = reader
    this.#cloud = cloud
    this.#adopt = adopt
  }

  /** Null if the round succeeded. */
  async round(nowMs: number): Promise<null> {
    const isFull = this.#here === null || nowMs - this.#fullAtMs > FULL_MS
    const here = isFull ? await this.#readHere() : (this.#here as BerthState)
    // Forgets the state until the round is complete, so that a failure starts again from nothing.
    this.#here = null
    const { wanted, notes } = await this.#reader.read(here, isFull)
    const mark = `cloud:${this.#cloud}`
    const reports: KindReport[] = []
    for (const plan of planPull(wanted, here.rows, mark)) {
      const report = await applyKind(plan, body => this.#session.berth.pull(this.#cloud, body), this.#adopt)
      noteApplied(here.rows, plan, report, mark)
      reports.push(report)
    }
    this.#here = here
    if (isFull) this.#fullAtMs = nowMs
    this.#tell(reports, notes)
    return null
  }

  async #readHere(): Promise<BerthState> {
    const { bytes } = await this.#session.berth.export()
    return readBerthState(ndjsonOf(bytes))
  }

  #tell(reports: readonly KindReport[], notes: readonly string[]): void {
    const said = notes.join('\n')
    if (said !== this.#notes) for (const note of notes) this.#session.remark(note)
    this.#notes = said
    const changed = reports.filter(({ created, updated, removed }) => created + updated + removed > 0)
    if (changed.length === 0) return
    const { stdout } = this.#session.around
    const kinds = changed.map(({ kind, created, updated, removed, left }) => ({
      kind,
      created,
      updated,
      removed,
      left,
    }))
    if (this.#session.asJson) stdout.write(`${JSON.stringify({ cloud: this.#cloud, kinds, notes })}\n`)
    else
      stdout.write(
        `${kinds.map(one => `${one.kind}: ${one.created} created, ${one.updated} changed, ${one.removed} removed`).join('; ')}\n`,
      )
  }
}
