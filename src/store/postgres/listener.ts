import { CHANNEL } from './head-sql.ts'
import type { Session } from './session.ts'

const PAUSE_MS_MIN = 100
const PAUSE_MS_MAX = 5_000
/** A silent connection may be dead. */
const HEARTBEAT_MS = 10_000

/**
 * A session that is notified of commits. A lost one is replaced, and then notifies, as something may have been missed.
 */
export class Listener {
  readonly #connect: () => Promise<Session>
  readonly #answerMsMax: number
  readonly #wake: () => void
  #session: Session | null = null
  #timer: NodeJS.Timeout | null = null
  #pauseMs = PAUSE_MS_MIN
  #closed = false

  constructor(connect: () => Promise<Session>, answerMsMax: number, wake: () => void) {
    this.#connect = connect
    this.#answerMsMax = answerMsMax
    this.#wake = wake
    void this.#start()
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#session?.close()
  }

  async #start(): Promise<void> {
    try {
      const session = await this.#connect()
      this.#session = session
      if (this.#closed) return void session.close()
      session.onNotification(this.#wake)
      const [answer] = await session.ask([{ text: `LISTEN ${CHANNEL}` }], this.#answerMsMax)
      if (answer?.ok !== true) throw answer?.error
      session.onLost(() => this.#reconnect())
      if (session.isLost) return
      this.#pauseMs = PAUSE_MS_MIN
      this.#wake()
      this.#heartbeat(session)
    } catch {
      void this.#session?.close()
      this.#reconnect()
    }
  }

  #reconnect(): void {
    if (this.#closed) return
    this.#session = null
    const pauseMs = this.#pauseMs
    this.#pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)
    this.#schedule(pauseMs, () => void this.#start())
  }

  #heartbeat(session: Session): void {
    this.#schedule(HEARTBEAT_MS, async () => {
      // No answer in time ends the session, and a new one starts.
      await session.ask([{ text: 'SELECT 1' }], this.#answerMsMax)
      if (!session.isLost && !this.#closed) this.#heartbeat(session)
    })
  }

  #schedule(ms: number, work: () => void): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(work, ms)
  }
}
