import { setTimeout } from 'node:timers/promises'
import { cpuSeconds, familyOf, quantile } from '../sim/figures/machine.ts'
import { Connection } from './connection.ts'

/** A server to measure: its address, and the processes whose CPU time counts. */
export interface Target {
  readonly name: string
  readonly url: string
  /** The first processes of the server and of its database; their children count too. */
  pids(): readonly number[]
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly body: string | null
}

export interface Figures {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of server and database for each request. */
  readonly cpuMs: number
  readonly bytes: number
}

const cpuMsOf = (target: Target): number =>
  1_000 * new Set(target.pids().flatMap(familyOf)).values().reduce((sum, pid) => sum + cpuSeconds(pid), 0)

/** A number of clients, each with one request after the other, for a while. */
export async function measure(
  target: Target,
  next: () => Request,
  { clients, forMs, requestsMin = 1 }: { clients: number; forMs: number; requestsMin?: number },
): Promise<Figures> {
  const times: number[] = []
  let bytes = 0
  const cpuBefore = cpuMsOf(target)
  const beganMs = performance.now()
  const one = async (): Promise<void> => {
    const connection = new Connection(target.url)
    while (performance.now() < beganMs + forMs || times.length < requestsMin) {
      const { method, path, body } = next()
      const sentMs = performance.now()
      const answer = await connection.send(method, path, body)
      if (answer.status >= 300)
        throw new Error(`${target.name}: ${method} ${path} was answered with ${answer.status}`)
      times.push(performance.now() - sentMs)
      bytes += answer.bodyBytes
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: clients }, one))
  const seconds = (performance.now() - beganMs) / 1_000
  const cpuMs = cpuMsOf(target) - cpuBefore
  return figuresOf(times, { seconds, cpuMs, bytes })
}

/** Requests at a fixed rate, whether or not earlier ones were answered; times count from when each was due. */
export async function measurePaced(
  target: Target,
  next: () => Request,
  { clients, forMs, perSecond }: { clients: number; forMs: number; perSecond: number },
): Promise<Figures> {
  const times: number[] = []
  let bytes = 0
  let sent = 0
  const cpuBefore = cpuMsOf(target)
  const beganMs = performance.now()
  const one = async (): Promise<void> => {
    const connection = new Connection(target.url)
    for (;;) {
      const dueMs = beganMs + (1_000 * sent++) / perSecond
      if (dueMs > beganMs + forMs) break
      await setTimeout(dueMs - performance.now())
      const { method, path, body } = next()
      const answer = await connection.send(method, path, body)
      if (answer.status >= 300)
        throw new Error(`${target.name}: ${method} ${path} was answered with ${answer.status}`)
      times.push(performance.now() - dueMs)
      bytes += answer.bodyBytes
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: clients }, one))
  const seconds = (performance.now() - beganMs) / 1_000
  return figuresOf(times, { seconds, cpuMs: cpuMsOf(target) - cpuBefore, bytes })
}

function figuresOf(
  times: readonly number[],
  { seconds, cpuMs, bytes }: { seconds: number; cpuMs: number; bytes: number },
): Figures {
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuMs: cpuMs / times.length,
    bytes: bytes / times.length,
  }
}

/** Clients of two kinds at the same time, of one server or two; CPU time is that of all, for each request. */
export async function measureBoth(
  [one, other]: readonly [Target, Target],
  [nextOfOne, nextOfOther]: readonly [() => Request, () => Request],
  options: { clients: number; forMs: number },
): Promise<readonly [Figures, Figures]> {
  const cpu = (): number => cpuMsOf(one) + (one === other ? 0 : cpuMsOf(other))
  const cpuBefore = cpu()
  const [first, second] = await Promise.all([
    measure(one, nextOfOne, options),
    measure(other, nextOfOther, options),
  ])
  const cpuMs = (cpu() - cpuBefore) / (first.requests + second.requests)
  return [
    { ...first, cpuMs },
    { ...second, cpuMs },
  ]
}

/** Joins several runs of the same: rates and times, weighted by the number of requests. */
export function together(runs: readonly Figures[]): Figures {
  const requests = runs.reduce((sum, run) => sum + run.requests, 0)
  const mean = (of: (run: Figures) => number): number =>
    runs.reduce((sum, run) => sum + of(run) * run.requests, 0) / requests
  return {
    requests,
    perSecond: requests / runs.reduce((sum, run) => sum + run.requests / run.perSecond, 0),
    p50Ms: mean(run => run.p50Ms),
    p99Ms: Math.max(...runs.map(run => run.p99Ms)),
    cpuMs: mean(run => run.cpuMs),
    bytes: mean(run => run.bytes),
  }
}

/** The number of candidates, or providers, in an answer. */
export async function itemsOf(target: Target, path: string): Promise<number> {
  const connection = new Connection(target.url)
  const { status, body } = await connection.send('GET', path, null, true)
  connection.close()
  if (status !== 200) throw new Error(`${target.name}: ${path} was answered with ${status}: ${body}`)
  const answer = JSON.parse(body) as { allocation_requests: unknown[] }
  return answer.allocation_requests.length
}
