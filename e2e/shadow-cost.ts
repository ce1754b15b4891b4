/**
 * What a shadow costs: the same requests to Debian's real Placement directly and through a Berth that shadows it, in turn, so that both
 * meet the same load of the machine. Prints a table for docs/how-to/replace-placement.md.
 *
 *   node e2e/shadow-cost.ts [--requests 2000] [--hosts 100]
 *
 * Needs python3-placement, python3-pymysql and mariadb-server, and `npm run build` before.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startMariadb } from '../test/mariadb.ts'
import { Program } from './shadow/programs.ts'

const { values: options } = parseArgs({
  options: { requests: { type: 'string', default: '2000' }, hosts: { type: 'string', default: '100' } },
})
const HOSTS = Number(options.hosts)
const WARM_UP = 50
const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

const uuid = (kind: number, number: number): string =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`

const mariadb = await startMariadb()
const connection = (await mariadb.newDatabase()).replace('mysql://', 'mysql+pymysql://')
const placement = await Program.placement(connection)
const berth = await Program.berth(
  ...['--only', 'placement', '--rbac', 'legacy', '--shadow-of', placement.url],
  ...['--shadow-sweep-per-second', '1'],
)

async function send(at: string, method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(`${at}${path}`, {
    method,
    headers: {
      'x-auth-token': 'admin',
      'openstack-api-version': 'placement 1.39',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  assert(answer.ok, `${method} ${path}: ${answer.status} ${text}`)
}

async function fill(): Promise<void> {
  for (let host = 0; host < HOSTS; host++) {
    await send(berth.url, 'POST', '/resource_providers', { uuid: uuid(1, host), name: `host-${host}` })
    await send(berth.url, 'PUT', `/resource_providers/${uuid(1, host)}/inventories`, {
      resource_provider_generation: 0,
      inventories: { VCPU: { total: 10_000 }, MEMORY_MB: { total: 10_000_000 } },
    })
  }
}

const kinds = {
  'GET /allocation_candidates': (at: string) =>
    send(at, 'GET', '/allocation_candidates?resources=VCPU:1,MEMORY_MB:512&limit=10'),
  'GET /resource_providers/{uuid}/inventories': (at: string, nth: number) =>
    send(at, 'GET', `/resource_providers/${uuid(1, nth % HOSTS)}/inventories`),
  'PUT /allocations/{consumer}': (at: string, nth: number) =>
    send(at, 'PUT', `/allocations/${uuid(at === berth.url ? 2 : 3, nth)}`, {
      allocations: { [uuid(1, nth % HOSTS)]: { resources: { VCPU: 1, MEMORY_MB: 512 } } },
      project_id: 'project',
      user_id: 'user',
      consumer_type: 'INSTANCE',
      consumer_generation: null,
    }),
}

/** Of one process, all threads. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_S
}

const quantile = (values: readonly number[], part: number): string =>
  (values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] as number).toFixed(1)

async function measure(ask: (at: string, nth: number) => Promise<void>, from: number, count: number) {
  const took = { direct: [] as number[], shadow: [] as number[] }
  const startCpuMs = cpuMs(berth.pid)
  for (let nth = from; nth < from + count; nth++)
    for (const [way, at] of [
      ['direct', placement.url],
      ['shadow', berth.url],
    ] as const) {
      const startMs = performance.now()
      await ask(at, nth)
      took[way].push(performance.now() - startMs)
    }
  // What is compared after the answer counts too.
  await sleep(1_000)
  return { ...took, cpuMs: (cpuMs(berth.pid) - startCpuMs) / count }
}

try {
  await fill()
  console.log(
    '| request | direct p50 | p99 | shadow p50 | p99 | CPU of Berth |\n| --- | --- | --- | --- | --- | --- |',
  )
  for (const [name, ask] of Object.entries(kinds)) {
    await measure(ask, 0, WARM_UP)
    const { direct, shadow, cpuMs } = await measure(ask, WARM_UP, Number(options.requests))
    const cells = [direct, shadow].flatMap(took => [quantile(took, 0.5), quantile(took, 0.99)])
    console.log(`| \`${name}\` | ${cells.map(cell => `${cell} ms`).join(' | ')} | ${cpuMs.toFixed(2)} ms |`)
  }
} finally {
  await berth.remove()
  await placement.remove()
  await mariadb.remove()
}
