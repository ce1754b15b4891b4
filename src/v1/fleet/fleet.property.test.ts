import fc from 'fast-check'
import { expect, test } from 'vitest'
import { busyCloud } from './busy-cloud.fixture.ts'
import { streamChanges } from './changes.ts'
import { EVERYTHING } from './feed-rights.ts'
import { type FleetFilters, streamFleet } from './fleet.ts'
import { Picture, pictureOf, type ToldChange } from './picture.fixture.ts'

const everything: FleetFilters = {
  name: null,
  uuids: null,
  inTree: null,
  required: [],
  forbidden: [],
  memberOf: [],
  forbiddenAggregates: [],
  classes: [],
}

function toldIn(events: string): ToldChange[] {
  return [...events.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string) as ToldChange)
}

const runs = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  before: fc.integer({ min: 20, max: 120 }),
  perTurn: fc.array(fc.nat(20), { minLength: 3, maxLength: 12 }),
  after: fc.nat(10),
  linesPerSlice: fc.integer({ min: 1, max: 3 }),
  changesInMemory: fc.integer({ min: 1, max: 20 }),
})

test('the fleet, read in slices while others write, plus the changes since equals the world', async () => {
  let exercised = 0
  await fc.assert(
    fc.asyncProperty(runs, async ({ seed, before, perTurn, after, linesPerSlice, changesInMemory }) => {
      const cloud = await busyCloud(seed, undefined, { changesMax: changesInMemory })
      await cloud.write(before)
      const revision = cloud.world.revision
      const picture = new Picture()
      let turn = 0
      const nextTurn = () => cloud.write(perTurn[turn++ % perTurn.length] as number)
      for await (const text of streamFleet(cloud.world, everything, nextTurn, linesPerSlice))
        picture.addLines(text)
      await cloud.write(after)
      let events = ''
      const following = {
        after: revision,
        upTo: cloud.world.revision,
        gone: new AbortController().signal,
        sight: async () => EVERYTHING,
      }
      for await (const event of streamChanges(cloud.feed, following)) events += event
      const told = toldIn(events)
      expect(told.map(change => change.revision)).toEqual(
        Array.from({ length: cloud.world.revision - revision }, (_, at) => revision + 1 + at),
      )
      for (const change of told) picture.apply(change)
      expect(picture.sorted).toEqual(pictureOf(cloud.world).sorted)
      exercised += told.length
    }),
    { numRuns: 500 },
  )
  expect(exercised).toBeGreaterThan(2_000)
})
