import { setTimeout as sleep } from 'node:timers/promises'
import { ChangesFollower } from '../history/follower.ts'
import { type Cloud, hostUuid } from './cloud.ts'
import { quantile } from './machine.ts'
import { RawConnection } from './raw-http.ts'

const WARM_UP_MS = 2_000

export interface Rate {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU milliseconds for each request: of all servers, and of the database. */
  readonly serverCpuMs: number
  readonly databaseCpuMs: number
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: string
}

/** Sends requests over this many connections, spread over all servers, one at a time on each. */
async function rateOf(cloud: Cloud, connections: number, forMs: number, next: () => Request): Promise<Rate> {
  const times: number[] = []
  let isCounted = false
  let isOver = false
  const clients = Array.from({ length: connections }, async (_, at) => {
    const connection = new RawConnection(cloud.ports[at % cloud.ports.length] as number)
    while (!isOver) {
      const { method, path, body } = next()
      const beganMs = performance.now()
      const { status } = await connection.send(method, path, body)
      if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}`)
      if (isCounted) times.push(performance.now() - beganMs)
    }
    connection.close()
  })
  await sleep(WARM_UP_MS)
  isCounted = true
  const before = cloud.cpu()
  const beganMs = performance.now()
  await sleep(forMs)
  const seconds = (performance.now() - beganMs) / 1_000
  const after = cloud.cpu()
  const count = times.length
  isOver = true
  await Promise.all(clients)
  return {
    perSecond: count / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    serverCpuMs: ((after.servers - before.servers) * 1_000) / count,
    databaseCpuMs: ((after.database - before.database) * 1_000) / count,
  }
}

export const claims = (cloud: Cloud, connections: number, forMs: number): Promise<Rate> =>
  rateOf(cloud, connections, forMs, () => ({ method: 'PUT', ...cloud.newClaim() }))

export function reads(cloud: Cloud, connections: number, forMs: number): Promise<Rate> {
  let number = 0
  const path = () => `/resource_providers/${hostUuid(number++)}/usages`
  return rateOf(cloud, connections, forMs, () => ({ method: 'GET', path: path() }))
}

export interface Delay {
  readonly p50Ms: number
  readonly p99Ms: number
}

const delayOf = (times: readonly number[]): Delay => ({
  p50Ms: quantile(times, 0.5),
  p99Ms: quantile(times, 0.99),
})

/** From the answer to a claim at one server until a follower of another server's changes gets it. */
export async function delayOfChanges(cloud: Cloud, count: number): Promise<Delay> {
  const seen = new Map<string, number>()
  const follower = new ChangesFollower('b', `http://127.0.0.1:${cloud.ports[1]}`, null, revision => {
    for (const { table, after } of revision.ops)
      if (table === 'consumers') seen.set(String(after?.uuid), performance.now())
  })
  await sleep(500)
  const answered = await claimsOneByOne(cloud, count, async () => sleep(2))
  await sleep(500)
  await follower.stop()
  return delayOf(answered.map(({ consumer, atMs }) => (seen.get(consumer) as number) - atMs))
}

/** From the answer until repeated reads at another server show it. */
export async function delayOfReads(cloud: Cloud, count: number): Promise<Delay> {
  const reader = new RawConnection(cloud.ports[1] as number)
  const times: number[] = []
  await claimsOneByOne(cloud, count, async (consumer, atMs) => {
    while (!(await reader.send('GET', `/allocations/${consumer}`)).body.includes('VCPU'));
    times.push(performance.now() - atMs)
  })
  reader.close()
  return delayOf(times)
}

async function claimsOneByOne(
  cloud: Cloud,
  count: number,
  then: (consumer: string, atMs: number) => Promise<unknown>,
): Promise<{ readonly consumer: string; readonly atMs: number }[]> {
  const writer = new RawConnection(cloud.ports[0] as number)
  const answered: { consumer: string; atMs: number }[] = []
  for (let at = 0; at < count; at++) {
    const { consumer, path, body } = cloud.newClaim()
    await writer.send('PUT', path, body)
    const atMs = performance.now()
    answered.push({ consumer, atMs })
    await then(consumer, atMs)
  }
  writer.close()
  return answered
}
