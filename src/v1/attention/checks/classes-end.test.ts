import { describe, expect, test } from 'vitest'
import { SmallCloud } from '../../../../test/small-cloud.ts'
import { DEFAULT_SETUP } from '../../../scheduling/framework/setup.ts'
import { GENESIS } from '../../../store/chain.ts'
import { MemoryStore } from '../../../store/memory-store.fixture.ts'
import type { Store } from '../../../store/store.ts'
import { encodePoints, pointOf } from '../../../usage-history/points.ts'
import { DAY_MS } from '../../../usage-history/steps.ts'
import type { CheckRun } from '../check.ts'
import { classesEnd } from './classes-end.ts'

const TODAY_MS = 20_000 * DAY_MS
const DAYS = 10

/** Hosts in one zone and shared storage, with a past in which usage grew by so much a day until now. */
async function find(grown: Readonly<Record<string, number>>, present: Readonly<Record<string, number>> = {}) {
  const cloud = new SmallCloud()
    .add('host', { has: { VCPU: 1_000, MEMORY_MB: 1_000, VGPU: 1_000 } })
    .add('ceph', { has: { DISK_GB: 1_000 }, traits: ['MISC_SHARES_VIA_AGGREGATE'] })
  for (const [unit, used] of Object.entries(present))
    cloud.claim(unit, { [unit === 'DISK_GB' ? 'ceph' : 'host']: { [unit]: used } })
  const store = new MemoryStore()
  for (let ago = 1; ago <= DAYS; ago++)
    for (const scope of ['cloud', 'zone:nova']) {
      const points = new Map(
        Object.entries(grown)
          .filter(([unit]) => scope === 'cloud' || unit !== 'DISK_GB')
          .map(([unit, perDay]) => {
            const used = (present[unit] ?? 0) - perDay * (ago - 0.5)
            return [unit, { ...pointOf(1_000, used), sum: used * 1_440, samples: 1_440 }] as const
          }),
      )
      const row = { scope, points: encodePoints(points), is_made_up: 0, at_ms: TODAY_MS - ago * DAY_MS }
      const plain = [{ table: 'usage_days' as const, row }]
      await store.write(GENESIS, () => ({ id: `${scope} ${ago}`, atMs: TODAY_MS, changes: [], plain }))
    }
  const read: Pick<Store, 'plainRows'> = store
  return classesEnd.find({
    world: cloud.world,
    store: read,
    setup: DEFAULT_SETUP,
    nowMs: TODAY_MS,
  } as CheckRun)
}

describe('a class that ends', () => {
  test('is a note from 30 days on, with the days, the zone and the command, and a warning from 14', async () => {
    expect(await find({ MEMORY_MB: 10 }, { MEMORY_MB: 650 })).toBeNull()
    expect(await find({ MEMORY_MB: 10 }, { MEMORY_MB: 750 })).toEqual({
      severity: 'note',
      total: 1,
      text: 'MEMORY_MB of zone nova ends in 25 days',
      link: '/usage?zone=nova',
      command: 'berth forecast --zone nova',
      items: [
        {
          name: 'MEMORY_MB of zone nova',
          text: 'ends in 25 days; 750 of 1000 used now',
          link: '/usage?zone=nova',
        },
      ],
    })
    expect(await find({ MEMORY_MB: 10 }, { MEMORY_MB: 900 })).toMatchObject({ severity: 'warning' })
  })

  test('is a warning only if every server takes of it, and that comes first', async () => {
    expect(await find({ VGPU: 10 }, { VGPU: 1_000 })).toMatchObject({
      severity: 'note',
      text: 'VGPU of zone nova is used up',
    })
    const both = await find({ VGPU: 10, VCPU: 10 }, { VGPU: 1_000, VCPU: 900 })
    expect(both).toMatchObject({
      severity: 'warning',
      total: 2,
      text: 'VCPU of zone nova ends in 10 days; 1 more ends soon',
    })
    expect(both?.items.map(({ name }) => name)).toEqual(['VCPU of zone nova', 'VGPU of zone nova'])
  })

  test('counts for the cloud only if no zone has it: shared storage', async () => {
    expect(await find({ DISK_GB: 10, VCPU: 10 }, { DISK_GB: 800, VCPU: 800 })).toMatchObject({
      items: [{ name: 'VCPU of zone nova' }, { name: 'DISK_GB of the cloud', link: '/usage' }],
    })
  })

  test('is not told without a past, other than what is used up', async () => {
    expect(await find({}, { VCPU: 999 })).toBeNull()
    expect(await find({}, { VCPU: 1_000 })).toMatchObject({
      severity: 'warning',
      text: 'VCPU of zone nova is used up',
    })
  })
})
