/**
 * Sends every route of every service the largest and nastiest requests that it takes, and tells how much of the server's
 * code one of them executes before others get a turn.
 *
 *     node test/route-walk.ts [--short | --pairs] [PART OF A ROUTE...]
 *
 * Prints a line for each request above the limit and a last line with totals. Time only chooses which requests are worth
 * counting; the count decides. --short sends a few to each route; --pairs also fills two places of a body at once, which
 * takes an hour.
 */

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Schema } from '../src/http/formats/json-schema.ts'
import type { NastyBody } from './nasty-bodies.ts'
import { largestSlice, wholeCount } from './work-count.ts'

// After the counter has begun.
const { Berth } = await import('./running-berth.ts')
const { fewNastyJson, fullBody, longLists, nastyBodies, nastyJson } = await import('./nasty-bodies.ts')
const { fewNastyQueries, nastyQueries } = await import('./nasty-queries.ts')
const { walkedRoutes } = await import('./walked-routes.ts')

/** Of blocks executed and the like: about 50 ms on a machine of 2020. */
const SLICE_MAX = 4_000_000

/** Admins and services may send megabytes for a whole cloud, or ask for an answer of as many: then in proportion. */
const UNITS_PER_BYTE_SENT_MAX = 8
const UNITS_PER_BYTE_ANSWERED_MAX = 1

/** Less than this and it cannot be many: counting slows all that is counted down. */
const CPU_MS_MIN = 10

interface Ask {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly headers: Readonly<Record<string, string>>
}

interface Answer {
  readonly status: number
  readonly bytes: number
  readonly error?: string
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false }, pairs: { type: 'boolean', default: false } },
})

/** One megabyte shows what ten would, for a walk that has to be short. */
const max_body_bytes = (values.short ? 1 : 10) * 1024 * 1024

const berth = await Berth.start(
  { demo: true, catalog_builtin: true, auth: 'token', rbac: 'secure', max_body_bytes },
  false,
)
const token = (await readFile(join(berth.directory, 'admin-token'), 'utf8')).trim()
const worker = new Worker(new URL('route-walk-client.ts', import.meta.url), {
  workerData: { url: berth.server.url },
})

async function send(ask: Ask): Promise<Answer> {
  worker.postMessage(ask)
  const [answer] = (await once(worker, 'message')) as [Answer]
  return answer
}

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const totals = { routes: 0, requests: 0, counted: 0, above: 0, failed: 0, largest: 0 }

async function attack(name: string, ask: Ask): Promise<void> {
  totals.requests++
  const before = cpuMs()
  const { status, error } = await send(ask)
  if (status >= 500 && status !== 501 && status !== 503) {
    totals.failed++
    console.log(`${ask.method} ${ask.path.slice(0, 80)} | ${name} | answers ${status} ${error ?? ''}`)
  }
  if (cpuMs() - before < CPU_MS_MIN) return
  totals.counted++
  let bytes = 0
  const again = async () => {
    bytes = (await send(ask)).bytes
  }
  const whole = await wholeCount(again)
  // To look after every turn takes longer than most requests.
  const slice = whole <= SLICE_MAX ? whole : await largestSlice(again)
  totals.largest = Math.max(totals.largest, slice)
  const sentMax = UNITS_PER_BYTE_SENT_MAX * (ask.body?.length ?? 0)
  if (slice <= Math.max(SLICE_MAX, sentMax, UNITS_PER_BYTE_ANSWERED_MAX * bytes)) return
  totals.above++
  console.log(`${ask.method} ${ask.path.slice(0, 80)} | ${name} | ${slice} in one slice`)
}

for (const route of await walkedRoutes(berth, token, max_body_bytes)) {
  const name = `${route.method} ${route.mount}${route.path}`
  if (positionals.length > 0 && !positionals.some(part => name.includes(part))) continue
  totals.routes++
  const { method, headers } = route
  for (const path of values.short ? route.paths.slice(0, 3) : route.paths) {
    if (method === 'GET')
      for (const query of values.short ? fewNastyQueries(route.path) : nastyQueries(route.path))
        await attack(query.name, { method, path: `${path}?${query.text}`, headers })
    else
      for (const { name, text } of bodiesFor(route.schema, route.bodyBytesMax))
        await attack(name, { method, path, headers, body: text })
  }
}

function* bodiesFor(schema: Schema | null, bytes: number): Generator<NastyBody> {
  yield* values.short ? fewNastyJson(bytes) : nastyJson(bytes)
  if (schema === null) return
  if (values.short) {
    yield fullBody(schema, bytes)
    yield* longLists(schema, bytes / 2)
  } else yield* nastyBodies(schema, bytes, { pairs: values.pairs })
}

await worker.terminate()
await berth.end()
console.log(JSON.stringify(totals))
process.exitCode = totals.above + totals.failed > 0 ? 1 : 0
