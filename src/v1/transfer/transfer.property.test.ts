import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildWorld, clouds } from '../../../test/clouds.ts'
import { countRuns } from '../../../test/property-runs.ts'
import { type Imported, noCounts } from '../../placement/transfer/import.ts'
import { checkWorld } from '../../server/check-world.ts'
import { GENESIS } from '../../store/chain.ts'
import { MemoryStore } from '../../store/memory-store.fixture.ts'
import type { Store } from '../../store/store.ts'
import { type RowTable, rowTables } from '../../transfer/exported-tables.ts'
import { RandomRows } from '../../transfer/random-rows.fixture.ts'
import { insert } from '../../world/change.ts'
import { mirroredTables, type Row } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import { splitLines } from '../api/ndjson.ts'
import { Problem } from '../api/problem.ts'
import { busyCloud } from '../fleet/busy-cloud.fixture.ts'
import { EVERYTHING } from '../fleet/feed-rights.ts'
import { exportLines } from './export.ts'
import { type ChunkLines, ImportRun } from './import.ts'

async function exported(store: Store): Promise<string> {
  let text = ''
  for await (const piece of exportLines(await store.snapshot(), EVERYTHING)) text += piece
  return text
}

/** Everything except the head, which has the revision of its server, and the count of rows that are not exported. */
const cloudIn = (text: string) =>
  text.slice(text.indexOf('\n') + 1).replace(/"not_exported":\{[^}]*\}/, '"not_exported":{}')

const NOTHING: Imported = { counts: noCounts(), stopped: null }

async function* inPieces(text: string, bytes: number): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text)
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes)
}

async function imported(cloud: Awaited<ReturnType<typeof busyCloud>>, text: string, { bytes, lines }: Sizes) {
  const submit = async (chunk: ChunkLines) => {
    const { sequencer } = cloud
    const outcome =
      chunk.kind === 'placement:import-lines' ? await sequencer.submit(chunk) : await sequencer.submit(chunk)
    return outcome.ok ? outcome.answer : outcome.refusal
  }
  const run = new ImportRun(submit, () => undefined, lines)
  try {
    await run.read(splitLines(inPieces(text, bytes), 1_000_000))
    return run.makeReport(await submit(run.rest))
  } catch (problem) {
    if (problem instanceof Problem) return { report: run.makeReport(NOTHING).report, problem }
    throw problem
  }
}

async function storeOf(world: World): Promise<Store> {
  const store = new MemoryStore()
  const ops = mirroredTables.flatMap(({ name }) =>
    [...world.rows(name)].map(row => insert(name, row as Row<typeof name>)),
  )
  await store.write(GENESIS, () => ({ id: 'all', atMs: 1, changes: [{ change: { ops }, names: {} }] }))
  return store
}

async function survivesTransfer(source: Store, sizes: Sizes) {
  const text = await exported(source)
  const target = await busyCloud(0)
  const first = await imported(target, text, sizes)
  expect(first.problem).toBeNull()
  expect(cloudIn(await exported(target.store))).toBe(cloudIn(text))
  expect(checkWorld(target.world)).toEqual({ items: [], count: 0 })
  const { revision } = target.world
  const second = await imported(target, text, sizes)
  expect(second.problem).toBeNull()
  expect(target.world.revision).toBe(revision)
  for (const kind of ['resource_classes', 'traits', 'providers', 'consumers'] as const) {
    expect(second.report[kind]).toMatchObject({ created: 0, updated: 0 })
    expect(second.report[kind].unchanged).toBe(first.report[kind].created + first.report[kind].unchanged)
  }
  for (const [table, counts] of Object.entries(first.report.rows))
    expect(second.report.rows[table as RowTable]).toEqual({
      created: 0,
      updated: 0,
      unchanged: counts.created + counts.unchanged,
    })
  return first.report
}

/** How the body comes in pieces, and how many lines one command takes in. */
interface Sizes {
  readonly bytes: number
  readonly lines: number
}

const sizes: fc.Arbitrary<Sizes> = fc.record({
  bytes: fc.integer({ min: 1, max: 5_000 }),
  lines: fc.constantFrom(1, 2, 3, 5, 256),
})

test('any cloud, however it lies in memory, exports, imports elsewhere and exports as the same lines', async () => {
  await fc.assert(
    fc.asyncProperty(clouds, sizes, async (cloud, drawn) => {
      await survivesTransfer(await storeOf(buildWorld(cloud)), drawn)
    }),
    { numRuns: countRuns(60) },
  )
})

test('so does a cloud with rows of every service', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(clouds, fc.nat(), sizes, async (cloud, seed, drawn) => {
      const world = buildWorld(cloud)
      new RandomRows(world, seed).fill(4)
      expect(checkWorld(world)).toEqual({ items: [], count: 0 })
      const { rows } = await survivesTransfer(await storeOf(world), drawn)
      for (const [table, { created }] of Object.entries(rows)) if (created > 0) seen.add(table)
    }),
    { numRuns: countRuns(60) },
  )
  expect(rowTables.filter(table => !seen.has(table))).toEqual([])
})

test('so does the result of any history of writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(150), sizes, async (seed, writes, drawn) => {
      const source = await busyCloud(seed)
      await source.write(writes)
      await survivesTransfer(source.store, drawn)
    }),
    { numRuns: countRuns(60) },
  )
})

test('an import over a cloud that went another way makes it the one of the export, where that names things', async () => {
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(80), fc.nat(80), sizes, async (seed, common, apart, drawn) => {
      const source = await busyCloud(seed)
      await source.write(common)
      const text = await exported(source.store)
      await source.write(apart)
      const { problem } = await imported(source, text, drawn)
      expect(checkWorld(source.world)).toEqual({ items: [], count: 0 })
      if (problem !== null) {
        expect(problem.code).toBe('import.refused')
        return
      }
      accepted++
      const named = (all: string, key: string) =>
        all.split('\n').flatMap(line => {
          const parsed = line === '' ? {} : JSON.parse(line)
          const { generation: _, ...rest } = parsed[key] ?? {}
          return key in parsed ? [[rest.uuid ?? rest.name, rest] as const] : []
        })
      for (const key of ['resource_class', 'trait', 'provider', 'consumer']) {
        const after = new Map(named(await exported(source.store), key))
        for (const [name, wanted] of named(text, key)) expect(after.get(name)).toEqual(wanted)
      }
    }),
    { numRuns: countRuns(200) },
  )
  expect(accepted).toBeGreaterThan(20)
})
