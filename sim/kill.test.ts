import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { Random } from '../src/kernel/random.ts'
import { checkWorld } from '../src/server/check-world.ts'
import { loadWorld } from '../src/store/load-world.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'
import type { Store } from '../src/store/store.ts'
import { verifyStore } from '../src/store/verify/verify.ts'
import type { World } from '../src/world/world.ts'
import { CLASSES, HOSTS_PER_CONSUMER, lifeOf } from './kill-plan.ts'

const ROUNDS = Number(process.env.BERTH_SIM_ROUNDS ?? 10)
const SEED = Number(process.env.BERTH_SIM_SEED ?? 1)

/** How far each consumer's life was acknowledged. */
type Acknowledged = Map<string, number>

/** When the child dies: at a moment after its start, or after so many acknowledged writes and a little more. */
type Moment = { readonly afterMs: number } | { readonly acks: number; readonly thenMs: number }

function momentOf(random: Random): Moment {
  if (random.below(4) === 0) return { afterMs: random.below(400) }
  return { acks: 1 + random.below(300), thenMs: random.below(6) }
}

async function runAndKill(directory: string, run: string, moment: Moment): Promise<Acknowledged> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./kill-child.ts', import.meta.url)), directory, run],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const closed = new Promise(resolve => child.on('close', resolve))
  const enough = Promise.withResolvers<void>()
  const chunks: string[] = []
  let acks = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    chunks.push(chunk)
    acks += chunk.split('\n').length - 1
    if ('acks' in moment && acks >= moment.acks) enough.resolve()
  })
  if ('acks' in moment) await Promise.race([enough.promise, closed])
  await sleep('acks' in moment ? moment.thenMs : moment.afterMs)
  child.kill('SIGKILL')
  await closed
  expect(child.signalCode, 'the child lives until it is killed').toBe('SIGKILL')
  return acknowledgedIn(chunks.join(''))
}

function acknowledgedIn(output: string): Acknowledged {
  const found: Acknowledged = new Map()
  // What follows the last line end was cut off by the kill.
  for (const line of output.split('\n').slice(0, -1)) {
    const [consumer, at] = line.split(' ') as [string, string]
    found.set(consumer, Number(at))
  }
  return found
}

/** Each consumer with its generation, after checking that what it holds is whole. */
function consumersOf(world: World): Map<string, number> {
  const found = new Map<string, number>()
  for (const row of world.consumers.rows()) {
    const holdings = world.consumers.holdings(world.consumers.find(row.uuid) as never)
    const amounts = holdings.map(held => held.used)
    expect(amounts, `holdings of ${row.uuid}`).toEqual(
      Array.from({ length: HOSTS_PER_CONSUMER * CLASSES }, () => row.generation),
    )
    found.set(row.uuid, row.generation)
  }
  return found
}

function expectNothingLost(acknowledged: Acknowledged, stored: Map<string, number>): void {
  for (const [consumer, at] of acknowledged) {
    const life = lifeOf(Number(consumer.split('/')[1]))
    const possible = [life[at], ...(at + 1 < life.length ? [life[at + 1]] : [])]
    expect(possible, `${consumer} was acknowledged at step ${at}`).toContain(stored.get(consumer) ?? 0)
  }
}

/** Each change tells the size of its batch. The oldest kept may have lost its beginning to trimming. */
async function expectWholeBatches(store: Store): Promise<void> {
  const start = await store.changesAfter(0, 1)
  const page = await store.changesAfter(start.kept ? 0 : start.oldestKept - 1, 1_000_000)
  const batches = Map.groupBy(page.kept ? page.changes : [], ({ batchId }) => batchId)
  for (const [id, changes] of [...batches].slice(start.kept ? 0 : 1))
    expect(`${changes.length} changes of ${id}`).toBe(
      `${changes[0]?.names.aggregates?.size} changes of ${id}`,
    )
}

test(`kill -9 amid concurrent writes, ${ROUNDS} times: nothing acknowledged is lost, nothing is there by half`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-kill-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const random = new Random(SEED)
  let before = new Map<string, number>()
  let writes = 0
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await runAndKill(directory, `run-${round}`, momentOf(random))
    const store = await openSqlite({ directory, changesCountMax: 400 })
    try {
      const { world } = await loadWorld(store)
      const stored = consumersOf(world)
      expectNothingLost(acknowledged, stored)
      for (const [consumer, generation] of before) expect(stored.get(consumer), consumer).toBe(generation)
      expect(checkWorld(world)).toEqual({ items: [], count: 0 })
      expect(await verifyStore(store)).toEqual({ items: [], count: 0 })
      await expectWholeBatches(store)
      before = stored
      writes += acknowledged.size
    } finally {
      await store.close()
    }
  }
  expect(writes, 'some rounds wrote something').toBeGreaterThan(0)
})
