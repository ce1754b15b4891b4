/** Follows the changes of one server and records them, as a client that must not miss any. */
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Revision } from './witness.ts'

const AGAIN_MS = 50

/** One uninterrupted stream: each revision follows from the one before. */
interface Life {
  readonly revisions: Revision[]
  /** The server ended it. */
  isOver: boolean
}

export class ChangesFollower {
  readonly server: string
  readonly #url: string
  readonly #lives: Life[] = []
  /** The id of the last event; null to start from now. */
  #position: string | null
  #life: Life
  readonly #tell: (revision: Revision) => void
  #isStopped = false
  #open: { destroy(): void } | null = null
  #following: Promise<void>

  /** From a revision on; null: from now on. */
  constructor(
    server: string,
    url: string,
    since: number | null,
    tell: (revision: Revision) => void = () => undefined,
  ) {
    this.server = server
    this.#url = url
    this.#tell = tell
    this.#position = since === null ? null : String(since)
    this.#life = this.#newLife()
    this.#following = this.#follow()
  }

  /** How often the server said that its history is no longer valid. */
  get breaks(): number {
    return this.#lives.filter(life => life.isOver).length
  }

  get lastRevision(): number {
    return this.#life.revisions.at(-1)?.revision ?? 0
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#open?.destroy()
    await this.#following
  }

  /** Streams that match no history, have gaps, or do not end at the end of the last history. */
  problems(histories: readonly (readonly Revision[])[]): string[] {
    const problems: string[] = []
    for (const { revisions } of this.#lives) {
      if (revisions.length === 0 || histories.some(history => isPartOf(revisions, history))) continue
      const [first, last] = [revisions[0]?.revision, revisions.at(-1)?.revision]
      problems.push(
        `a follower at ${this.server} got revisions ${first} to ${last}, and no history has exactly these`,
      )
    }
    const end = histories.at(-1)?.at(-1)?.revision ?? 0
    const isTold = this.#life.revisions.length > 0 || this.#lives.length === 1
    if (isTold && this.lastRevision !== end)
      problems.push(`a follower at ${this.server} got revision ${this.lastRevision} last; the last is ${end}`)
    return problems
  }

  #newLife(): Life {
    const life = { revisions: [], isOver: false }
    this.#lives.push(life)
    return life
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#connection()
      } catch {
        // The server is down at the moment.
      }
      if (!this.#isStopped) await sleep(AGAIN_MS)
    }
  }

  #connection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string> = { 'x-auth-token': 'admin' }
      if (this.#position !== null) headers['last-event-id'] = this.#position
      const asked = request(`${this.#url}/v1/changes`, { headers, agent: false }, response => {
        // 410: the history of the stream is gone. 400: so is the position of a stream without events.
        if (response.statusCode === 410 || response.statusCode === 400) this.#beginAnew()
        if (response.statusCode === 200) this.#take(response)
        else response.resume()
        response.on('close', resolve)
        response.on('error', () => resolve())
      })
      asked.on('error', reject)
      asked.end()
      this.#open = asked
    })
  }

  #take(response: IncomingMessage): void {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
      const events = text.split('\n\n')
      text = events.pop() as string
      for (const event of events) this.#takeEvent(event)
    })
  }

  #takeEvent(event: string): void {
    const fields = new Map(event.split('\n').map(line => line.split(/: ?(.*)/s) as [string, string]))
    if (fields.get('event') === 'trimmed') {
      this.#beginAnew()
      return
    }
    const id = fields.get('id')
    if (id !== undefined) this.#position = id
    if (fields.get('event') !== 'change') return
    const { revision, ops } = JSON.parse(fields.get('data') ?? '')
    this.#life.revisions.push({ revision, ops })
    this.#tell({ revision, ops })
  }

  #beginAnew(): void {
    this.#life.isOver = true
    this.#life = this.#newLife()
    this.#position = null
  }
}

function isPartOf(stream: readonly Revision[], history: readonly Revision[]): boolean {
  const from = (stream[0]?.revision ?? 0) - (history[0]?.revision ?? 0)
  return from >= 0 && stream.every((one, at) => isDeepStrictEqual(one, history[from + at]))
}
