import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import { PlainRowTaken, type Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { blockScope, encodeBlock, toBlocks } from './host-blocks.ts'
import { encodePoints } from './points.ts'
import { sampleAggregates, sampleHosts, sampleZones, type Turns } from './sample.ts'
import { MINUTE_MS, startOfStep } from './steps.ts'
import {
  FIRST_SCOPES,
  joinTexts,
  makePut,
  makeSamplePut,
  rollUpsOf,
  stepOf,
  type UsagePut,
  type UsageRow,
} from './usage.rows.ts'

/** The result of storing a sample. `present`: another process had stored it. */
export type SampleOutcome = 'recorded' | 'present' | 'failed'

interface RecorderParts {
  readonly world: World
  readonly store: Pick<Store, 'plainRow'>
  /** Stores the rows in one commit, or none. */
  readonly put: (rows: readonly UsagePut[]) => Promise<unknown>
  readonly clock: Clock
  readonly defaultZone: () => string
  /** Lets other requests run; one for each sample. */
  readonly newTurns: () => Turns
  /** Delay after the start of a minute. It differs between processes, so that nearly always the same one records. */
  readonly offsetMs: number
  readonly recorded: (outcome: SampleOutcome, error: Error | null) => void
}

type Kind = keyof typeof FIRST_SCOPES

interface Track {
  readonly kind: Kind
  /** The last step that this process recorded. */
  recordedMs: number
  /** The last sample and its revision: the sample is reused while nothing changes. */
  last: { readonly state: string; readonly points: ReadonlyMap<string, string> } | null
  /** The longer steps as this process stored them; valid while no other process records. */
  readonly longer: Map<string, UsageRow>
}

const newTrack = (kind: Kind): Track => ({ kind, recordedMs: 0, last: null, longer: new Map() })

/** After the start, before the first sample: a server that ends at once writes nothing. */
const FIRST_MS = 5_000

/**
 * Records usage every minute. Of several processes exactly one records each step: the row of a sample must be new. The
 * longer steps grow with every sample, so a restart loses nothing and no work waits for the end of a day.
 */
export class UsageRecorder {
  readonly #parts: RecorderParts
  readonly #tracks = [newTrack('zones'), newTrack('hosts')]
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Records what is due: zones every minute, hosts and aggregates every ten. */
  async recordDue(): Promise<void> {
    for (const track of this.#tracks) {
      if (this.#stopping.signal.aborted) return
      try {
        const outcome = await this.#record(track, this.#parts.clock.nowMs())
        if (outcome !== null) this.#parts.recorded(outcome, null)
      } catch (error) {
        track.longer.clear()
        if (error instanceof PlainRowTaken) this.#parts.recorded('present', null)
        else this.#parts.recorded('failed', error as Error)
      }
    }
  }

  async #run(): Promise<void> {
    const { clock, offsetMs } = this.#parts
    for (let waitMs = FIRST_MS; await this.#wait(waitMs); ) {
      await this.recordDue()
      const nowMs = clock.nowMs()
      waitMs = startOfStep(nowMs, MINUTE_MS) + MINUTE_MS + offsetMs - nowMs
    }
  }

  /** False if the recorder stops. */
  #wait(ms: number): Promise<boolean> {
    const { signal } = this.#stopping
    return sleep(ms, true, { signal, ref: false }).catch(() => false)
  }

  /** Null: this process has recorded the step already. */
  async #record(track: Track, nowMs: number): Promise<SampleOutcome | null> {
    const { store, put } = this.#parts
    const first = FIRST_SCOPES[track.kind]
    const stepMs = stepOf(first)
    const atMs = startOfStep(nowMs, stepMs)
    // Not later ones: a clock that was ahead may have been set back.
    if (atMs === track.recordedMs) return null
    if ((await store.plainRow('usage_minutes', [first, atMs], nowMs)) !== null) {
      track.longer.clear()
      track.recordedMs = atMs
      return 'present'
    }
    // Another process may have recorded the steps in between.
    if (track.recordedMs !== atMs - stepMs) track.longer.clear()
    const points = await this.#sample(track)
    const rows = [...points].map(([scope, text]) => makeSamplePut(scope, nowMs, text))
    const longer = await this.#extend(track, points, nowMs)
    await put([...rows, ...longer])
    // All scopes are among them, other than those that are gone.
    track.longer.clear()
    for (const { table, row } of longer) track.longer.set(`${table} ${row.scope}`, row)
    track.recordedMs = atMs
    return 'recorded'
  }

  /** The longer steps with the sample in them. */
  async #extend(track: Track, points: ReadonlyMap<string, string>, nowMs: number): Promise<UsagePut[]> {
    const { store, newTurns } = this.#parts
    const turns = newTurns()
    const puts: UsagePut[] = []
    for (const [scope, text] of points)
      for (const { table, stepMs } of rollUpsOf(scope)) {
        await turns.give()
        const atMs = startOfStep(nowMs, stepMs)
        const known = track.longer.get(`${table} ${scope}`)
        const before = known?.at_ms === atMs ? known : await store.plainRow(table, [scope, atMs], nowMs)
        const joined = joinTexts(scope, before?.points ?? null, text)
        puts.push(makePut(table, scope, atMs, joined, before?.is_made_up))
      }
    return puts
  }

  async #sample(track: Track): Promise<ReadonlyMap<string, string>> {
    const { world } = this.#parts
    const state = `${world.lives} ${world.revision}`
    if (track.last?.state === state) return track.last.points
    const points = await this.#takeSample(track.kind)
    track.last = { state, points }
    return points
  }

  async #takeSample(kind: Kind): Promise<ReadonlyMap<string, string>> {
    const { world, defaultZone, newTurns } = this.#parts
    const texts = new Map<string, string>()
    if (kind === 'zones') {
      for (const [scope, points] of await sampleZones(world, defaultZone(), newTurns()))
        texts.set(scope, encodePoints(points))
      return texts
    }
    for (const [block, hosts] of toBlocks(await sampleHosts(world, newTurns())).entries())
      texts.set(blockScope(block), encodeBlock(hosts))
    for (const [scope, points] of await sampleAggregates(world, newTurns()))
      texts.set(scope, encodePoints(points))
    return texts
  }
}
