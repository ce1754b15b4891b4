/** Compares which flavors may land with what the scheduler does, on small random clouds. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../../test/property-runs.ts'
import { insert } from '../../world/change.ts'
import type { FlavorRow } from '../../world/compute.ts'
import { listAllHosts } from '../hosts/hosts.ts'
import { chooseAndClaim } from './claim.ts'
import { FlavorJudge, findBrokenRules } from './landing.ts'
import {
  askOf,
  type RecordedWorld,
  recordHosts,
  type SmallAsk,
  serverUuid,
  smallAsk,
  smallHosts,
  TIGHT_SETUP,
} from './small-hosts.fixture.ts'

const scheduling = (ask: ReturnType<typeof askOf>) => ({
  ask,
  setup: TIGHT_SETUP,
  seed: 1,
  decision: 'd',
  alternates: 0,
  sourceHolder: null,
  rankedHosts: [],
})

/** Without hints: they bind only the server that has them, so a later server may break them. */
const asks = fc.array(
  smallAsk.map(ask => ({ ...ask, near: null, away: null })),
  { maxLength: 6 },
)

function place(told: RecordedWorld, all: readonly SmallAsk[], hosts: number): string[] {
  const placed: string[] = []
  all.forEach((small, nth) => {
    const decision = chooseAndClaim(told.world, scheduling(askOf(small, nth, hosts)), 0)
    if (!decision.ok) return
    told.does(decision)
    placed.push(...Array.from({ length: small.count }, (_, at) => serverUuid(nth, at)))
  })
  return placed
}

function flavorOf(told: RecordedWorld, { vcpus, extraSpecs }: SmallAsk): FlavorRow {
  const row: FlavorRow = {
    id: 1,
    flavorid: 'f',
    name: 'f',
    memory_mb: 512 * vcpus,
    vcpus,
    root_gb: 0,
    ephemeral_gb: 0,
    swap: 0,
    rxtx_factor: 1,
    is_public: 1,
    description: null,
    applied_by: null,
    created_at: 0,
    updated_at: null,
  }
  const specs = Object.entries(extraSpecs).map(([key, value]) =>
    insert('flavor_extra_specs', { flavor_id: 1, key, value }),
  )
  told.apply({ ops: [insert('flavors', row), ...specs] })
  return row
}

test('a flavor fits a host just where the scheduler would put it there; emptied hosts refuse only for lasting grounds', () => {
  fc.assert(
    fc.property(smallHosts, asks, smallAsk, (cloud, earlier, small) => {
      const told = recordHosts(cloud)
      const { world } = told
      place(told, earlier, cloud.hosts.length)
      const row = flavorOf(told, small)
      const judge = FlavorJudge.of(world, row, { project: 'p', user: 'u' }, TIGHT_SETUP)
      if (!(judge instanceof FlavorJudge)) throw new Error(judge.kind)
      const empty = recordHosts({
        ...cloud,
        hosts: cloud.hosts.map(host => ({ ...host, isDisabled: false, isDown: false })),
      })
      const atEase = FlavorJudge.of(
        empty.world,
        flavorOf(empty, small),
        { project: 'p', user: 'u' },
        TIGHT_SETUP,
      )
      if (!(atEase instanceof FlavorJudge)) throw new Error(atEase.kind)
      const plain = { ...small, zone: null, count: 1, group: null, near: null, away: null }
      for (const [nth, slot] of listAllHosts(world).entries()) {
        const grounds = judge.findOnHost(slot)
        const decision = chooseAndClaim(world, scheduling(askOf({ ...plain, host: nth }, 99, 9)), 0)
        expect([nth, grounds.length === 0]).toEqual([nth, decision.ok])
        // A reason is lasting if an empty host that is enabled and up gives one too.
        const lasting = atEase.findOnHost(listAllHosts(empty.world)[nth] as typeof slot)
        expect(grounds.some(({ isLasting }) => isLasting)).toBe(lasting.length > 0)
      }
    }),
    { numRuns: countRuns(150) },
  )
})

test('as long as no rule changes, no server breaks one, however full hosts get', () => {
  fc.assert(
    fc.property(smallHosts, asks, (cloud, all) => {
      const told = recordHosts(cloud)
      const { world } = told
      // No host has space for more than four servers, so the limit is reached exactly.
      const setup = {
        ...TIGHT_SETUP,
        filters: [...TIGHT_SETUP.filters, 'NumInstancesFilter', 'IoOpsFilter'],
        settings: { ...TIGHT_SETUP.settings, maxInstancesPerHost: 4 },
      }
      for (const uuid of place(told, all, cloud.hosts.length)) {
        const server = world.consumers.find(uuid)
        if (server === undefined) throw new Error(uuid)
        const [held] = world.consumers.holdings(server)
        const root = world.providers.rootOf(held?.provider as never)
        expect(findBrokenRules(world, server, root, setup)).toEqual([])
      }
    }),
    { numRuns: countRuns(100) },
  )
})
