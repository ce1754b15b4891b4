import { findCloudHost, type HostsChange } from '../../compute/hosts/change-hosts.ts'
import { changeExistingHosts } from '../../compute/what-if.ts'
import type { ProviderSlot } from '../../kernel/ids.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { type Drained, drainHosts, findHolders } from '../../scheduling/hosts/drain.ts'
import { findHostByName } from '../../scheduling/hosts/hosts.ts'
import { findServerName } from '../../scheduling/hosts/known-server.ts'
import { FIT_FLAVORS_MAX } from '../../wire/fit.ts'
import { type HostsPreview, LISTED_MAX, type PreviewHostsBody } from '../../wire/host-changes.ts'
import { DRAINED_SERVERS_MAX } from '../../wire/simulation.ts'
import { describeCloudOwned, findCloudOwned } from '../../world/cloud-owned.ts'
import type { World } from '../../world/world.ts'
import type { WorldCopy } from '../../world/world-copy.ts'
import { pauseInTurns, Turns } from '../api/in-turns.ts'
import { Problem } from '../api/problem.ts'
import { countAllFits } from '../schedule/fit.ts'
import { scheduleProblem } from '../schedule/schedule-answers.ts'
import { toComputeProblem } from './hosts.routes.ts'
import { findViolations } from './landing.ts'

interface PreviewContext {
  readonly setup: () => SchedulingSetup
  readonly newUuid: () => string
  readonly nowMs: () => number
}

/** Makes the change on the copy and compares. The copy cannot be used again. */
export async function previewHosts(
  copy: WorldCopy,
  body: PreviewHostsBody,
  change: HostsChange,
  context: PreviewContext,
): Promise<HostsPreview> {
  const { world } = copy
  const setup = context.setup()
  const nowMs = context.nowMs()
  const { revision } = world
  const decided = changeExistingHosts(world, body.hosts, change, nowMs)
  if (!decided.ok) throw toComputeProblem(decided.refusal)
  const slots = [...new Set(body.hosts)].map(name => findHostByName(world, name) as ProviderSlot)
  const holders = findHolders(world, slots)
  if (body.drain === true) requireFewServers(holders.servers.length)
  const generations = Object.fromEntries(
    slots.map(slot => [world.providers.name(slot), world.providers.generation[slot] as number]),
  )
  const owned = findCloudHost(world, decided.answer.changed) ?? findCloudOwned(world, decided.change.ops)
  const before = await countFits(world, setup)
  const mayBreak = (body.join ?? []).length + (body.leave ?? []).length > 0
  const brokenBefore = mayBreak ? await listBroken(world, setup, slots) : NONE_BROKEN
  copy.make(decided.change)
  const brokenAfter = mayBreak ? await listBroken(world, setup, slots) : NONE_BROKEN
  const over = listOverCapacity(world, slots, Object.keys(body.allocation_ratios ?? {}))
  const way = { newUuid: context.newUuid, seed: 0, nowMs, pause: pauseInTurns() }
  const drained = body.drain === true ? await drainHosts(copy, slots, setup, way) : null
  const after = await countFits(world, setup)
  const known = new Set(brokenBefore.servers.map(({ instance }) => instance))
  const broken = brokenAfter.servers.filter(({ instance }) => !known.has(instance))
  return {
    revision,
    refused: owned === null ? null : describeCloudOwned(owned),
    ...decided.answer,
    generations,
    servers: holders.servers.length,
    others: holders.others,
    flavors: compareFits(before, after),
    flavors_truncated: before.truncated,
    over_capacity: over.slice(0, LISTED_MAX),
    over_capacity_count: over.length,
    broken: broken.slice(0, LISTED_MAX),
    broken_count: broken.length,
    broken_truncated: brokenBefore.truncated || brokenAfter.truncated,
    drained: drained === null ? null : describeDrained(world, drained),
  }
}

function requireFewServers(servers: number): void {
  if (servers <= DRAINED_SERVERS_MAX) return
  throw new Problem(
    400,
    'simulate.too-many-servers',
    `drain: ${servers} servers are on these hosts; at most ${DRAINED_SERVERS_MAX} can be moved in one preview. Choose fewer hosts.`,
    { field: 'drain', servers, max: DRAINED_SERVERS_MAX },
  )
}

function countFits(world: World, setup: SchedulingSetup) {
  const all = [...world.compute.flavors.all()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const flavors = all.slice(0, FIT_FLAVORS_MAX)
  return countAllFits(world, setup, { project: null, flavors, truncated: all.length > flavors.length })
}

type Counted = Awaited<ReturnType<typeof countFits>>

const compareFits = (before: Counted, after: Counted): HostsPreview['flavors'] =>
  before.flavors.map(({ id, name, fits, exact }, at) => {
    const then = after.flavors[at]
    return { id, name, before: fits, after: then?.fits ?? 0, exact: exact && then?.exact === true }
  })

interface Broken {
  readonly servers: HostsPreview['broken']
  readonly truncated: boolean
}

const NONE_BROKEN: Broken = { servers: [], truncated: false }
const BROKEN_MAX = 10_000

async function listBroken(
  world: World,
  setup: SchedulingSetup,
  hosts: readonly ProviderSlot[],
): Promise<Broken> {
  const sorted = hosts.toSorted((a, b) => a - b)
  const asking = { world, setup, turns: new Turns() }
  const { violations, next } = await findViolations(asking, sorted, null, BROKEN_MAX)
  const servers = violations.map(({ instance, name, host, flavor, reasons }) => ({
    instance,
    name,
    host,
    flavor,
    reason: reasons.map(({ text }) => text).join(' '),
  }))
  return { servers, truncated: next !== null }
}

/** Of the classes whose ratio changes. */
function listOverCapacity(
  { providers, inventories, classes }: World,
  hosts: readonly ProviderSlot[],
  names: readonly string[],
): HostsPreview['over_capacity'] {
  const found: HostsPreview['over_capacity'][number][] = []
  for (const host of hosts)
    for (const slot of providers.listSubtree(host))
      for (const name of names) {
        const id = classes.id(name)
        const row = id === undefined ? null : inventories.row(slot, id)
        if (id === undefined || row === null) continue
        const capacity = Math.floor((row.total - row.reserved) * row.allocation_ratio)
        const used = inventories.used(slot, id)
        if (used > capacity) found.push({ host: providers.name(host), class: name, used, capacity })
      }
  return found
}

function describeDrained(world: World, { servers }: Drained): HostsPreview['drained'] {
  const stuck = servers.filter(({ to }) => to === null)
  const counts = new Map<string, number>()
  for (const { to } of servers) if (to !== null) counts.set(to.host, (counts.get(to.host) ?? 0) + 1)
  return {
    moved: servers.length - stuck.length,
    stuck: stuck.length,
    to: [...counts]
      .map(([host, count]) => ({ host, servers: count }))
      .sort((a, b) => b.servers - a.servers || (a.host < b.host ? -1 : 1))
      .slice(0, LISTED_MAX),
    stuck_servers: stuck.slice(0, LISTED_MAX).map(({ instance, from, refusal }) => ({
      instance,
      name: findServerName(world, instance),
      host: from,
      reason: refusal === null ? '' : scheduleProblem(refusal, null).message,
    })),
  }
}
