import type { ProviderSlot } from '../../kernel/ids.ts'
import { missText } from '../../placement/explain/words.ts'
import { keyOf } from '../../scheduling/framework/refusal.ts'
import { reasonText } from '../../scheduling/framework/refusal-text.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { isServer } from '../../scheduling/hosts/host-figures.ts'
import type { AskRefusal } from '../../scheduling/hosts/host-selection.ts'
import { isHost, listConsumers } from '../../scheduling/hosts/hosts.ts'
import { listHostsOfServer } from '../../scheduling/hosts/known-server.ts'
import { FlavorJudge, findBrokenRules, type Ground } from '../../scheduling/hosts/landing.ts'
import { specOf } from '../../scheduling/hosts/server-spec.ts'
import type { FlavorRow, HostAggregate } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'
import type { Turns } from '../api/in-turns.ts'
import { askProblem } from '../schedule/schedule-answers.ts'

/** The hosts to judge: one host, or all hosts of an aggregate. By uuid, because the state may change meanwhile. */
export interface HostSet {
  readonly hosts: readonly string[]
  readonly aggregate: HostAggregate | null
}

interface ReasonBody {
  readonly by: 'filter' | 'placement' | 'request' | 'aggregate'
  readonly filter: string | null
  readonly code: string
  readonly key: string | null
  readonly lasting: boolean
  readonly hosts: number
  readonly text: string
}

type Fit = 'fits' | 'not-now' | 'forbidden'

interface FlavorBody {
  readonly id: string
  readonly name: string
  readonly verdict: Fit
  readonly fits: number
  readonly not_now: number
  readonly forbidden: number
  readonly reasons: readonly ReasonBody[]
}

interface JudgeContext {
  readonly world: World
  readonly setup: SchedulingSetup
  readonly turns: Turns
}

interface Requester {
  readonly project: string
  readonly user: string
}

/** The most judgements (flavors times hosts) per page. */
export const JUDGEMENTS_MAX = 100_000
const REASONS_MAX = 20

/** Judges flavors in order, until there are no more or the page is full. */
export async function judgeFlavors(
  asking: JudgeContext,
  flavors: readonly FlavorRow[],
  place: HostSet,
  asker: Requester,
): Promise<FlavorBody[]> {
  const bodies: FlavorBody[] = []
  let judged = 0
  for (const { flavorid } of flavors) {
    if (judged >= JUDGEMENTS_MAX) break
    const found = await judgeFlavor(asking, flavorid, place, asker)
    if (found !== null) bodies.push(found)
    judged += Math.max(1, place.hosts.length)
  }
  return bodies
}

/** Null if the flavor was deleted meanwhile. */
async function judgeFlavor(
  { world, setup, turns }: JudgeContext,
  id: string,
  place: HostSet,
  asker: Requester,
): Promise<FlavorBody | null> {
  const tally = new Tally()
  const judge = () => {
    const row = world.compute.flavors.find(id)
    return row === undefined ? null : FlavorJudge.of(world, row, asker, setup)
  }
  let current = judge()
  let { revision, lives } = world
  for (const uuid of place.hosts) {
    // Prepared data is valid until the state changes.
    if ((await turns.give()) && (world.revision !== revision || world.lives !== lives)) {
      current = judge()
      ;({ revision, lives } = world)
    }
    const slot = world.providers.find(uuid)
    if (slot === undefined || !isHost(world, slot)) continue
    if (current === null) return null
    tally.add(groundBodies(world, current instanceof FlavorJudge ? current.findOnHost(slot) : current))
  }
  if (place.hosts.length === 0 && place.aggregate !== null && current !== null) {
    await turns.give()
    const { aggregate } = place
    tally.addEmpty(
      groundBodies(world, current instanceof FlavorJudge ? current.findInAggregate(aggregate) : current),
    )
  }
  const name = world.compute.flavors.find(id)?.name
  return name === undefined ? null : { id, name, ...tally.body() }
}

type GroundBody = Omit<ReasonBody, 'hosts'>

function groundBodies(world: World, found: readonly Ground[] | AskRefusal): GroundBody[] {
  if ('kind' in found) {
    const { code, message } = askProblem(found)
    return [{ by: 'request', filter: null, code, key: null, lasting: true, text: message }]
  }
  return found.map(ground => groundBody(world, ground))
}

function groundBody(world: World, ground: Ground): GroundBody {
  const { by, isLasting: lasting } = ground
  if (ground.by === 'placement') {
    const { miss } = ground
    const key = 'class' in miss ? miss.class : 'trait' in miss ? miss.trait : null
    return { by, filter: null, code: `placement.${miss.kind}`, key, lasting, text: missText(world, miss) }
  }
  const { filter, reason } = ground
  return { by, filter, code: reason.code, key: keyOf(reason), lasting, text: reasonText(reason) }
}

