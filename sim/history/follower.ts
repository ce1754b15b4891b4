/** Follows the changes of one server, as a client would who wants to miss nothing, and notes what it is told. */
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Revision } from './witness.ts'

const AGAIN_MS = 50

/** What was told in one go: each revision follows from the one before. */
interface Life {
  readonly revisions: Revision[]
  /** It was said that this does not go on. */
  isOver: boolean
}

export class ChangesFollower {
  readonly server: string
  readonly #url: string
  readonly #lives: Life[] = []
  /** The id of the last event; null to begin anew, from now on. */
  #position: string | null
  #told: Life
  readonly #tell: (revision: Revision) => void
  #isStopped = false
  #open: { destroy(): void } | null = null
  #following: Promise<void>

  /** From a revision on; from now on where that is null. */
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
    this.#told = this.#newLife()
    this.#following = this.#follow()
  }

  /** How often it was told that what it knows is no longer true. */
  get breaks(): number {
    return this.#lives.filter(life => life.isOver).length
  }

  get lastRevision(): number {
    return this.#told.revisions.at(-1)?.revision ?? 0
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#open?.destroy()
    await this.#following
  }

  /** What was told and is not what is in one of the histories, or has gaps, or does not end at the end of the last. */
  problems(histories: readonly (readonly Revision[])[]): string[] {
    const problems: string[] = []
    for (const { revisions } of this.#lives) {
      if (revisions.length === 0 || histories.some(history => isPartOf(revisions, history))) continue
      const [first, last] = [revisions[0]?.revision, revisions.at(-1)?.revision]
      problems.push(
        `a follower at ${this.server} was told of ${first} to ${last}, and no history has just that`,
      )
    }
    const end = histories.at(-1)?.at(-1)?.revision ?? 0
    const isTold = this.#told.revisions.length > 0 || this.#lives.length === 1
    if (isTold && this.lastRevision !== end)
      problems.push(`a follower at ${this.server} was told of ${this.lastRevision} last; the last is ${end}`)
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
        // It is not there just now.
      }
      if (!this.#isStopped) await sleep(AGAIN_MS)
    }
  }

  #connection(): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string> = { 'x-auth-token': 'admin' }
      if (this.#position !== null) headers['last-event-id'] = this.#position
      const asked = request(`${this.#url}/v1/changes`, { headers, agent: false }, response => {
        // 410: what was told is not known any more. 400: nor is the position from which nothing was told yet.
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
    this.#told.revisions.push({ revision, ops })
    this.#tell({ revision, ops })
  }

  #beginAnew(): void {
    this.#told.isOver = true
    this.#told = this.#newLife()
    this.#position = null
  }
}

function isPartOf(told: readonly Revision[], history: readonly Revision[]): boolean {
  const from = (told[0]?.revision ?? 0) - (history[0]?.revision ?? 0)
  return from >= 0 && told.every((one, at) => isDeepStrictEqual(one, history[from + at]))
}
