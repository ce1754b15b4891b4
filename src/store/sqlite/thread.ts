import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { errorOf } from './failure.ts'
import type { Call, CallName, Calls, Reply } from './messages.ts'

interface Pending {
  readonly resolve: (gives: never) => void
  readonly reject: (reason: unknown) => void
}

/** The other end of worker.ts: calls go over, replies come back. */
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
      this.#pending.set(id, { resolve: resolve as Pending['resolve'], reject })
      this.#worker.postMessage({ id, name, takes } satisfies Call<N>)
    })
  }

  /** Resolves when the thread is gone, and with it every handle on the file. */
  async end(): Promise<void> {
    await this.call('close', null)
    await this.#ended
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if ('failure' in reply) pending?.reject(errorOf(reply.failure))
    else pending?.resolve(reply.gives as never)
  }

  #die(reason: Error): void {
    this.#dead ??= reason
    for (const { reject } of this.#pending.values()) reject(this.#dead)
    this.#pending.clear()
  }
}
