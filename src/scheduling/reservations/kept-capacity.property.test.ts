import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../../test/property-runs.ts'
import { setHost } from '../../compute/hosts/hosts.ts'
import type { ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import { claimAllocations, claimSeveral, deleteAllocations } from '../../placement/allocations/allocations.ts'
import { RESERVATION_TYPE } from '../../placement/allocations/reserved.ts'
import { reshape } from '../../placement/reshaper/reshaper.ts'
import type { Change } from '../../world/change.ts'
import type { Row } from '../../world/tables.ts'
import { WorldCopy } from '../../world/world-copy.ts'
import { DEFAULT_SETUP } from '../framework/setup.ts'
import { chooseAndClaim } from '../hosts/claim.ts'
import { findHolders } from '../hosts/drain.ts'
import { sumHeldGib } from '../hosts/host-figures.ts'
import { EMPTY_SPEC, makeMoveAsk } from '../hosts/known-server.ts'
import type { ServerAsk } from '../hosts/server-spec.ts'
import { numbered, type RecordedWorld, recordHosts } from '../hosts/small-hosts.fixture.ts'
import { planFailover } from './failover.ts'
import {
  createReservation,
  deleteReservation,
  expireReservations,
  holdFailover,
  leaveClosedHosts,
} from './reservations.ts'

/** All that may happen to kept capacity, one after the other; the ledger is counted anew after each step. */

const NO_DISK = { disk: 0, ephemeral: 0, swap: 0, extra_specs: {} }
const flavorOf = (vcpus: number) => ({ ...NO_DISK, id: 'f', name: 'f', vcpus, ram: 512 * vcpus })
const specOf = (vcpus: number) => ({ ...EMPTY_SPEC, flavor: flavorOf(vcpus) })
const POOL = numbered('a', 0)
const cloud = {
  hosts: [4, 4, 2, 2].map((vcpus, nth) => ({
    vcpus,
    isDisabled: false,
    isDown: false,
    aggregates: nth < 3 ? [0] : [],
  })),
  metadata: [{}, {}, {}],
}
const HOSTS = cloud.hosts.length

const project = fc.constantFrom('p', 'q')
const vcpus = fc.constantFrom(1, 1, 2)
const host = fc.nat({ max: HOSTS - 1 })
const nth = fc.nat({ max: 9 })
const step = fc.oneof(
  fc.record({
    does: fc.constant('reserve' as const),
    vcpus,
    count: fc.integer({ min: 1, max: 3 }),
    lasts: fc.integer({ min: 2, max: 30 }),
  }),
  fc.record({ does: fc.constant('reserve-failover' as const) }),
  fc.record({ does: fc.constant('boot' as const), project, vcpus, count: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ does: fc.constant('put' as const), project, vcpus, host }),
  fc.record({ does: fc.constant('post' as const), project, vcpus, host }),
  fc.record({ does: fc.constant('move' as const), nth }),
  fc.record({ does: fc.constant('reshape' as const), nth, host }),
  fc.record({ does: fc.constant('delete-server' as const), nth }),
  fc.record({ does: fc.constant('delete-reservation' as const), nth }),
  fc.record({ does: fc.constant('fail' as const), host }),
  fc.record({ does: fc.constant('repair' as const), host }),
  fc.record({ does: fc.constant('keep' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What has to be so, told by the steps. */
class Model {
  readonly told: RecordedWorld = recordHosts(cloud)
  /** Servers and their VCPUs. */
  readonly servers = new Map<string, number>()
  now = 0
  #uuids = 0

  readonly newUuid = () => numbered('c', ++this.#uuids)

  get world() {
    return this.told.world
  }

  get rows() {
    return this.world.reservations.rows.all()
  }

  claim(ask: ServerAsk) {
    const order = { ask, setup: DEFAULT_SETUP, seed: 1, alternates: 0, sourceHolder: null }
    const decision = chooseAndClaim(this.world, { ...order, decision: 'd', rankedHosts: [] }, this.now)
    if (decision.ok) this.told.apply(decision.change)
    return decision.ok
  }

  ask(of: string, cpus: number, instances: readonly string[], reserves?: string): ServerAsk {
    const who = { project: of, user: 'u', host: null, not_hosts: [], group: null }
    const ask = { operation: 'create' as const, spec: specOf(cpus), instances, generation: null, ...who }
    return reserves === undefined ? ask : { ...ask, reserves }
  }

  newUuids = (count: number) => Array.from({ length: count }, this.newUuid)

  /** The consumers of all places of a project's reservations. */
  countUsed = () => this.rows.reduce((sum, { used }) => sum + used, 0)

  countHeld = () => this.rows.reduce((sum, { id }) => sum + this.world.reservations.countSlots(id), 0)

  async holdFailover(): Promise<void> {
    for (const { id, uuid, kind } of this.rows) {
      if (kind !== 'failover') continue
      const way = { newUuid: this.newUuid, seed: 0, nowMs: this.now, pause: async () => undefined }
      const found = await planFailover(new WorldCopy(this.world), id, POOL, DEFAULT_SETUP, way)
      this.told.does(holdFailover(this.world, { reservation: uuid, ...found }, this.now))
    }
  }
}

const allocationsOn = (nth: number, cpus: number) => [
  {
    provider: numbered('0', nth),
    resources: [['VCPU', cpus] as const, ['MEMORY_MB', 512 * cpus] as const],
  },
]

async function run(model: Model, one: Step): Promise<void> {
  const { told, world, now } = model
  switch (one.does) {
    case 'reserve': {
      const uuid = model.newUuid()
      const request = JSON.stringify(specOf(one.vcpus))
      const more = { what: 'project' as const, project: 'p', aggregate: null, from: null }
      const row = { uuid, name: uuid, count: one.count, request, until: now + one.lasts, ...more }
      told.does(createReservation(world, row, now))
      if (!model.claim(model.ask('p', one.vcpus, model.newUuids(one.count), uuid)))
        told.does(deleteReservation(world, { reservation: uuid }))
      return
    }
    case 'reserve-failover': {
      if (model.rows.some(({ kind }) => kind === 'failover')) return
      const uuid = model.newUuid()
      const more = { what: 'failover' as const, project: null, aggregate: POOL, from: null, until: null }
      told.does(createReservation(world, { uuid, name: uuid, count: 0, request: '{}', ...more }, now))
      return model.holdFailover()
    }
    case 'boot': {
      const instances = model.newUuids(one.count)
      const [used, held] = [model.countUsed(), model.countHeld()]
      if (!model.claim(model.ask(one.project, one.vcpus, instances))) return
      for (const instance of instances) model.servers.set(instance, one.vcpus)
      const taken = model.countUsed() - used
      expect(model.countHeld()).toBe(held - taken)
      expect(taken).toBeLessThanOrEqual(one.project === 'p' ? one.count : 0)
      return
    }
    case 'put':
    case 'post':
      return claimThroughPlacement(model, one)
    case 'move': {
      const server = world.consumers.find([...model.servers.keys()][one.nth] ?? '')
      if (server !== undefined) model.claim(makeMoveAsk(world, server))
      return
    }
    case 'reshape': {
      const row = model.rows[0]
      const slot = row === undefined ? undefined : world.reservations.listSlots(row.id)[one.nth]
      if (row?.kind !== 'project' || slot === undefined) return
      const { uuid, project_id: projectId, user_id: userId, generation } = world.consumers.row(slot)
      const allocations = allocationsOn(one.host, JSON.parse(row.request).flavor.vcpus)
      const claims = [{ consumer: uuid, projectId, userId, generation, type: undefined, allocations }]
      const decision = reshape(world, { inventories: [], claims }, now)
      if (decision.ok) told.apply(decision.change)
      return
    }
    case 'delete-server': {
      const consumer = [...model.servers.keys()][one.nth]
      if (consumer === undefined) return
      told.does(deleteAllocations(world, { consumer }))
      model.servers.delete(consumer)
      return
    }
    case 'delete-reservation': {
      const row = model.rows[one.nth]
      if (row !== undefined) told.does(deleteReservation(world, { reservation: row.uuid }))
      return
    }
    case 'fail':
    case 'repair': {
      const isForcedDown = one.does === 'fail'
      told.does(setHost(world, { host: `host-${one.host}`, isForcedDown }, now))
      return
    }
    case 'keep':
      return keep(model)
    default:
      return one satisfies never
  }
}

/** New servers with allocations that a client chose: one by PUT, two by POST. */
function claimThroughPlacement(model: Model, one: Extract<Step, { does: 'put' | 'post' }>): void {
  const { told, world, now } = model
  const instances = model.newUuids(one.does === 'put' ? 1 : 2)
  const owner = { projectId: one.project, userId: 'u', generation: null, type: 'INSTANCE' }
  const allocations = allocationsOn(one.host, one.vcpus)
  const claims = instances.map(consumer => ({ ...owner, consumer, allocations }))
  const used = model.countUsed()
  const [claim] = claims
  const decision =
    one.does === 'put' && claim !== undefined
      ? claimAllocations(world, { claim }, now)
      : claimSeveral(world, { claims }, now)
  if (!decision.ok) return
  told.apply(decision.change)
  for (const instance of instances) model.servers.set(instance, one.vcpus)
  expect(model.countUsed() - used).toBeLessThanOrEqual(one.project === 'p' ? instances.length : 0)
}

/** What the loop of a process does. */
async function keep(model: Model): Promise<void> {
  const { told, world, now } = model
  told.does(expireReservations(world, {}, now))
  for (const { id, uuid, kind, servers, request } of model.rows) {
    if (kind !== 'project') continue
    told.does(leaveClosedHosts(world, { reservation: uuid }))
    const cpus = JSON.parse(request).flavor.vcpus
    while (world.reservations.rows.find(uuid)!.used + world.reservations.countSlots(id) < servers)
      if (!model.claim(model.ask('p', cpus, model.newUuids(1), uuid))) break
    expect(model.claim(model.ask('p', cpus, model.newUuids(servers + 1), uuid))).toBe(false)
  }
  await model.holdFailover()
  expectFailover(model)
}

/**
 * If a reservation says that any host may fail: each does, on a copy on which others took all that was free, and all of its servers find
 * a place.
 */
function expectFailover(model: Model): void {
  const { world, now } = model
  const row = world.reservations.rows.all().find(({ kind }) => kind === 'failover')
  if (row === undefined || row.short > 0) return
  for (let nth = 0; nth < 3; nth++) {
    const { servers } = findHolders(world, [world.providers.find(numbered('0', nth)) as ProviderSlot])
    const largest = servers
      .map(({ consumer }) => ({ consumer, gib: sumHeldGib(world, consumer) }))
      .sort((a, b) => b.gib - a.gib || a.consumer - b.consumer)
    const copy = new RecordedCopy(world)
    while (copy.claims(model.ask('others', 1, [model.newUuid()]), now));
    const failed = setHost(world, { host: `host-${nth}`, isForcedDown: true }, now)
    if (failed.ok) copy.make(failed.change)
    for (const { consumer } of largest) expect(copy.claims(makeMoveAsk(world, consumer), now)).toBe(true)
    copy.end()
  }
}

class RecordedCopy extends WorldCopy {
  readonly #made: Change[] = []

  override make(change: Change): void {
    super.make(change)
    this.#made.push(change)
  }

  claims(ask: ServerAsk, now: number): boolean {
    const order = { ask, setup: DEFAULT_SETUP, seed: 0, alternates: 0, sourceHolder: null }
    const claimed = chooseAndClaim(this.world, { ...order, decision: 'd', rankedHosts: [] }, now)
    if (claimed.ok) this.make(claimed.change)
    return claimed.ok
  }

  end(): void {
    for (const change of this.#made.toReversed()) this.takeBack(change)
  }
}

/** The rows of the ledger, against what the steps said and what the reservations say. */
function expectAgreement({ world, servers, rows }: Model): void {
  const cpus = world.classes.id('VCPU')!
  const columns = world.inventories.columns(cpus)!
  const sums = new Map<number, number>()
  let [ofServers, kept] = [0, 0]
  for (const { consumer_id, provider_id, class_id, used } of world.rows('allocations') as Iterable<
    Row<'allocations'>
  >) {
    if (class_id !== cpus) continue
    sums.set(provider_id, (sums.get(provider_id) ?? 0) + used)
    const place = world.reservations.findOf(consumer_id as ConsumerSlot)
    const { consumer_type } = world.consumers.row(consumer_id as ConsumerSlot)
    expect(consumer_type === RESERVATION_TYPE).toBe(place !== undefined)
    if (place === undefined) ofServers += used
    else kept += used
  }
  for (const slot of columns.present) {
    expect(columns.used[slot]).toBe(sums.get(slot) ?? 0)
    expect(columns.used[slot]!).toBeLessThanOrEqual(columns.capacity[slot]!)
  }
  expect(ofServers).toBe([...servers.values()].reduce((sum, one) => sum + one, 0))
  let places = 0
  for (const { id, kind, used, servers: count, request } of rows) {
    const held = world.reservations.listSlots(id)
    if (kind === 'failover') {
      for (const slot of held)
        places += world.consumers
          .holdings(slot)
          .reduce((sum, one) => sum + (one.class === cpus ? one.used : 0), 0)
      continue
    }
    expect(used + held.length).toBeLessThanOrEqual(count)
    places += held.length * JSON.parse(request).flavor.vcpus
  }
  expect(kept).toBe(places)
}

const boots = fc.array(
  fc.record({ does: fc.constant('boot' as const), project: fc.constant('q'), vcpus, count: fc.constant(1) }),
  { maxLength: 4 },
)

async function runAll(steps: readonly Step[]): Promise<void> {
  const model = new Model()
  for (const one of steps) {
    model.now++
    await run(model, one)
    expectAgreement(model)
  }
  const { told, world } = model
  for (const { uuid } of model.rows) told.does(deleteReservation(world, { reservation: uuid }))
  for (const consumer of model.servers.keys()) told.does(deleteAllocations(world, { consumer }))
  expect([...world.rows('consumers')]).toEqual([])
  expect([...world.rows('reservation_slots')]).toEqual([])
}

test('whatever happens, capacity is claimed once: by a server, or by a place of a reservation; none is lost', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), runAll), { numRuns: countRuns(500) })
}, 120_000)

test('if what is kept for failover is not short, any host may fail: all its servers find a place, whatever others took', async () => {
  const keep = { does: 'keep' } as const
  await fc.assert(
    fc.asyncProperty(boots, fc.array(step, { maxLength: 8 }), (first, then) =>
      runAll([...first, { does: 'reserve-failover' }, keep, ...then, keep]),
    ),
    { numRuns: countRuns(500) },
  )
}, 120_000)
