import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deleteAllocations } from '../../placement/allocations/allocations.ts'
import { DEFAULT_SETUP } from '../framework/setup.ts'
import { chooseAndClaim } from '../hosts/claim.ts'
import { EMPTY_SPEC } from '../hosts/known-server.ts'
import type { ServerAsk } from '../hosts/server-spec.ts'
import { numbered, type RecordedWorld, recordHosts } from '../hosts/small-hosts.fixture.ts'
import { createReservation, deleteReservation, expireReservations } from './reservations.ts'

const flavor = { id: 'f', name: 'f', vcpus: 1, ram: 512, disk: 0, ephemeral: 0, swap: 0, extra_specs: {} }
const spec = { ...EMPTY_SPEC, flavor }
const [P, Q] = ['p', 'q']

const step = fc.oneof(
  fc.record({
    does: fc.constant('reserve' as const),
    count: fc.integer({ min: 1, max: 3 }),
    until: fc.integer({ min: 1, max: 40 }),
  }),
  fc.record({
    does: fc.constant('boot' as const),
    project: fc.constantFrom(P, Q),
    count: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({ does: fc.constant('delete-server' as const), nth: fc.nat({ max: 9 }) }),
  fc.record({ does: fc.constant('delete-reservation' as const), nth: fc.nat({ max: 3 }) }),
  fc.record({ does: fc.constant('wait' as const) }),
)

interface Model {
  readonly servers: Set<string>
  readonly reservations: Map<string, { count: number; used: number; held: number; until: number }>
}

const hosts = [1, 2, 4].map(vcpus => ({ vcpus, isDisabled: false, isDown: false, aggregates: [] }))
const CAPACITY = 7

const askFor = (project: string, instances: readonly string[], more: Partial<ServerAsk> = {}): ServerAsk => ({
  operation: 'create',
  spec,
  instances,
  generation: null,
  project,
  user: 'u',
  host: null,
  not_hosts: [],
  group: null,
  ...more,
})

function claim(told: RecordedWorld, ask: ServerAsk, now: number) {
  const order = { ask, setup: DEFAULT_SETUP, seed: 1, alternates: 0, sourceHolder: null }
  const decision = chooseAndClaim(told.world, { ...order, decision: 'd', rankedHosts: [] }, now)
  if (decision.ok) told.apply(decision.change)
  return decision
}

/** Counts the ledger anew, against the model. */
function expectAgreement(told: RecordedWorld, model: Model): void {
  const { world } = told
  const vcpu = world.classes.id('VCPU')!
  const columns = world.inventories.columns(vcpu)!
  let used = 0
  for (const slot of columns.present) {
    expect(columns.used[slot]!).toBeLessThanOrEqual(columns.capacity[slot]!)
    used += columns.used[slot]!
  }
  const held = [...model.reservations.values()].reduce((sum, one) => sum + one.held, 0)
  expect(used).toBe(model.servers.size + held)
  for (const [uuid, one] of model.reservations) {
    const row = world.reservations.rows.find(uuid)!
    expect([row.used, world.reservations.countSlots(row.id)]).toEqual([one.used, one.held])
    expect(one.used + one.held).toBe(one.count)
  }
}

test('reservations never let capacity be claimed twice, and lose none: all is held, used, or free again', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), steps => {
      const told = recordHosts({ hosts, metadata: [{}, {}, {}] })
      const model: Model = { servers: new Set(), reservations: new Map() }
      let nth = 0
      steps.forEach((one, now) => {
        runStep(told, model, one, now, () => numbered('c', ++nth))
        expectAgreement(told, model)
      })
      for (const uuid of model.reservations.keys())
        told.does(deleteReservation(told.world, { reservation: uuid }))
      for (const consumer of model.servers) told.does(deleteAllocations(told.world, { consumer }))
      expect([...told.world.consumers.rows()]).toEqual([])
    }),
    { numRuns: 150 },
  )
})

function runStep(
  told: RecordedWorld,
  model: Model,
  one: typeof step extends fc.Arbitrary<infer T> ? T : never,
  now: number,
  newUuid: () => string,
): void {
  const { world } = told
  const free = (): number =>
    CAPACITY - model.servers.size - [...model.reservations.values()].reduce((sum, { held }) => sum + held, 0)
  if (one.does === 'reserve') {
    const uuid = newUuid()
    const command = { uuid, name: uuid, what: 'project' as const, project: P, aggregate: null, from: null }
    const until = now + one.until
    told.does(
      createReservation(world, { ...command, count: one.count, request: JSON.stringify(spec), until }, now),
    )
    const instances = Array.from({ length: one.count }, newUuid)
    const before = free()
    const { ok } = claim(told, askFor(P, instances, { reserves: uuid }), now)
    expect(ok).toBe(before >= one.count)
    if (ok) model.reservations.set(uuid, { count: one.count, used: 0, held: one.count, until })
    else told.does(deleteReservation(world, { reservation: uuid }))
  } else if (one.does === 'boot') {
    const instances = Array.from({ length: one.count }, newUuid)
    const own =
      one.project === P ? [...model.reservations.values()].reduce((sum, { held }) => sum + held, 0) : 0
    const room = free() + own
    const { ok } = claim(told, askFor(one.project, instances), now)
    expect(ok).toBe(room >= one.count)
    if (!ok) return
    for (const instance of instances) model.servers.add(instance)
    if (one.project === P) {
      // The ledger says which reservation was used; together they lost exactly what the servers took.
      let taken = 0
      for (const [uuid, kept] of model.reservations) {
        const row = world.reservations.rows.find(uuid)!
        taken += row.used - kept.used
        kept.held -= row.used - kept.used
        kept.used = row.used
      }
      expect(taken).toBe(Math.min(one.count, own))
    }
  } else if (one.does === 'delete-server') {
    const server = [...model.servers][one.nth]
    if (server === undefined) return
    told.does(deleteAllocations(world, { consumer: server }))
    model.servers.delete(server)
  } else if (one.does === 'delete-reservation') {
    const uuid = [...model.reservations.keys()][one.nth]
    if (uuid === undefined) return
    told.does(deleteReservation(world, { reservation: uuid }))
    model.reservations.delete(uuid)
  } else {
    told.does(expireReservations(world, {}, now))
    for (const [uuid, { until }] of model.reservations) if (until <= now) model.reservations.delete(uuid)
  }
}
