/** Requests at a fixed rate, whether or not earlier ones were answered: what many independent clients do. */
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../sim/figures/machine.ts'
import { Connection } from './connection.ts'
import type { Request } from './measure.ts'

export interface Stream {
  readonly name: string
  readonly token: string
  readonly perSecond: number
  readonly next: () => Request
}

export interface StreamFigures {
  readonly name: string
  readonly sent: number
  readonly answered: number
  readonly refused: number
  /** Of the refused, those with Retry-After. */
  readonly retryAfter: number
  /** Of those answered. */
  readonly p50Ms: number
  readonly p99Ms: number
}

/** More clients than wait at most. */
const CONNECTIONS_PER_CALLER = 6_000
const STEP_MS = 2

class Counted {
  sent = 0
  refused = 0
  retryAfter = 0
  due = 0
  readonly times: number[] = []
}

/** Opened before, as clients do: a new connection costs a server as much as a request. */
async function openConnections(url: string, token: string, count: number): Promise<Connection[]> {
  const all: Connection[] = []
  while (all.length < count) {
    const some = Array.from({ length: Math.min(100, count - all.length) }, () => new Connection(url, token))
    await Promise.all(some.map(one => one.send('GET', '/')))
    all.push(...some)
  }
  return all
}

/** Throws if there are not enough connections to send all in time. */
export async function sendAll(
  url: string,
  streams: readonly Stream[],
  forMs: number,
): Promise<StreamFigures[]> {
  const counted = streams.map(() => new Counted())
  const idle = new Map<string, Connection[]>()
  for (const { token } of streams)
    if (!idle.has(token)) idle.set(token, await openConnections(url, token, CONNECTIONS_PER_CALLER))
  const sendOne = async (stream: Stream, count: Counted): Promise<void> => {
    const pool = idle.get(stream.token) as Connection[]
    const connection = pool.pop()
    if (connection === undefined)
      throw new Error(`more than ${CONNECTIONS_PER_CALLER} requests are unanswered`)
    count.sent++
    const { method, path, body } = stream.next()
    const sentMs = performance.now()
    const answer = await connection.send(method, path, body)
    pool.push(connection)
    if (answer.status === 503) {
      count.refused++
      if (answer.retryAfter !== null) count.retryAfter++
    } else if (answer.status < 300) count.times.push(performance.now() - sentMs)
    else throw new Error(`${method} ${path} was answered with ${answer.status}`)
  }
  const sendings = new Set<Promise<void>>()
  let failure: unknown = null
  const beganMs = performance.now()
  while (performance.now() < beganMs + forMs && failure === null) {
    const seconds = (performance.now() - beganMs) / 1_000
    for (const [at, stream] of streams.entries()) {
      const count = counted[at] as Counted
      for (; count.due < seconds * stream.perSecond; count.due++) {
        const sending = sendOne(stream, count).catch(error => {
          failure = error
        })
        sendings.add(sending)
        void sending.finally(() => sendings.delete(sending))
      }
    }
    await sleep(STEP_MS)
  }
  await Promise.all(sendings)
  for (const pool of idle.values()) for (const connection of pool) connection.close()
  if (failure !== null) throw failure
  return streams.map(({ name }, at) => figuresOf(name, counted[at] as Counted))
}

const figuresOf = (name: string, { sent, refused, retryAfter, times }: Counted): StreamFigures => ({
  name,
  sent,
  refused,
  retryAfter,
  answered: times.length,
  p50Ms: times.length === 0 ? 0 : quantile(times, 0.5),
  p99Ms: times.length === 0 ? 0 : quantile(times, 0.99),
})
