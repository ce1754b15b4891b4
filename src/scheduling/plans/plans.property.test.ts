import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../../test/property-runs.ts'
import { WorldCopy } from '../../world/world-copy.ts'
import { DEFAULT_SETUP } from '../framework/setup.ts'
import { chooseAndClaim } from '../hosts/claim.ts'
import { listAllHosts } from '../hosts/hosts.ts'
import { listHostsOfServer, makeMoveAsk } from '../hosts/known-server.ts'
import { findBrokenRules } from '../hosts/landing.ts'
import {
  askOf,
  numbered,
  type RecordedWorld,
  recordHosts,
  type SmallAsk,
  serverUuid,
  smallAsk,
  smallHosts,
} from '../hosts/small-hosts.fixture.ts'
import { countFitting } from './goals.ts'
import { makePlan } from './make-plan.ts'
import type { Plan, PlanBudget, PlanGoal } from './plan.ts'
import { PlanWorld } from './plan-world.ts'

const setup = DEFAULT_SETUP
let uuids = 0
const way = {
  newUuid: () => numbered('e', ++uuids),
  seed: 0,
  nowMs: 0,
  pause: async () => undefined,
}
const NO_LIMIT: PlanBudget = {
  movesMax: 1_000,
  gibMax: 1e9,
  atOncePerHostMax: 2,
  never: new Set(),
  stepsMax: 400,
}

const asks = fc.array(smallAsk, { minLength: 2, maxLength: 5 })
const goals = fc.oneof(
  fc.record({ kind: fc.constant('drain' as const), host: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('consolidate' as const), free: fc.constantFrom(1, 2) }),
  fc.record({
    kind: fc.constant('make-room' as const),
    vcpus: fc.constantFrom(1, 2, 4),
    count: fc.constantFrom(1, 2),
  }),
  fc.record({ kind: fc.constant('defragment' as const), vcpus: fc.constantFrom(2, 4) }),
)
type SmallGoal = typeof goals extends fc.Arbitrary<infer T> ? T : never

const plain: SmallAsk = {
  vcpus: 1,
  extraSpecs: {},
  zone: null,
  count: 1,
  host: null,
  group: null,
  near: null,
  away: null,
}

function goalOf(small: SmallGoal, hosts: number): PlanGoal {
  if (small.kind === 'drain') return { kind: 'drain', hosts: [numbered('0', small.host % hosts)] }
  if (small.kind === 'consolidate') return small
  const ask = { ...askOf({ ...plain, vcpus: small.vcpus }, 99, hosts), instances: [] }
  return small.kind === 'make-room'
    ? { kind: small.kind, ask, count: small.count }
    : { kind: small.kind, ask }
}

function fill(told: RecordedWorld, all: readonly SmallAsk[], hosts: number): void {
  all.forEach((small, nth) => {
    const ask = askOf({ ...small, count: 1 }, nth, hosts)
    const decision = chooseAndClaim(told.world, commandOf(ask), 0)
    if (decision.ok) told.apply(decision.change)
  })
}

const commandOf = (ask: ReturnType<typeof makeMoveAsk>) => ({
  ask,
  setup,
  seed: 1,
  decision: 'd',
  alternates: 0,
  sourceHolder: null,
  rankedHosts: [],
})

async function plan(told: RecordedWorld, goal: PlanGoal, budget = NO_LIMIT): Promise<Plan> {
  const made = await makePlan(new WorldCopy(told.world), goal, setup, budget, way)
  if ('kind' in made) throw new Error(made.kind)
  return made
}

/** Rules that servers break on their hosts. */
function listBroken({ world }: RecordedWorld): string[] {
  return [...world.rows('consumers')].flatMap(({ id, uuid }) => {
    const [host] = listHostsOfServer(world, id as never)
    if (host === undefined) return []
    const broken = findBrokenRules(world, id as never, host, setup)
    return 'kind' in broken ? [] : broken.map(ground => `${uuid} ${JSON.stringify(ground)}`)
  })
}

const rowsOf = ({ world }: RecordedWorld) =>
  [...world.rows('allocations')].map(row => JSON.stringify(row)).sort()

/** How far a goal is reached, by other means than those of the plan. */
async function isReached(told: RecordedWorld, goal: PlanGoal, wanted: number | null): Promise<boolean> {
  const { world } = told
  const state = new PlanWorld(new WorldCopy(world), setup, way, NO_LIMIT)
  const hosts = listAllHosts(world).map(slot => world.providers.uuid(slot))
  if (goal.kind === 'drain') return goal.hosts.every(host => state.listServers(host).length === 0)
  if (goal.kind === 'consolidate')
    return hosts.filter(host => state.listServers(host).length === 0).length >= (wanted as number)
  return (await countFitting(state, goal.ask, 100)) >= (wanted as number)
}

