import { LIST_BODY_BYTES } from '../../http/api.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import type { Miss } from '../../placement/explain/misses.ts'
import { getOrCompute } from '../../scheduling/framework/memoize.ts'
import { hostsText } from '../../scheduling/framework/refusal-text.ts'
import { type CountingWay, countFits, type Fits, type FitsEnd } from '../../scheduling/hosts/count-fits.ts'
import { type Drained, drainHosts, findHolders } from '../../scheduling/hosts/drain.ts'
import { findZone } from '../../scheduling/hosts/hosts.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import {
  CLAIMS_MAX,
  DRAINED_SERVERS_MAX,
  HOSTS_DEFAULT,
  type SimulateBody,
  simulateAnswer,
  simulateBody,
} from '../../wire/simulation.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import type { ScheduleContext } from './schedule.routes.ts'
import { askProblem, displacedServerBody } from './schedule-answers.ts'
import { findHost, listHintWarnings, parseAsk } from './server-asks.ts'
import { addHosts, changeInventories } from './simulated-changes.ts'
import { pauseUntilGone } from './stop-when-gone.ts'
import type { WorldCopyPool } from './world-copies.ts'

export function simulateRoutes(context: ScheduleContext, privateWorld: WorldCopyPool): V1Route[] {
  const { world, setup } = context
  return [
    v1Route({
      method: 'POST',
      changesNothing: true,
      path: '/simulate',
      operation: 'berth:simulate',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Count how many more servers fit, now or after changes',
      description:
        'How many more servers of the request could be claimed, one after the other: in all, and by zone, host aggregate ' +
        'and host; and what limits it. With `drain`, `add` or `inventories`, the same after these changes, and where the ' +
        'servers of the drained hosts would go. Runs on a copy of the state: nothing is written and no request waits. One ' +
        'replay or simulation at a time.',
      body: simulateBody,
      answer: { description: 'The result.', shape: simulateAnswer },
      problems: {
        400: 'The request is malformed, or cannot be translated for Placement.',
        404: 'There is no such flavor, host, server group, host aggregate, provider or resource class.',
        409: 'A change would be refused.',
        503: 'Another replay or simulation is running: try again.',
      },
      async handle({ body, credentials, onClose }) {
        const pause = pauseUntilGone(onClose)
        const ask: ServerAsk = { ...parseAsk(world, body, credentials), operation: 'create', instances: [] }
        const warnings = listHintWarnings(world, body.hints, setup())
        return privateWorld.lend(async copy => ({
          revision: copy.world.revision,
          ...(await simulate(copy, context, body, ask, pause)),
          warnings,
        }))
      },
    }),
  ]
}

/** Changes the copy, so it cannot be used again. */
async function simulate(
  copy: WorldCopy,
  context: ScheduleContext,
  body: SimulateBody,
  ask: ServerAsk,
  pause: () => Promise<void>,
) {
  const { world } = copy
  const { newUuid } = context
  const setup = context.setup()
  const way: CountingWay = {
    newUuid,
    seed: body.seed ?? 0,
    nowMs: context.clock.nowMs(),
    pause,
    claimsMax: body.limit ?? CLAIMS_MAX,
  }
  const count = async (now: ServerAsk) => {
    await pause()
    const fits = await countFits(copy, now, setup, way)
    await pause()
    if (fits.kind !== 'fits') throw askProblem(fits)
    const { defaultAvailabilityZone } = setup.settings
    return fitsBody(world, fits, defaultAvailabilityZone, body.hosts_max ?? HOSTS_DEFAULT, pause)
  }
  const hosts = findDrained(world, body)
  const before = await count(ask)
  const { drain = [], add = [], inventories = [] } = body
  if (drain.length + add.length + inventories.length === 0)
    return { before, after: null, change: null, added: [], ...drainedBody(world, { servers: [], others: 0 }) }
  const added = await addHosts(copy, add, way)
  changeInventories(copy, inventories, way.nowMs)
  const drained = await drainHosts(copy, hosts, setup, way)
  const not_hosts = [...ask.not_hosts, ...hosts.map(slot => world.providers.uuid(slot))]
  const after = await count({ ...ask, not_hosts })
  return { before, after, change: after.fits - before.fits, added, ...drainedBody(world, drained) }
}

function findDrained(world: World, { drain = [] }: SimulateBody): ProviderSlot[] {
  const uuids = new Set(drain.map(one => findHost(world, one)))
  const hosts = [...uuids].map(uuid => world.providers.find(uuid) as ProviderSlot)
  const servers = findHolders(world, hosts).servers.length
  if (servers <= DRAINED_SERVERS_MAX) return hosts
  throw new Problem(
    400,
    'simulate.too-many-servers',
    `drain: ${servers} servers are on these hosts; at most ${DRAINED_SERVERS_MAX} can be moved in one simulation.`,
    { field: 'drain', servers, max: DRAINED_SERVERS_MAX },
  )
}

const drainedBody = (world: World, { servers, others }: Drained) => ({
  drained: servers.map(one => displacedServerBody(world, one)),
  stuck: servers.filter(({ to }) => to === null).length,
  others,
})

