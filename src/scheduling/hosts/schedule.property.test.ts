import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countRuns } from '../../../test/property-runs.ts'
import type { World } from '../../world/world.ts'
import { DEFAULT_SETUP, type SchedulingSetup } from '../framework/setup.ts'
import { chooseHosts } from './choose.ts'
import { type ClaimHosts, chooseAndClaim, claimHosts } from './claim.ts'
import { explainSchedule, type ScheduleExplanation } from './explain.ts'
import type { ServerAsk } from './server-spec.ts'
import {
  askOf,
  numbered,
  type RecordedWorld,
  recordHosts,
  type SmallAsk,
  type SmallHosts,
  smallAsk,
  smallHosts,
  TIGHT_SETUP,
} from './small-hosts.fixture.ts'

const setups = fc.constantFrom(DEFAULT_SETUP, TIGHT_SETUP)
const asks = fc.array(smallAsk, { minLength: 1, maxLength: 8 })

const commandOf = (ask: ServerAsk, setup: SchedulingSetup, seed: number): ClaimHosts => ({
  ask,
  setup,
  seed,
  decision: 'd',
  alternates: 1,
  sourceHolder: null,
  rankedHosts: [],
})

async function explained(world: World, ask: ServerAsk, setup: SchedulingSetup): Promise<ScheduleExplanation> {
  const answer = await explainSchedule(
    world,
    ask,
    setup,
    async () => undefined,
    100,
    seen => seen,
  )
  if (answer.kind !== 'rendered') throw new Error(answer.kind)
  return answer.rendered
}

const passing = ({ reports }: ScheduleExplanation): string[] =>
  reports.flatMap(({ host, misses, refusals, isLeftOut }) =>
    misses.length === 0 && refusals.length === 0 && !isLeftOut ? [host] : [],
  )

/** Places the requested servers one after the other. */
function* playedOut(cloud: SmallHosts, all: readonly SmallAsk[]): Generator<[RecordedWorld, ServerAsk]> {
  const told = recordHosts(cloud)
  for (const [nth, small] of all.entries()) yield [told, askOf(small, nth, cloud.hosts.length)]
}

describe('on any small cloud', () => {
  test('a server goes where explain says yes, and to no host only where explain says no of all', async () => {
    await fc.assert(
      fc.asyncProperty(smallHosts, asks, setups, async (cloud, all, setup) => {
        for (const [told, ask] of playedOut(cloud, all)) {
          const { world } = told
          const said = await explained(world, ask, setup)
          const hosts = passing(said)
          expect(hosts).toHaveLength(said.passed)
          const decision = chooseAndClaim(world, commandOf(ask, setup, 1), 0)
          if (decision.ok) {
            expect(hosts).toContain(decision.answer.placed[0]?.host)
            told.apply(decision.change)
          } else if (decision.refusal.kind === 'no-host' && decision.refusal.placed === 0)
            expect(hosts).toEqual([])
        }
      }),
      { numRuns: countRuns(150) },
    )
  })

  test('a claim follows no ranked host, however stale, to one that explain says no of', async () => {
    const rankings = fc.array(fc.shuffledSubarray([0, 1, 2, 3, 4].map(nth => numbered('0', nth))), {
      maxLength: 3,
    })
    await fc.assert(
      fc.asyncProperty(smallHosts, asks, rankings, setups, async (cloud, all, rankedHosts, setup) => {
        for (const [told, ask] of playedOut(cloud, all)) {
          const hosts = passing(await explained(told.world, ask, setup))
          const decision = chooseAndClaim(told.world, { ...commandOf(ask, setup, 2), rankedHosts }, 0)
          if (!decision.ok) continue
          expect(hosts).toContain(decision.answer.placed[0]?.host)
          told.apply(decision.change)
        }
      }),
      { numRuns: countRuns(150) },
    )
  })

  test('rules between servers hold after every step', () => {
    fc.assert(
      fc.property(smallHosts, asks, setups, (cloud, all, setup) => {
        for (const [told, ask] of playedOut(cloud, all)) {
          const decision = chooseAndClaim(told.world, commandOf(ask, setup, 3), 0)
          if (!decision.ok) continue
          told.apply(decision.change)
          const hosts = decision.answer.placed.map(({ host }) => host)
          expect(hosts).toHaveLength(ask.instances.length)
          const members = membersByHost(told.world)
          expect(Math.max(0, ...(members.get('anti-affinity')?.values() ?? []))).toBeLessThanOrEqual(1)
          expect(members.get('affinity')?.size ?? 0).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: countRuns(150) },
    )
  })

  test('deciding changes nothing by itself, and deciding again on the same state comes to the same', () => {
    fc.assert(
      fc.property(smallHosts, asks, setups, fc.nat(), (cloud, all, setup, seed) => {
        const decided: { revision: number; command: ClaimHosts; outcome: unknown }[] = []
        const told = recordHosts(cloud)
        for (const [nth, small] of all.entries()) {
          const command = commandOf(askOf(small, nth, cloud.hosts.length), setup, seed)
          const before = rowsOf(told.world)
          const chosen = chooseHosts(told.world, command)
          expect(rowsOf(told.world)).toEqual(before)
          const decision = chooseAndClaim(told.world, command, nth)
          expect(rowsOf(told.world)).toEqual(before)
          expect(chosen.ok ? chosen.answer : chosen.refusal).toEqual(
            decision.ok ? decision.answer : decision.refusal,
          )
          if (chosen.ok) {
            const { rankedHosts } = chosen.answer
            const claimed = claimHosts(told.world, { ...command, rankedHosts }, nth)
            expect(claimed.ok && claimed.answer.placed).toEqual(chosen.answer.placed)
          }
          const outcome = decision.ok ? decision.answer : decision.refusal
          decided.push({ revision: told.changes.length, command, outcome })
          if (decision.ok) told.apply(decision.change)
        }
        for (const { revision, command, outcome } of decided)
          told.at(revision, world => {
            const again = chooseAndClaim(world, command, 99)
            expect(again.ok ? again.answer : again.refusal).toEqual(outcome)
          })
      }),
      { numRuns: countRuns(100) },
    )
  })
})

const rowsOf = (world: World) =>
  (['consumers', 'allocations', 'server_group_members', 'server_requests', 'inventories'] as const).map(
    table => [...world.rows(table)],
  )

/** By policy, how many members are on which host. */
function membersByHost({ compute, consumers, providers }: World): Map<string, Map<string, number>> {
  const found = new Map<string, Map<string, number>>()
  for (const group of compute.groups.all()) {
    const counts = new Map<string, number>()
    for (const { consumer_id } of compute.listMembers(group.id)) {
      const [held] = consumers.holdings(consumer_id as never)
      const host = providers.name(held?.provider as never)
      counts.set(host, (counts.get(host) ?? 0) + 1)
    }
    found.set(group.policy, counts)
  }
  return found
}
