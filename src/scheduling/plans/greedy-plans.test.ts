import { expect, test } from 'vitest'
import type { Change } from '../../world/change.ts'
import { WorldCopy } from '../../world/world-copy.ts'
import { DEFAULT_SETUP } from '../framework/setup.ts'
import { chooseAndClaim } from '../hosts/claim.ts'
import { askOf, numbered, type RecordedWorld, recordHosts, serverUuid } from '../hosts/small-hosts.fixture.ts'
import { makePlan } from './make-plan.ts'
import type { PlanBudget, PlanGoal } from './plan.ts'

/** Hosts of these sizes with servers of these sizes on them; the servers are numbered through. */
function fillHosts(hosts: readonly { readonly vcpus: number; readonly servers: readonly number[] }[]) {
  const host = { isDisabled: false, isDown: false, aggregates: [] }
  const told = recordHosts({ hosts: hosts.map(({ vcpus }) => ({ ...host, vcpus })), metadata: [] })
  let request = 0
  for (const [nth, { servers }] of hosts.entries())
    for (const vcpus of servers) {
      const ask = askFor(vcpus, request++, nth, hosts.length)
      const order = { ask, setup: DEFAULT_SETUP, seed: 0, alternates: 0, sourceHolder: null }
      told.does(chooseAndClaim(told.world, { ...order, decision: 'd', rankedHosts: [] }, 0))
    }
  return told
}

const NOTHING = { extraSpecs: {}, zone: null, group: null, near: null, away: null }
const askFor = (vcpus: number, request: number, host: number | null, hosts: number) =>
  askOf({ ...NOTHING, vcpus, count: 1, host }, request, hosts)

const BUDGET: PlanBudget = {
  movesMax: 1_000,
  gibMax: 1e9,
  atOncePerHostMax: 1,
  never: new Set(),
  stepsMax: 1_000,
}

class CountedCopy extends WorldCopy {
  timesMade = 0

  override make(change: Change): void {
    this.timesMade++
    super.make(change)
  }
}

async function planOn(told: RecordedWorld, goal: PlanGoal, budget: Partial<PlanBudget>) {
  const copy = new CountedCopy(told.world)
  let uuids = 0
  let pauses = 0
  const way = {
    newUuid: () => numbered('e', ++uuids),
    seed: 0,
    nowMs: 0,
    pause: async () => void pauses++,
  }
  const plan = await makePlan(copy, goal, DEFAULT_SETUP, { ...BUDGET, ...budget }, way)
  if ('kind' in plan) throw new Error(plan.kind)
  return { plan, made: copy.timesMade, pauses }
}

const drain: PlanGoal = { kind: 'drain', hosts: [numbered('0', 0)] }

test('a server that can go at once goes, even if the steps do not suffice to make way for another', async () => {
  const told = fillHosts([
    { vcpus: 4, servers: [3, 1] },
    { vcpus: 4, servers: [1, 1, 1] },
  ])
  const { plan } = await planOn(told, drain, { stepsMax: 3 })
  expect(plan.moves.map(({ instance }) => instance)).toEqual([serverUuid(1, 0)])
  expect(plan.stuck).toMatchObject([{ instance: serverUuid(0, 0), why: { kind: 'refused' } }])
})

test('nothing is tried for servers that never move, or that the budget does not allow; others run between them', async () => {
  const told = fillHosts([
    { vcpus: 4, servers: [1, 1, 1, 1] },
    { vcpus: 4, servers: [1, 1] },
  ])
  const servers = [0, 1, 2, 3].map(nth => serverUuid(nth, 0))
  for (const [budget, kind] of [
    [{ never: new Set(servers) }, 'never'],
    [{ movesMax: 0 }, 'budget'],
  ] as const) {
    const { plan, made, pauses } = await planOn(told, drain, budget)
    expect(plan.stuck.map(({ why }) => why.kind)).toEqual(servers.map(() => kind))
    expect(made).toBe(0)
    expect(pauses).toBeGreaterThanOrEqual(servers.length)
  }
})

test('every step lets others run, also when room is made in vain', async () => {
  const hosts = Array.from({ length: 4 }, () => ({ vcpus: 4, servers: [1, 1, 1, 1] }))
  const goal: PlanGoal = { kind: 'make-room', ask: { ...askFor(2, 99, null, 4), instances: [] }, count: 1 }
  const { plan, pauses } = await planOn(fillHosts(hosts), goal, { stepsMax: 100 })
  expect(plan.isReached).toBe(false)
  expect(plan.steps).toBeGreaterThan(10)
  expect(pauses).toBeGreaterThanOrEqual(plan.steps)
})

test('counting the servers of all hosts lets others run', async () => {
  const told = fillHosts(Array.from({ length: 450 }, () => ({ vcpus: 1, servers: [] })))
  const { plan, pauses } = await planOn(told, { kind: 'consolidate', free: 1 }, {})
  expect(plan).toMatchObject({ isReached: false, gain: { before: 450, after: 450 } })
  expect(pauses).toBeGreaterThanOrEqual(2)
})
