import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import * as placement from './placement.ts'
import * as scheduling from './scheduling.ts'
import * as shares from './shares.ts'

/** As it may stand in an address, and must not lead anywhere else. */
const ID = '../x?y=1#z'
const ENCODED = '..%2Fx%3Fy%3D1%23z'

let asked = ''
beforeAll(() => {
  vi.stubGlobal('fetch', async (path: string) => {
    asked = path
    const some = { share: {}, export_locations: [], messages: [], allocations: {}, decisions: [] }
    return Response.json(some)
  })
})
afterAll(() => vi.unstubAllGlobals())

test.each<[string, () => Promise<unknown>]>([
  [`/share/v2/shares/${ENCODED}`, () => shares.readShare(ID)],
  [`/share/v2/shares/${ENCODED}`, () => shares.updateShare(ID, {})],
  [`/share/v2/shares/${ENCODED}`, () => shares.deleteShare(ID)],
  [`/share/v2/shares/${ENCODED}/action`, () => shares.actOnShare(ID, 'extend')],
  [`/share/v2/shares/${ENCODED}/metadata`, () => shares.setMetadata(ID, {})],
  [`/share/v2/shares/${ENCODED}/metadata/a%2Fb`, () => shares.deleteMetadata(ID, 'a/b')],
  [`/share/v2/shares/${ENCODED}/export_locations`, () => shares.readExports(ID)],
  [`/share/v2/messages?resource_id=${ENCODED}`, () => shares.readMessages(ID)],
  [`/share/v2/messages/${ENCODED}`, () => shares.deleteMessage(ID)],
  [`/share/v2/snapshots/${ENCODED}`, () => shares.deleteSnapshot(ID)],
  [`/v1/explain/share/${ENCODED}`, () => shares.explainPlace(ID)],
  [`/v1/shares/${ENCODED}/beside/${ENCODED}`, () => shares.readBeside(ID, ID)],
  [`/v1/explain/share/${ENCODED}/migration?share_type=t`, () => shares.readTargets(ID, 't')],
  [`/placement/allocations/${ENCODED}`, () => shares.readHoldings(ID)],
  [`/v1/decisions?instance=${ENCODED}`, () => shares.readShareDecision(ID)],
  [`/placement/resource_providers/${ENCODED}`, () => placement.readProvider(ID)],
  [`/placement/resource_providers/${ENCODED}/traits`, () => placement.readTraits(ID)],
  [`/placement/allocations/${ENCODED}`, () => placement.readConsumer(ID)],
  [`/v1/decisions/${ENCODED}`, () => scheduling.readDecision(ID)],
  [`/v1/explain/boot/${ENCODED}`, () => scheduling.readBoot(ID)],
  [`/v1/decisions/${ENCODED}/replay`, () => scheduling.replayDecision(ID)],
])('an id stays a part of the path: %s', async (path, ask) => {
  await ask()
  expect(asked).toBe(path)
})
