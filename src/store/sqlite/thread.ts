import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { StoreSilent } from '../store.ts'
import { fromFailure } from './failure.ts'
import type { Call, CallName, Calls, Reply } from './messages.ts'

interface Pending {
  readonly name: CallName
  readonly sinceMs: number
  readonly resolve: (gives: never) => void
  readonly reject: (reason: unknown) => void
}

/** Their duration depends on the amount of data. */
const LONG: ReadonlySet<CallName> = new Set([
  'open',
  'backup',
  'fill-begin',
  'fill-rows',
  'fill-end',
  'close',
])
const READS: ReadonlySet<CallName> = new Set(['head', 'check', 'changes-after', 'plain-row', 'plain-rows'])

/** The other end of worker.ts: sends calls, receives replies. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #ended: Promise<unknown>
  #lastId = 0
  #dead: Error | null = null

  constructor() {
    const source = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'
    // Not the process's own flags: some of them (--input-type, --test) make no sense for a worker.
    this.#worker = new Worker(new URL(source, import.meta.url), { name: 'sqlite', execArgv: [] })
    this.#worker.on('message', (reply: Reply) => this.#settle(reply))
    this.#worker.on('error', error => this.#die(error))
    this.#worker.on('exit', () => this.#die(new Error('the thread of the SQLite store has ended')))
    this.#ended = once(this.#worker, 'exit').catch(() => undefined)
  }

  call<N extends CallName>(name: N, takes: Calls[N]['takes']): Promise<Calls[N]['gives']> {
    if (this.#dead !== null) return Promise.reject(this.#dead)
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#pending.set(id, {
        name,
        sinceMs: performance.now(),
        resolve: resolve as Pending['resolve'],
        reject,
      })
      this.#worker.postMessage({ id, name, takes } satisfies Call<N>)
    })
  }

  /** How long the oldest call that should be short has waited. */
  owedMs(): number {
    for (const { name, sinceMs } of this.#pending.values())
      if (!LONG.has(name)) return performance.now() - sinceMs
    return 0
  }

  /** Rejects reads that have waited longer. The outcome of a write must be known, however late. */
  giveUpReads(msMax: number): void {
    const nowMs = performance.now()
    for (const [id, { name, sinceMs, reject }] of this.#pending) {
      if (!READS.has(name) || nowMs - sinceMs <= msMax) continue
      this.#pending.delete(id)
      reject(new StoreSilent(nowMs - sinceMs))
    }
  }

  /** Resolves when the thread has ended, and with it every handle on the file. */
  async end(): Promise<void> {
    await this.call('close', null)
    await this.#ended
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if ('failure' in reply) pending?.reject(fromFailure(reply.failure))
    else pending?.resolve(reply.gives as never)
  }

  #die(reason: Error): void {
    this.#dead ??= reason
    for (const { reject } of this.#pending.values()) reject(this.#dead)
    this.#pending.clear()
  }
}