test('a plan applied step by step: each move is possible, breaks no rule, and it ends where it said', async () => {
  await fc.assert(
    fc.asyncProperty(smallHosts, asks, goals, async (cloud, all, small) => {
      const told = recordHosts(cloud)
      fill(told, all, cloud.hosts.length)
      const goal = goalOf(small, cloud.hosts.length)
      const before = rowsOf(told)
      const made = await plan(told, goal)
      expect(rowsOf(told)).toEqual(before)
      const broken = new Set(listBroken(told))
      for (const move of made.moves) {
        const { world } = told
        const server = world.consumers.find(move.instance) as never
        expect(world.providers.uuid(listHostsOfServer(world, server)[0] as never)).toBe(move.from)
        const ask = { ...makeMoveAsk(world, server), host: move.to, not_hosts: [move.from] }
        const decision = chooseAndClaim(world, commandOf(ask), 0)
        expect(decision.ok).toBe(true)
        told.does(decision)
        expect(listBroken(told).filter(one => !broken.has(one))).toEqual([])
      }
      const wanted = goal.kind === 'defragment' ? made.gain.after : made.gain.wanted
      expect(await isReached(told, goal, wanted)).toBe(made.isReached)
    }),
    { numRuns: countRuns(100) },
  )
}, 120_000)

test('the moves of a wave may be made in any order', async () => {
  await fc.assert(
    fc.asyncProperty(smallHosts, asks, goals, async (cloud, all, small) => {
      const told = recordHosts(cloud)
      fill(told, all, cloud.hosts.length)
      const { moves } = await plan(told, goalOf(small, cloud.hosts.length))
      for (const { wave } of moves.toReversed())
        for (const host of cloud.hosts.keys()) {
          const uuid = numbered('0', host)
          const there = moves.filter(one => one.wave === wave && [one.from, one.to].includes(uuid))
          expect(there.length).toBeLessThanOrEqual(2)
        }
      const backwards = moves.toSorted((a, b) => a.wave - b.wave || moves.indexOf(b) - moves.indexOf(a))
      for (const move of backwards) {
        const server = told.world.consumers.find(move.instance) as never
        const ask = { ...makeMoveAsk(told.world, server), host: move.to, not_hosts: [] }
        told.does(chooseAndClaim(told.world, commandOf(ask), 0))
      }
    }),
    { numRuns: countRuns(100) },
  )
}, 120_000)

/** The least number of moves, by trying all; null if none of at most so many does. */
async function findLeast(
  told: RecordedWorld,
  goal: PlanGoal,
  wanted: number,
  movesMax: number,
): Promise<number | null> {
  const { world } = told
  const closed = new Set(goal.kind === 'drain' ? goal.hosts : [])
  const hosts = listAllHosts(world).map(slot => world.providers.uuid(slot))
  const servers = [...world.rows('server_requests')].map(({ consumer_id }) => consumer_id)
  const state = new PlanWorld(new WorldCopy(world), setup, way, { ...NO_LIMIT, stepsMax: 1e6 })
  await state.readTies()
  const visit = async (left: number): Promise<boolean> => {
    if (await isReached(told, goal, wanted)) return true
    if (left === 0) return false
    for (const server of servers)
      for (const host of hosts) {
        if (closed.has(host)) continue
        const instance = world.consumers.row(server as never).uuid
        if ((await state.tryMove(instance, host)) !== null) continue
        if (await visit(left - 1)) {
          state.undoTo(0)
          return true
        }
        state.undoTo(state.moves.length - 1)
      }
    return false
  }
  for (let moves = 0; moves <= movesMax; moves++) if (await visit(moves)) return moves
  return null
}

test('no shorter plan reaches the goal, and none is missed, as trying all moves shows', async () => {
  await fc.assert(
    fc.asyncProperty(smallHosts, asks, goals, async (cloud, all, small) => {
      const told = recordHosts({ ...cloud, hosts: cloud.hosts.slice(0, 4) })
      fill(told, all.slice(0, 4), Math.min(4, cloud.hosts.length))
      const goal = goalOf(small, Math.min(4, cloud.hosts.length))
      const made = await plan(told, goal, { ...NO_LIMIT, movesMax: 3, stepsMax: 20_000 })
      const wanted = (goal.kind === 'defragment' ? made.gain.after : made.gain.wanted) as number
      const least = await findLeast(told, goal, wanted, Math.min(3, made.isReached ? made.moves.length : 3))
      expect(made.isExhausted).toBe(false)
      if (made.isReached) {
        expect(made.isShortest).toBe(true)
        expect(made.moves.length).toBe(least)
      } else expect(least).toBeNull()
    }),
    { numRuns: countRuns(100) },
  )
}, 240_000)

test('budgets hold: moves, GiB, servers that never move', async () => {
  await fc.assert(
    fc.asyncProperty(smallHosts, asks, goals, fc.nat({ max: 2 }), async (cloud, all, small, movesMax) => {
      const told = recordHosts(cloud)
      fill(told, all, cloud.hosts.length)
      const never = new Set([serverUuid(0, 0)])
      const budget = { ...NO_LIMIT, movesMax, gibMax: 1, never, stepsMax: 200 }
      const { moves, steps } = await plan(told, goalOf(small, cloud.hosts.length), budget)
      expect(moves.length).toBeLessThanOrEqual(movesMax)
      expect(moves.reduce((sum, { gib }) => sum + gib, 0)).toBeLessThanOrEqual(1)
      expect(moves.some(({ instance }) => never.has(instance))).toBe(false)
      expect(steps).toBeLessThanOrEqual(200)
    }),
    { numRuns: countRuns(100) },
  )
}, 120_000)
