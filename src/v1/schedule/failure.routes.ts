import { type ProviderSlot, providerSlot } from '../../kernel/ids.ts'
import {
  compareFailures,
  type FailureBudget,
  type FailureCase,
  tryFailure,
} from '../../scheduling/hosts/failure.ts'
import { isHost } from '../../scheduling/hosts/hosts.ts'
import {
  CASES_SHOWN_MAX,
  FAILED_HOSTS_MAX,
  FAILURE_MOVES_SHOWN,
  FAILURE_SERVERS_DEFAULT,
  type Failure,
  type FailureBody,
  type FailureCase as FailureCaseBody,
  failureBody,
  failureShape,
} from '../../wire/failure.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import type { ScheduleContext } from './schedule.routes.ts'
import { displacedServerBody } from './schedule-answers.ts'
import { findHost } from './server-asks.ts'
import { findAggregate } from './simulated-changes.ts'
import { pauseUntilGone } from './stop-when-gone.ts'
import type { WorldCopyPool } from './world-copies.ts'

export function failureRoutes(context: ScheduleContext, privateWorld: WorldCopyPool): V1Route[] {
  return [
    v1Route({
      method: 'POST',
      changesNothing: true,
      path: '/simulate/failure',
      operation: 'berth:simulate',
      summary: 'Simulate the failure of hosts',
      description:
        'Finds out whether every server of hosts that fail at the same time, or of each host of an aggregate alone, would find another ' +
        'place. Places the servers one by one, the largest first, each by its original request with all filters, groups and hints. ' +
        'Names the worst case. Runs on a copy of the state: nothing is written and no request waits. Only one replay, simulation or ' +
        'plan runs at a time.',
      body: failureBody,
      answer: { description: 'Where the servers would go.', shape: failureShape },
      problems: {
        400: 'The request is malformed.',
        404: 'There is no such host, rack or host aggregate.',
        503: 'Another replay, simulation or plan is running: try again.',
      },
      async handle({ body, onClose }) {
        const pause = pauseUntilGone(onClose)
        requireOneKind(body)
        return privateWorld.lend(copy => simulateFailure(copy, context, body, pause))
      },
    }),
  ]
}

const KINDS = ['hosts', 'rack', 'any_one_of'] as const

function requireOneKind(body: FailureBody): void {
  const given = KINDS.filter(kind => body[kind] !== undefined)
  if (given.length !== 1)
    throw new Problem(400, 'request.invalid', 'Give one of hosts, rack and any_one_of.', {
      field: given[1] ?? 'hosts',
    })
}

async function simulateFailure(
  copy: WorldCopy,
  context: ScheduleContext,
  body: FailureBody,
  pause: () => Promise<void>,
): Promise<Failure> {
  const { world } = copy
  const { what, cases } = listCases(world, body)
  const way = { newUuid: context.newUuid, seed: body.seed ?? 0, nowMs: context.clock.nowMs(), pause }
  const budget: FailureBudget = { serversLeft: body.servers_max ?? FAILURE_SERVERS_DEFAULT }
  const tried: FailureCase[] = []
  for (const hosts of cases) {
    tried.push(await tryFailure(copy, hosts, context.setup(), way, budget))
    await pause()
  }
  const byBadness = tried.toSorted(compareFailures)
  const failing = byBadness.filter(({ stuck }) => stuck > 0)
  const untried = tried.filter(one => countUntried(one) > 0).length
  const [worst] = byBadness
  return {
    revision: world.revision,
    what,
    survives: failing.length > 0 ? 'no' : untried > 0 ? 'unknown' : 'yes',
    cases: cases.length,
    untried,
    failing: failing.slice(0, CASES_SHOWN_MAX).map(one => renderCase(world, one)),
    failing_left_out: Math.max(0, failing.length - CASES_SHOWN_MAX),
    worst: worst === undefined ? null : renderWorst(world, worst, body.moves_max ?? FAILURE_MOVES_SHOWN),
    is_exhausted: untried > 0,
  }
}

/** The cases: in each, these hosts fail at the same time. */
function listCases(world: World, body: FailureBody): { what: string; cases: ProviderSlot[][] } {
  const { hosts, rack, any_one_of } = body
  if (hosts !== undefined) {
    const all = [...new Set(hosts.map(one => world.providers.find(findHost(world, one)) as ProviderSlot))]
    return { what: `failure of ${listNames(world, all)}`, cases: [all] }
  }
  if (rack !== undefined) return { what: `failure of rack ${rack}`, cases: [listRack(world, rack)] }
  const aggregate = findAggregate(world, any_one_of as string)
  const alone = listMembers(world, aggregate).map(host => [host])
  return { what: `failure of any one host of ${any_one_of}`, cases: alone }
}

const NAMES_MAX = 5

function listNames({ providers }: World, hosts: readonly ProviderSlot[]): string {
  const names = hosts.slice(0, NAMES_MAX).map(slot => providers.name(slot))
  return hosts.length > NAMES_MAX
    ? `${names.join(', ')} and ${hosts.length - NAMES_MAX} more`
    : names.join(', ')
}

const listMembers = (world: World, aggregate: number): ProviderSlot[] =>
  world.compute.aggregateHosts
    .list(aggregate)
    .map(({ provider_id }) => providerSlot(provider_id))
    .filter(host => isHost(world, host))

function listRack(world: World, rack: string): ProviderSlot[] {
  const { compute } = world
  const named = compute.listAggregates().filter(({ metadata }) => metadata.get('rack') === rack)
  const ids = named.length > 0 ? named.map(({ id }) => id) : [findAggregate(world, rack)]
  const hosts = [...new Set(ids.flatMap(id => listMembers(world, id)))]
  if (hosts.length <= FAILED_HOSTS_MAX) return hosts
  throw new Problem(
    400,
    'request.invalid',
    `rack: at most ${FAILED_HOSTS_MAX} hosts can fail at a time, not ${hosts.length}.`,
    {
      field: 'rack',
    },
  )
}

const countUntried = ({ servers, tried }: FailureCase): number => servers - tried.length

const HOSTS_SHOWN_MAX = 100

const renderCase = ({ providers }: World, one: FailureCase) => ({
  hosts: one.hosts
    .slice(0, HOSTS_SHOWN_MAX)
    .map(slot => ({ host: providers.name(slot), provider: providers.uuid(slot) })),
  servers: one.servers,
  stuck: one.stuck,
  gib_stuck: Math.round(one.gibStuck * 100) / 100,
  untried: countUntried(one),
  others: one.others,
})

function renderWorst(world: World, worst: FailureCase, movesMax: number): FailureCaseBody {
  const stuckFirst = worst.tried.toSorted((a, b) => Number(a.to !== null) - Number(b.to !== null))
  return {
    ...renderCase(world, worst),
    moves: stuckFirst.slice(0, movesMax).map(one => displacedServerBody(world, one)),
    moves_left_out: Math.max(0, worst.tried.length - movesMax),
  }
}
