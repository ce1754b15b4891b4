import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  blockOf,
  decodeBlock,
  encodeBlock,
  findHostPoint,
  type HostBlock,
  type HostFullness,
  joinBlocks,
  maxPercent,
  meanPercent,
  toBlocks,
} from './host-blocks.ts'
import { decodePoints, encodePoints, joinAll, type Points, pointOf } from './points.ts'

const amount = fc.integer({ min: 0, max: 2 ** 40 })
const samples = fc.array(
  fc.dictionary(fc.constantFrom('VCPU', 'MEMORY_MB', 'CUSTOM_A', '__proto__'), fc.tuple(amount, amount), {
    noNullPrototype: false,
  }),
  { minLength: 1, maxLength: 40 },
)

test('a step that grew sample by sample, stored and read each time, is what a naive count of its samples gives', () => {
  fc.assert(
    fc.property(samples, all => {
      let grown: Points | null = null
      for (const sample of all) {
        const points = new Map(
          Object.entries(sample).map(([name, [capacity, used]]) => [name, pointOf(capacity, used)]),
        )
        grown = decodePoints(encodePoints(joinAll(grown, points)))
      }
      const names = new Set(all.flatMap(sample => Object.keys(sample)))
      expect(new Set(grown?.keys())).toEqual(names)
      for (const name of names) {
        const own = all.flatMap(sample =>
          Object.hasOwn(sample, name) ? [sample[name] as [number, number]] : [],
        )
        const used = own.map(([, value]) => value)
        expect(grown?.get(name)).toEqual({
          capacity: own.at(-1)?.[0],
          sum: used.reduce((sum, value) => sum + value, 0),
          min: Math.min(...used),
          max: Math.max(...used),
          samples: own.length,
        })
      }
    }),
  )
})

const host = fc.record({
  uuid: fc.constantFrom(
    ...Array.from({ length: 40 }, (_, nth) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`),
  ),
  share: fc.double({ min: 0, max: 1.2, noNaN: true }),
  classAt: fc.integer({ min: 0, max: 3 }),
})

test('the day of a host has the mean and the highest of its samples to half a percent, whatever hosts come and go', () => {
  const moments = fc.array(fc.uniqueArray(host, { selector: ({ uuid }) => uuid, maxLength: 40 }), {
    minLength: 1,
    maxLength: 20,
  })
  fc.assert(
    fc.property(moments, all => {
      let blocks: (HostBlock | null)[] = new Array(16).fill(null)
      for (const hosts of all) {
        const sample = toBlocks(hosts)
        blocks = blocks.map((block, at) =>
          decodeBlock(encodeBlock(joinBlocks(block, sample[at] as HostBlock))),
        )
      }
      for (const uuid of new Set(all.flat().map(one => one.uuid))) {
        const own = all.flat().filter(one => one.uuid === uuid)
        const found = findHostPoint(encodeBlock(blocks[blockOf(uuid)] as HostBlock), uuid)
        if (found === null) throw new Error('the host is lost')
        const shares = own.map(({ share }: HostFullness) => share * 100)
        expect(found.samples).toBe(own.length)
        expect(Math.abs(maxPercent(found) - Math.max(...shares))).toBeLessThanOrEqual(0.2501)
        const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
        expect(Math.abs(meanPercent(found) - mean)).toBeLessThanOrEqual(0.2501)
      }
    }),
  )
})

test('hosts spread evenly over the blocks', () => {
  const counts = new Array<number>(16).fill(0)
  for (let nth = 0; nth < 4_000; nth++)
    counts[
      blockOf(
        `${nth.toString(16).padStart(8, '0')}-1111-4111-8111-${(nth * 7919).toString(16).padStart(12, '0')}`,
      )
    ]!++
  expect(Math.min(...counts)).toBeGreaterThan(150)
  expect(Math.max(...counts)).toBeLessThan(350)
})
