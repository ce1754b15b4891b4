import { type Credentials, LIST_BODY_BYTES } from '../../http/api.ts'

import type { ProviderSlot } from '../../kernel/ids.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { findHolders } from '../../scheduling/hosts/drain.ts'
import type { AskRefusal } from '../../scheduling/hosts/host-selection.ts'
import { findServerName } from '../../scheduling/hosts/known-server.ts'
import type { ServerAsk, ServerSpec } from '../../scheduling/hosts/server-spec.ts'
import { makePlan } from '../../scheduling/plans/make-plan.ts'
import type { Plan, PlanBudget, PlanGoal, StuckServer } from '../../scheduling/plans/plan.ts'
import {
  PLAN_MOVES_MAX,
  PLAN_STEPS_DEFAULT,
  type PlanBody,
  planBody,
  planShape,
  type ServerPlan,
} from '../../wire/plan.ts'
import type { FlavorRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import type { ScheduleContext } from './schedule.routes.ts'
import { askProblem, scheduleProblem } from './schedule-answers.ts'
import { findHost, listHintWarnings, parseAsk } from './server-asks.ts'
import { pauseUntilGone } from './stop-when-gone.ts'
import type { WorldCopyPool } from './world-copies.ts'

export function planRoutes(context: ScheduleContext, privateWorld: WorldCopyPool): V1Route[] {
  const { world, setup } = context
  return [
    v1Route({
      method: 'POST',
      changesNothing: true,
      path: '/plan',
      operation: 'berth:simulate',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Plan moves that empty hosts or make room',
      description:
        'Finds moves that drain hosts, empty hosts, make room for servers or undo fragmentation. They are in an order in which each is ' +
        'possible and breaks no group policy, hint or rule. Returns the shortest plan if the search can prove it, otherwise a good ' +
        'one. Runs on a copy of the state: nothing is written and no request waits. To make a move, send `POST /v1/move` with its ' +
        '`host`. Only one replay, simulation or plan runs at a time.',
      body: planBody,
      answer: { description: 'The plan.', shape: planShape },
      problems: {
        400: 'The request is malformed, or cannot be translated to a Placement query.',
        404: 'There is no such host or flavor.',
        503: 'Another replay, simulation or plan is running: try again.',
      },
      async handle({ body, credentials, onClose }) {
        const pause = pauseUntilGone(onClose)
        const goals = listGoals(world, body, credentials)
        const warnings = listHintWarnings(world, body.request?.hints, setup())
        return privateWorld.lend(async copy => {
          const { revision } = copy.world
          const way = {
            newUuid: context.newUuid,
            seed: body.seed ?? 0,
            nowMs: context.clock.nowMs(),
            pause,
          }
          const found = await planFirst(goals, parseBudget(body), (one, budget) =>
            makePlan(copy, one, setup(), budget, way),
          )
          return { ...renderPlan(copy.world, found.goal, found.plan), revision, warnings }
        })
      },
    }),
  ]
}

/**
 * The first plan with moves, otherwise the last. Each goal may take an equal part of the steps that are left, so that one in vain does not
 * take them all.
 */
async function planFirst(
  goals: readonly PlanGoal[],
  budget: PlanBudget,
  make: (goal: PlanGoal, budget: PlanBudget) => Promise<Plan | AskRefusal>,
): Promise<{ readonly goal: PlanGoal; readonly plan: Plan }> {
  let steps = 0
  for (let nth = 0; ; nth++) {
    const goal = goals[nth] as PlanGoal
    const isLast = nth === goals.length - 1
    const stepsMax = Math.max(1, Math.floor((budget.stepsMax - steps) / (goals.length - nth)))
    const plan = await make(goal, { ...budget, stepsMax })
    if ('kind' in plan) {
      if (isLast) throw askProblem(plan)
      continue
    }
    steps += plan.steps
    if (isLast || plan.moves.length > 0) return { goal, plan: { ...plan, steps } }
  }
}

/** One goal; to defragment without a request, one for each of the largest flavors. */
function listGoals(world: World, body: PlanBody, credentials: Credentials): PlanGoal[] {
  if (body.goal !== 'defragment' || body.request !== undefined) return [parseGoal(world, body, credentials)]
  const flavors = listLargestFlavors(world)
  if (flavors.length === 0)
    throw new Problem(400, 'request.invalid', 'request: required, because there are no flavors.', {
      field: 'request',
    })
  return flavors.map(({ flavorid: flavor }) =>
    parseGoal(world, { ...body, request: { flavor } }, credentials),
  )
}

const FLAVORS_TRIED_MAX = 5

/** Those in use, or all if none is. */
function listLargestFlavors({ compute }: World): FlavorRow[] {
  const inUse = new Set(
    compute.requestShapes.list().map(({ request }) => (JSON.parse(request) as ServerSpec).flavor.name),
  )
  const all = compute.flavors.all()
  const used = all.filter(({ name }) => inUse.has(name))
  return (used.length > 0 ? used : all)
    .toSorted((a, b) => b.memory_mb - a.memory_mb || b.vcpus - a.vcpus || b.root_gb - a.root_gb)
    .slice(0, FLAVORS_TRIED_MAX)
}

/** The field that each goal requires, and all that it accepts. */
const FIELDS = {
  drain: { needs: 'hosts', takes: ['hosts'] },
  consolidate: { needs: 'free', takes: ['free'] },
  'make-room': { needs: 'request', takes: ['request', 'count'] },
  defragment: { needs: 'request', takes: ['request'] },
} as const

function parseGoal(world: World, body: PlanBody, credentials: Credentials): PlanGoal {
  const { needs, takes } = FIELDS[body.goal]
  const makeProblem = (field: string, detail: string) =>
    new Problem(400, 'request.invalid', `${field}: ${detail}`, { field })
  if (body[needs] === undefined) throw makeProblem(needs, `required with the goal ${body.goal}.`)
  for (const field of ['hosts', 'free', 'count', 'request'] as const)
    if (body[field] !== undefined && !takes.some(one => one === field))
      throw makeProblem(field, `not allowed with the goal ${body.goal}.`)
  switch (body.goal) {
    case 'drain': {
      const hosts = [...new Set(body.hosts?.map(one => findHost(world, one)))]
      if (hosts.length === 0) throw makeProblem('hosts', 'name at least one host.')
      return { kind: 'drain', hosts }
    }
    case 'consolidate':
      return { kind: 'consolidate', free: body.free as number }
    case 'make-room':
      return { kind: 'make-room', ask: parseRequest(world, body, credentials), count: body.count ?? 1 }
    case 'defragment':
      return { kind: 'defragment', ask: parseRequest(world, body, credentials) }
    default:
      return body.goal satisfies never
  }
}

const parseRequest = (world: World, body: PlanBody, credentials: Credentials): ServerAsk => ({
  ...parseAsk(world, body.request ?? {}, credentials),
  operation: 'create',
  instances: [],
})

const parseBudget = (body: PlanBody): PlanBudget => ({
  movesMax: body.moves_max ?? PLAN_MOVES_MAX,
  gibMax: body.gib_max ?? Number.POSITIVE_INFINITY,
  atOncePerHostMax: body.at_once ?? 1,
  never: new Set(body.never?.map(one => normalizeUuid(one) ?? one)),
  stepsMax: body.steps_max ?? PLAN_STEPS_DEFAULT,
})

const COUNTED = {
  drain: 'servers-on-hosts',
  consolidate: 'empty-hosts',
  'make-room': 'fitting-servers',
  defragment: 'fitting-servers',
} as const

type RenderedPlan = Omit<ServerPlan, 'revision' | 'warnings'>

function renderPlan(world: World, goal: PlanGoal, plan: Plan): RenderedPlan {
  const { moves } = plan
  const gib = moves.reduce((sum, move) => sum + move.gib, 0)
  return {
    goal: goal.kind,
    what: describeGoal(world, goal),
    is_reached: plan.isReached,
    is_shortest: plan.isShortest,
    moves: moves.map(move => ({
      instance: move.instance,
      name: findServerName(world, move.instance),
      from: move.fromName,
      from_provider: move.from,
      to: move.toName,
      to_provider: move.to,
      flavor: move.flavor,
      gib: move.gib,
      wave: move.wave,
    })),
    cost: {
      moves: moves.length,
      servers: new Set(moves.map(({ instance }) => instance)).size,
      gib: Math.round(gib * 100) / 100,
      waves: moves.at(-1)?.wave ?? 0,
    },
    gain: { of: COUNTED[goal.kind], ...plan.gain },
    stuck: plan.stuck.map(one => ({
      instance: one.instance,
      name: findServerName(world, one.instance),
      host: one.host,
      text: describeWhy(one.why),
    })),
    others: goal.kind === 'drain' ? findHolders(world, listSlots(world, goal.hosts)).others : 0,
    steps: plan.steps,
    is_exhausted: plan.isExhausted,
  }
}

const listSlots = ({ providers }: World, hosts: readonly string[]): ProviderSlot[] =>
  hosts.map(host => providers.find(host) as ProviderSlot)

function describeGoal(world: World, goal: PlanGoal): string {
  switch (goal.kind) {
    case 'drain':
      return `drain ${listSlots(world, goal.hosts)
        .map(slot => world.providers.name(slot))
        .join(', ')}`
    case 'consolidate':
      return `empty ${goal.free} more ${goal.free === 1 ? 'host' : 'hosts'}`
    case 'make-room':
      return `make room for ${goal.count} ${nameAsk(goal.ask, goal.count)}`
    case 'defragment':
      return `make room for as many ${nameAsk(goal.ask, 2)} as possible`
    default:
      return goal satisfies never
  }
}

function nameAsk({ spec }: ServerAsk, count: number): string {
  const servers = count === 1 ? 'server' : 'servers'
  return spec.flavor.name === '' ? `${servers} of the request` : `${servers} of ${spec.flavor.name}`
}

export function describeWhy(why: StuckServer['why']): string {
  switch (why.kind) {
    case 'never':
      return 'The request says that it must not move.'
    case 'several-hosts':
      return 'It has allocations on several hosts, as during a migration. Confirm or revert the migration first.'
    case 'ties':
      return `The hints of server ${why.other} tie it to its host.`
    case 'budget':
      return 'The budget does not allow another move: raise moves_max or gib_max.'
    case 'steps':
      return 'The search reached its limit before it tried this server: raise steps_max.'
    case 'refused':
      return scheduleProblem(why.refusal, null).message
    default:
      return why satisfies never
  }
}