/** Counts the verdicts on a flavor over hosts. */
class Tally {
  readonly #counts: Record<Fit, number> = { fits: 0, 'not-now': 0, forbidden: 0 }
  readonly #reasons = new Map<string, { -readonly [K in keyof ReasonBody]: ReasonBody[K] }>()

  add(grounds: readonly GroundBody[]): void {
    const isForbidden = grounds.some(({ lasting }) => lasting)
    this.#counts[isForbidden ? 'forbidden' : grounds.length > 0 ? 'not-now' : 'fits']++
    this.#note(grounds)
  }

  /** An aggregate without hosts: its metadata may forbid the flavor all the same. */
  addEmpty(grounds: readonly GroundBody[]): void {
    this.#note(grounds)
    const text = 'The aggregate has no host.'
    const empty = {
      by: 'aggregate',
      filter: null,
      code: 'aggregate.empty',
      key: null,
      lasting: false,
    } as const
    this.#note([{ ...empty, text }])
  }

  #note(grounds: readonly GroundBody[]): void {
    const own = new Map(grounds.map(one => [`${one.by} ${one.filter} ${one.code} ${one.key}`, one]))
    for (const [id, ground] of own) {
      const known = this.#reasons.get(id)
      if (known === undefined) this.#reasons.set(id, { ...ground, hosts: 1 })
      else known.hosts++
    }
  }

  body(): Pick<FlavorBody, 'verdict' | 'fits' | 'not_now' | 'forbidden' | 'reasons'> {
    const { fits, 'not-now': not_now, forbidden } = this.#counts
    const reasons = [...this.#reasons.values()]
    const lasting = reasons.some(one => one.lasting)
    const verdict = fits > 0 ? 'fits' : not_now > 0 || !lasting ? 'not-now' : 'forbidden'
    const sorted = reasons.sort((a, b) => b.hosts - a.hosts || Number(b.lasting) - Number(a.lasting))
    return { verdict, fits, not_now, forbidden, reasons: sorted.slice(0, REASONS_MAX) }
  }
}

interface ViolationBody {
  readonly instance: string
  readonly name: string | null
  readonly host: string
  readonly provider: string
  readonly project_id: string
  readonly flavor: string
  readonly reasons: readonly Omit<GroundBody, 'lasting'>[]
}

interface Violations {
  readonly servers: number
  readonly unknown: number
  readonly violations: readonly ViolationBody[]
  readonly next: string | null
}

/** Servers checked before a page ends. */
export const SERVERS_MAX = 10_000

/** Where a page starts: after this server of this host, by number. */
export interface PageStart {
  readonly host: number
  readonly server: number
}

/** The servers that break the rules of their hosts, in order of hosts and servers. */
export async function findViolations(
  { world, setup, turns }: JudgeContext,
  hosts: readonly ProviderSlot[],
  after: PageStart | null,
  limit: number,
): Promise<Violations> {
  const violations: ViolationBody[] = []
  let [servers, unknown] = [0, 0]
  let last = after
  for (const slot of hosts) {
    if (after !== null && slot < after.host) continue
    await turns.give()
    if (!isHost(world, slot)) continue
    const here = listConsumers(world, slot).map(server => ({
      server,
      uuid: world.consumers.row(server).uuid,
    }))
    for (const { server, uuid } of here) {
      if (after !== null && slot === after.host && server <= after.server) continue
      if (servers >= SERVERS_MAX || violations.length >= limit)
        return { servers, unknown, violations, next: `${last?.host}-${last?.server}` }
      await turns.give()
      last = { host: slot, server }
      const found = judgeServer(world, setup, uuid, slot)
      if (found === null) continue
      servers++
      if (found === 'unknown') unknown++
      else if (found.reasons.length > 0) violations.push(found)
    }
  }
  return { servers, unknown, violations, next: null }
}

/** Null for a consumer that is not a server here (any more). */
function judgeServer(
  world: World,
  setup: SchedulingSetup,
  instance: string,
  slot: ProviderSlot,
): ViolationBody | 'unknown' | null {
  const server = world.consumers.find(instance)
  if (server === undefined || !listHostsOfServer(world, server).includes(slot)) return null
  if (!isServer(world, server)) return null
  const request = world.compute.getRequest(server)
  if (request === undefined) return 'unknown'
  const { project_id } = world.consumers.row(server)
  const grounds = groundBodies(world, findBrokenRules(world, server, slot, setup))
  return {
    instance,
    name: world.compute.nameOf(server),
    host: world.providers.name(slot),
    provider: world.providers.uuid(slot),
    project_id,
    flavor: specOf(request).flavor.name,
    reasons: grounds.map(({ lasting: _, ...ground }) => ground),
  }
}
