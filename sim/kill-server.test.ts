/** The whole server, killed with SIGKILL in the middle of concurrent writes over HTTP, again and again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Random } from '../src/kernel/random.ts'
import { Berth, uuid } from '../test/running-berth.ts'

const ROUNDS = Number(process.env.BERTH_SIM_ROUNDS ?? 4)
const SEED = Number(process.env.BERTH_SIM_SEED ?? 20_261_115)
const WRITERS = 8
const HOSTS = 4
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

interface Running {
  readonly child: ChildProcess
  readonly url: string
}

async function startServer(directory: string): Promise<Running> {
  const child = spawn(
    process.execPath,
    [
      MAIN,
      'serve',
      '--only',
      'placement',
      '--port',
      '0',
      '--auth',
      'noauth2',
      '--rbac',
      'open',
      '--data-dir',
      directory,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  let said = ''
  for await (const chunk of child.stdout as NonNullable<ChildProcess['stdout']>) {
    said += chunk
    const url = /listens on (\S+?),/.exec(said)?.[1]
    if (url !== undefined) return { child, url }
  }
  throw new Error(`the server did not start: ${said}`)
}

async function ask(url: string, method: string, path: string, body?: unknown): Promise<number> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      'x-auth-token': 'admin',
      'openstack-api-version': 'placement 1.38',
      'content-type': 'application/json',
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  await answer.arrayBuffer()
  return answer.status
}

/** Two consumers on two hosts in one write: both or none. */
function pair(first: number): Record<string, unknown> {
  const one = (host: number) => ({
    allocations: { [uuid(1 + (host % HOSTS))]: { resources: { VCPU: 1 } } },
    project_id: 'p',
    user_id: 'u',
    consumer_generation: null,
    consumer_type: 'INSTANCE',
  })
  return { [uuid(first)]: one(first), [uuid(first + 1)]: one(first + 1) }
}

/** Writes until the server is gone; tells which writes were acknowledged. */
async function writer(
  url: string,
  from: number,
  acknowledged: Set<number>,
  tried: Set<number>,
): Promise<void> {
  for (let nth = 0; ; nth++) {
    const first = from + nth * 2
    tried.add(first)
    try {
      if ((await ask(url, 'POST', '/allocations', pair(first))) === 204) acknowledged.add(first)
    } catch {
      return
    }
  }
}

test(`killed ${ROUNDS} times under load: nothing acknowledged is lost, nothing is half there`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-kill-'))
  const random = new Random(SEED)
  const acknowledged = new Set<number>()
  const tried = new Set<number>()
  for (let round = 0; round < ROUNDS; round++) {
    const { child, url } = await startServer(directory)
    if (round === 0)
      for (let host = 1; host <= HOSTS; host++) {
        await ask(url, 'POST', '/resource_providers', { name: `host-${host}`, uuid: uuid(host) })
        const total = { resource_class: 'VCPU', total: 1_000_000 }
        await ask(url, 'POST', `/resource_providers/${uuid(host)}/inventories`, total)
      }
    const writers = Array.from({ length: WRITERS }, (_, nth) =>
      writer(url, 1_000_000 * (1 + round * WRITERS + nth), acknowledged, tried),
    )
    await new Promise(resolve => setTimeout(resolve, 100 + random.below(400)))
    child.kill('SIGKILL')
    await Promise.all([once(child, 'exit'), ...writers])
  }
  expect(acknowledged.size).toBeGreaterThan(0)
  await checkAftermath(directory, acknowledged, tried)
})

async function checkAftermath(
  directory: string,
  acknowledged: Set<number>,
  tried: Set<number>,
): Promise<void> {
  const berth = await Berth.start({ data_dir: directory, rbac: 'open' })
  const holds = async (consumer: number): Promise<boolean> => {
    const { json } = await berth.ask('GET', `/allocations/${uuid(consumer)}`)
    return Object.keys(json.allocations).length > 0
  }
  let kept = 0
  for (const first of tried) {
    const both = [await holds(first), await holds(first + 1)]
    expect(both[0], `half of the write ${first}`).toBe(both[1])
    if (acknowledged.has(first)) expect(both[0], `acknowledged write ${first}`).toBe(true)
    if (both[0]) kept += 2
  }
  let used = 0
  for (let host = 1; host <= HOSTS; host++)
    used += (await berth.ask('GET', `/resource_providers/${uuid(host)}/usages`)).json.usages.VCPU
  expect(used).toBe(kept)
  const { json } = await berth.ask('POST', '/v1/verify')
  expect(json).toMatchObject({ differences_total: 0, problems_total: 0 })
  await berth.end()
}