/** Counts of all hosts; `pause` lets other requests run. */
async function fitsBody(
  world: World,
  { hosts, truncated, searchExhausted }: Fits,
  defaultZone: string,
  hostsMax: number,
  pause: () => Promise<void>,
) {
  const { providers, compute } = world
  const zones = new Map<string, { hosts: number; fits: number }>()
  const aggregates = new Map(compute.listAggregates().map(one => [one.id, { hosts: 0, fits: 0 }]))
  const bars = new Bars()
  const some: Fits['hosts'][number][] = []
  let sum = 0
  for (const [at, host] of hosts.entries()) {
    const { slot, fits, end } = host
    sum += fits
    if (fits > 0) some.push(host)
    const counts = compute.getAggregates(slot).map(({ id }) => aggregates.get(id))
    for (const count of [getOrCompute(zones, findZone(world, slot, defaultZone), newCount), ...counts])
      if (count !== undefined) {
        count.hosts++
        count.fits += fits
      }
    bars.add(end)
    if (at % HOSTS_PER_TURN === 0) await pause()
  }
  await pause()
  some.sort((a, b) => b.fits - a.fits)
  return {
    fits: sum,
    hosts: hosts.length,
    hosts_that_fit: some.length,
    by_zone: [...zones].map(([zone, of]) => ({ zone, ...of })).sort((a, b) => (a.zone < b.zone ? -1 : 1)),
    by_aggregate: compute.listAggregates().map(({ id, name, uuid }) => ({
      aggregate: name,
      uuid,
      ...(aggregates.get(id) ?? newCount()),
    })),
    by_host: some.slice(0, hostsMax).map(({ slot, fits }) => ({
      host: providers.name(slot),
      provider: providers.uuid(slot),
      fits,
    })),
    by_host_left_out: Math.max(0, some.length - hostsMax),
    ends: bars.list(),
    is_cut: truncated,
    is_exhausted: searchExhausted,
  }
}

const newCount = () => ({ hosts: 0, fits: 0 })

/** Hosts between two calls of `pause`. */
const HOSTS_PER_TURN = 100

interface Bar {
  readonly by: string
  readonly name: string
  readonly code: string
}

/** How many hosts each reason keeps from taking more servers. */
class Bars {
  /** By code, then by name: names may be long, and the same text is found again without reading it. */
  readonly #counts = new Map<string, Map<string, Bar & { hosts: number }>>()
  /** The texts of lists, which hosts share. */
  readonly #texts = new Map<readonly string[], string>()
  readonly #join = (names: readonly string[]) => getOrCompute(this.#texts, names, () => names.join(', '))

  /** A reason counts once per host. */
  add(end: FitsEnd): void {
    const own = listBars(end, this.#join).map(bar =>
      getOrCompute(
        getOrCompute(this.#counts, `${bar.by} ${bar.code}`, () => new Map()),
        bar.name,
        () => ({ ...bar, hosts: 0 }),
      ),
    )
    for (const count of own.length === 1 ? own : new Set(own)) count.hosts++
  }

  /** Most hosts first. */
  list() {
    return [...this.#counts.values()]
      .flatMap(byName => [...byName.values()])
      .sort((a, b) => b.hosts - a.hosts || (a.name < b.name ? -1 : 1))
      .map(bar => ({ ...bar, text: hostsText(bar.code, bar.by === 'filter' ? null : bar.name, bar.hosts) }))
  }
}

function listBars(end: FitsEnd, join: (names: readonly string[]) => string): Bar[] {
  switch (end.kind) {
    case 'no-room':
      return end.misses.map(miss => makeMissBar(miss, join))
    case 'refused':
      return end.refusals.flatMap(({ filter, reasons }) =>
        reasons.map(({ code }) => ({ by: 'filter', name: filter, code })),
      )
    case 'not-booked':
      return [{ by: 'booking', name: 'allocations', code: 'not-booked' }]
    case 'left-out':
      return [{ by: 'left-out', name: 'host', code: 'left-out' }]
    case 'cut':
      return [{ by: 'limit', name: 'limit', code: 'cut' }]
    default:
      return end satisfies never
  }
}

function makeMissBar(miss: Miss, join: (names: readonly string[]) => string): Bar {
  const { kind: code } = miss
  switch (miss.kind) {
    case 'no-inventory':
    case 'short':
    case 'units':
      return { by: 'resource', name: miss.class, code }
    case 'trait-missing':
    case 'root-trait-missing':
      return { by: 'trait', name: join(miss.anyOf), code }
    case 'trait-forbidden':
    case 'root-trait-forbidden':
      return { by: 'trait', name: miss.trait, code }
    case 'not-in-aggregate':
      return { by: 'aggregate', name: join(miss.anyOf), code }
    case 'in-forbidden-aggregate':
      return { by: 'aggregate', name: miss.aggregate, code }
    case 'other-tree':
      return { by: 'tree', name: miss.tree, code }
    case 'not-together':
      return { by: 'combination', name: 'groups', code }
    default:
      return miss satisfies never
  }
}
