import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../../test/property-runs.ts'
import { numbered, recordHosts, smallHosts } from '../../scheduling/hosts/small-hosts.fixture.ts'
import { computeHeads, GENESIS } from '../../store/chain.ts'
import { MemoryStore } from '../../store/memory-store.fixture.ts'
import { PastWorld } from '../../store/past-world.ts'
import type { Store } from '../../store/store.ts'
import type { Change } from '../../world/change.ts'
import { mirroredTables } from '../../world/tables.ts'
import type { World } from '../../world/world.ts'
import { WorldCopyPool } from './world-copies.ts'

const rowsOf = (world: World): string =>
  JSON.stringify([
    world.revision,
    ...mirroredTables.map(({ name }) => [...world.rows(name)].map(row => JSON.stringify(row)).sort()),
  ])

let batches = 0
async function write(store: Store, changes: readonly Change[]): Promise<void> {
  const batch = {
    id: numbered('b', ++batches),
    atMs: 0,
    changes: changes.map(change => ({ change, names: {} })),
  }
  await store.write(await store.head(), () => batch)
}

const steps = fc.array(
  fc.record({
    written: fc.nat(4),
    /** What the borrower does: nothing, an assumption that it leaves, or a look at the past. */
    does: fc.constantFrom('nothing', 'assumes', 'looks back'),
    back: fc.nat(5),
  }),
  { minLength: 1, maxLength: 6 },
)

test('each borrower gets the state of the store, whatever the one before did with the copy', async () => {
  let kept = 0
  await fc.assert(
    fc.asyncProperty(smallHosts, steps, async (cloud, all) => {
      const { changes } = recordHosts(cloud)
      const store = new MemoryStore()
      const pool = new WorldCopyPool(() => store)
      let at = 0
      let last: World | null = null
      for (const { written, does, back } of all) {
        const some = changes.slice(at, at + written)
        if (some.length > 0) await write(store, some)
        at += some.length
        await pool.lend(async copy => {
          expect(rowsOf(copy.world)).toBe(rowsOf((await PastWorld.load(store)).world))
          if (copy.world === last) kept++
          last = copy.world
          const next = changes[at]
          if (does === 'assumes' && next !== undefined) copy.make(next)
          if (does === 'looks back') expect(await copy.goTo(Math.max(0, at - back))).toBe(true)
        })
      }
    }),
    { numRuns: countRuns(100) },
  )
  expect(kept).toBeGreaterThan(0)
})

const hosts = recordHosts({
  hosts: [{ vcpus: 1, isDisabled: false, isDown: false, aggregates: [] }],
  metadata: [],
})

const lentWorld = (pool: WorldCopyPool): Promise<World> => pool.lend(async ({ world }) => world)

test('a store with another history, or that dropped the changes since, is loaded again', async () => {
  const [first, other, forgetful] = [new MemoryStore(), new MemoryStore(), new MemoryStore()]
  let store: Store = first
  const pool = new WorldCopyPool(() => store)
  await write(first, hosts.changes.slice(0, 1))
  const before = await lentWorld(pool)
  expect(await lentWorld(pool)).toBe(before)
  store = other
  await write(other, hosts.changes.slice(0, 2))
  const after = await lentWorld(pool)
  expect(after).not.toBe(before)
  expect(after.revision).toBe(2)
  // The same store object with a history that did not begin as the copy did.
  const [head] = computeHeads(GENESIS, 'another', 1)
  other.head = async () => ({ ...(head as typeof GENESIS), revision: 2 })
  expect(await lentWorld(pool)).not.toBe(after)
  store = forgetful
  await write(forgetful, hosts.changes.slice(0, 1))
  const early = await lentWorld(pool)
  forgetful.changesAfter = async () => ({ kept: false, oldestKept: 3 })
  await write(forgetful, hosts.changes.slice(1, 3))
  const late = await lentWorld(pool)
  expect([late === early, late.revision]).toEqual([false, 3])
})

test('a borrower that fails leaves no trace', async () => {
  const store = new MemoryStore()
  await write(store, hosts.changes.slice(0, 1))
  const pool = new WorldCopyPool(() => store)
  const fails = pool.lend(async copy => {
    copy.make(hosts.changes[1] as Change)
    throw new Error('halfway')
  })
  await expect(fails).rejects.toThrow('halfway')
  await pool.lend(async ({ world }) => {
    expect(rowsOf(world)).toBe(rowsOf((await PastWorld.load(store)).world))
  })
})

test('while one has the copy, another is told to try again', async () => {
  const pool = new WorldCopyPool(() => new MemoryStore())
  await pool.lend(async () => {
    await expect(lentWorld(pool)).rejects.toMatchObject({ status: 503 })
  })
  expect((await lentWorld(pool)).revision).toBe(0)
})
