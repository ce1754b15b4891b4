import type { RecordedChange } from '../../../src/wire/changes.ts'
import { openChanges, openFleet } from '../api/berth.ts'
import { Failure } from '../api/http.ts'
import { eventsOf, linesOf } from '../api/lines.ts'
import { Fleet } from './fleet.ts'

type Phase = 'loading' | 'live' | 'lost' | 'refused'

/** The state at one moment; a new object when it changes. */
export interface Picture {
  readonly fleet: Fleet
  readonly phase: Phase
  /** Lines read so far, while it loads. */
  readonly received: number
  readonly failure: Failure | null
  /** When the connection was lost, in milliseconds of the clock. */
  readonly lostAt: number | null
}

/** The shortest interval between two updates of the view. */
const PICTURE_MS = 120
/** The server sends something every 15 seconds, at least a comment. */
const SILENCE_MS = 40_000
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000]

/** Notifies owners of other cached answers when these become stale. */
export interface Follower {
  changed(change: RecordedChange): void
  /** The fleet was read again; changes in between were not reported. */
  reloaded(): void
}

/** Loads the whole fleet and follows its changes while a user is signed in. */
export class LiveFleet {
  /** Changes apply to this at once; the view shows it a moment later. */
  #fleet = new Fleet()
  #picture: Picture
  readonly #listeners = new Set<() => void>()
  readonly #follower: Follower
  readonly #stop = new AbortController()
  #lastEvent = ''
  #hasLoaded = false
  #timer: ReturnType<typeof setTimeout> | null = null
  #next: Partial<Picture> = {}

  constructor(follower: Follower) {
    this.#follower = follower
    this.#picture = { fleet: this.#fleet, phase: 'loading', received: 0, failure: null, lostAt: null }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly picture = (): Picture => this.#picture

  stop(): void {
    this.#stop.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  async run(): Promise<void> {
    for (let attempt = 0; !this.#stop.signal.aborted; ) {
      const before = this.#lastEvent
      try {
        if (this.#lastEvent === '') await this.#load()
        await this.#follow()
      } catch (error) {
        if (this.#stop.signal.aborted) return
        const failure = error instanceof Failure ? error : new Failure(0, 'The connection was lost.')
        if (failure.status === 403 || failure.status === 401) return this.#show({ phase: 'refused', failure })
        // A history that is no longer kept, or another one: begin again.
        if (failure.status === 410 || failure.status === 400) this.#lastEvent = ''
        if (this.#lastEvent !== before) attempt = 0
        this.#show({ phase: 'lost', failure, lostAt: this.#picture.lostAt ?? Date.now() })
        await this.#wait(WAITS_MS[Math.min(attempt++, WAITS_MS.length - 1)] as number)
      }
    }
  }

  async #load(): Promise<void> {
    const answer = await openFleet(this.#stop.signal)
    const revision = answer.headers.get('berth-revision') ?? '0'
    const fleet = new Fleet()
    const turn = new Turn()
    for await (const lines of linesOf(answer.body as ReadableStream<Uint8Array>)) {
      for (const line of lines) {
        if (line !== '') fleet.add(JSON.parse(line))
        if (turn.isOver) await turn.next()
      }
      if (this.#picture.phase === 'loading') this.#show({ received: fleet.providers.size })
    }
    fleet.link(Number(revision))
    this.#lastEvent = revision
    this.#fleet = fleet
    if (this.#hasLoaded) this.#follower.reloaded()
    this.#hasLoaded = true
    this.#show({ fleet, received: fleet.providers.size })
  }

  async #follow(): Promise<void> {
    const connection = new AbortController()
    const end = () => connection.abort()
    this.#stop.signal.addEventListener('abort', end)
    let quiet = setTimeout(end, SILENCE_MS)
    try {
      const answer = await openChanges(this.#lastEvent, connection.signal)
      this.#show({ phase: 'live', failure: null, lostAt: null })
      const turn = new Turn()
      for await (const events of eventsOf(answer.body as ReadableStream<Uint8Array>)) {
        clearTimeout(quiet)
        quiet = setTimeout(end, SILENCE_MS)
        for (const { id, event, data } of events) {
          if (event === 'trimmed') throw new Failure(410, 'The server no longer has these changes.')
          const change = JSON.parse(data) as RecordedChange
          this.#fleet.apply(change)
          this.#follower.changed(change)
          this.#lastEvent = id ?? this.#lastEvent
          if (turn.isOver) await turn.next()
        }
        if (events.length > 0) this.#show({})
      }
    } finally {
      clearTimeout(quiet)
      this.#stop.signal.removeEventListener('abort', end)
    }
    throw new Failure(0, 'The server ended the connection.')
  }

  #wait(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      // Back on the page or online again: reconnect at once.
      addEventListener('online', () => resolve(), { once: true, signal: this.#stop.signal })
      this.#stop.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #show(news: Partial<Picture>): void {
    this.#next = { ...this.#next, ...news }
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#picture = { ...this.#picture, ...this.#next }
      this.#next = {}
      for (const listener of this.#listeners) listener()
    }, PICTURE_MS)
  }
}

/** How long to process a burst before the page may render and handle input. */
const TURN_MS = 4
const PAUSE_MS = 10

class Turn {
  #endMs = performance.now() + TURN_MS

  get isOver(): boolean {
    return performance.now() > this.#endMs
  }

  async next(): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    this.#endMs = performance.now() + TURN_MS
  }
}
