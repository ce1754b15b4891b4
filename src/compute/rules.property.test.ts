/** Hosts, aggregates and groups changed at random by the rules of compute and Placement, beside a small model of them. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRuns } from '../../test/property-runs.ts'
import type { ConsumerSlot } from '../kernel/ids.ts'
import { placementRules } from '../placement/rules.ts'
import { listAllHosts } from '../scheduling/hosts/hosts.ts'
import { checkWorld } from '../server/check-world.ts'
import { insert } from '../world/change.ts'
import type { Decision } from '../world/decision.ts'
import { collectNames } from '../world/naming.ts'
import { mirroredTables } from '../world/tables.ts'
import { World } from '../world/world.ts'
import { listHosts } from './aggregates/aggregates.ts'
import { computeRules } from './rules.ts'

const HOSTS = ['h0', 'h1', 'h2']
const AGGREGATES = ['a0', 'a1', 'a2']
const ZONES = ['east', 'west']
const CONSUMERS = ['c0', 'c1', 'c2', 'c3']
const rules: Readonly<Record<string, unknown>> = { ...placementRules, ...computeRules }

/** What should be so. */
class Model {
  /** By host, the aggregates that Placement has it in, and whether the host aggregate made it so. */
  readonly placed = new Map<string, Map<string, boolean>>()
  readonly aggregates = new Map<string, { hosts: Set<string>; zone: string | null }>()
  readonly held = new Map<string, string>()
  readonly groups = new Set<string>()
  readonly groupOf = new Map<string, string>()

  zonesOf(host: string, except: string): Set<string> {
    const zones = new Set<string>()
    for (const [name, { hosts, zone }] of this.aggregates)
      if (name !== except && zone !== null && hosts.has(host)) zones.add(zone)
    return zones
  }

  isBusy = (host: string): boolean => [...this.held.values()].includes(host)
}

class Both {
  readonly world = new World()
  readonly model = new Model()

  constructor() {
    this.do('placement:sync-standards', { classes: ['VCPU'], traits: ['MISC_SHARES_VIA_AGGREGATE'] })
  }

  do(kind: string, command: object): boolean {
    const rule = rules[kind] as (world: World, command: object, nowMs: number) => Decision<unknown, unknown>
    const before = this.rows()
    const decision = rule(this.world, command, 1_000)
    expect(this.rows()).toEqual(before)
    if (!decision.ok) return false
    this.put(decision.change)
    return true
  }

  put(change: Parameters<World['apply']>[0]): void {
    const before = this.rows()
    collectNames(this.world, change)
    this.world.apply(change)
    this.world.undo(change)
    expect(this.rows()).toEqual(before)
    this.world.apply(change)
  }

  rows(): Record<string, unknown[]> {
    const sorted = (rows: Iterable<unknown>) => [...rows].map(row => JSON.stringify(row)).sort()
    return Object.fromEntries(mirroredTables.map(({ name }) => [name, sorted(this.world.rows(name))]))
  }

  idOf = (aggregate: string): number => this.world.compute.findAggregateByName(aggregate)?.id ?? 999

  compare(): void {
    const { world, model } = this
    expect(checkWorld(world)).toEqual({ items: [], count: 0 })
    const { compute, providers } = world
    expect(
      listAllHosts(world)
        .map(slot => providers.name(slot))
        .sort(),
    ).toEqual([...model.placed.keys()].sort())
    for (const [name, { hosts, zone }] of model.aggregates) {
      expect(listHosts(world, this.idOf(name)).sort()).toEqual([...hosts].sort())
      expect(compute.aggregate(this.idOf(name)).metadata.get('availability_zone') ?? null).toBe(zone)
    }
    for (const [host, placed] of model.placed) {
      const slot = providers.findName(host) as never
      const uuids = world.providerAggregates.list(slot).map(id => world.aggregates.uuid(id))
      expect(uuids.sort()).toEqual([...placed.keys()].sort())
      const inside = [...model.aggregates].filter(([, { hosts }]) => hosts.has(host)).map(([name]) => name)
      const views = compute.getAggregates(slot)
      expect(views.map(one => one.name).sort()).toEqual(inside.sort())
      // Hosts in the same aggregates have the same list.
      for (const other of listAllHosts(world))
        if (
          JSON.stringify(compute.getAggregates(other).map(one => one.id)) ===
          JSON.stringify(views.map(one => one.id))
        )
          if (views.length > 0) expect(compute.getAggregates(other)).toBe(views)
    }
    const members = Object.fromEntries(
      CONSUMERS.flatMap(uuid => {
        const slot = world.consumers.find(uuid)
        const member = slot === undefined ? undefined : compute.groupOf(slot)
        return member === undefined ? [] : [[uuid, compute.groups.row(member.group_id).uuid]]
      }),
    )
    expect(members).toEqual(Object.fromEntries(model.groupOf))
  }
}

type Act = (both: Both) => void

/** What a command does in the model, if it may. */
const expected = (both: Both, kind: string, command: object, may: boolean, then: () => void): void => {
  expect(both.do(kind, command), `${kind} ${JSON.stringify(command)}`).toBe(may)
  if (may) then()
}

const acts: readonly ((host: string, aggregate: string, zone: string, consumer: string) => Act)[] = [
  host => both => {
    const command = { host, uuid: `uuid-${host}`, inventories: [['VCPU', record]] }
    const { placed } = both.model
    expected(both, 'compute:add-host', command, !placed.has(host), () => placed.set(host, new Map()))
  },
  host => both => {
    const { model } = both
    expected(both, 'compute:remove-host', { host }, model.placed.has(host) && !model.isBusy(host), () =>
      forget(model, host),
    )
  },
  host => both => {
    const { model } = both
    const command = { provider: `uuid-${host}` }
    expected(both, 'placement:delete-provider', command, model.placed.has(host) && !model.isBusy(host), () =>
      forget(model, host),
    )
  },
  (_, aggregate) => both => {
    const { aggregates } = both.model
    const command = { uuid: `uuid-${aggregate}`, name: aggregate, zone: null }
    expected(both, 'compute:create-aggregate', command, !aggregates.has(aggregate), () =>
      aggregates.set(aggregate, { hosts: new Set(), zone: null }),
    )
  },
  (_, aggregate) => both => {
    const { aggregates } = both.model
    const may = aggregates.get(aggregate)?.hosts.size === 0
    const command = { aggregate: both.idOf(aggregate) }
    expected(both, 'compute:delete-aggregate', command, may, () => aggregates.delete(aggregate))
  },
  (_, aggregate, zone) => both => {
    const { model } = both
    const it = model.aggregates.get(aggregate)
    const fits = (host: string) => model.zonesOf(host, aggregate).isSubsetOf(new Set([zone]))
    const may =
      it !== undefined && [...it.hosts].every(host => fits(host) && (it.zone === zone || !model.isBusy(host)))
    const command = { aggregate: both.idOf(aggregate), metadata: { availability_zone: zone } }
    expected(both, 'compute:change-aggregate', command, may, () => {
      ;(it as { zone: string }).zone = zone
    })
  },
  (host, aggregate) => both => {
    const { model } = both
    const it = model.aggregates.get(aggregate)
    const zoneFits = it?.zone == null || model.zonesOf(host, aggregate).isSubsetOf(new Set([it.zone]))
    const may = it !== undefined && model.placed.has(host) && !it.hosts.has(host) && zoneFits
    const command = { aggregate: both.idOf(aggregate), host }
    expected(both, 'compute:add-aggregate-host', command, may, () => {
      it?.hosts.add(host)
      const placed = model.placed.get(host)
      if (placed?.has(`uuid-${aggregate}`) === false) placed.set(`uuid-${aggregate}`, true)
    })
  },
  (host, aggregate) => both => {
    const { model } = both
    const it = model.aggregates.get(aggregate)
    const command = { aggregate: both.idOf(aggregate), host }
    expected(both, 'compute:remove-aggregate-host', command, it?.hosts.has(host) === true, () => {
      it?.hosts.delete(host)
      const placed = model.placed.get(host)
      if (placed?.get(`uuid-${aggregate}`) === true) placed.delete(`uuid-${aggregate}`)
    })
  },
  (host, aggregate, zone) => both => {
    const placed = both.model.placed.get(host)
    const aggregates = zone === 'east' ? [`uuid-${aggregate}`] : []
    const command = { provider: `uuid-${host}`, generation: null, aggregates }
    expected(both, 'placement:set-aggregates', command, placed !== undefined, () => {
      for (const uuid of placed?.keys() ?? []) if (!aggregates.includes(uuid)) placed?.delete(uuid)
      for (const uuid of aggregates) if (placed?.has(uuid) === false) placed.set(uuid, false)
    })
  },
  (host, _, __, consumer) => both => {
    const { model } = both
    const claims = [
      {
        consumer,
        projectId: 'p',
        userId: 'u',
        allocations: [{ provider: `uuid-${host}`, resources: [['VCPU', 1]] }],
      },
    ]
    expected(both, 'placement:replace-allocations', { claims }, model.placed.has(host), () =>
      model.held.set(consumer, host),
    )
  },
  (_, __, zone, consumer) => both => {
    const { model } = both
    const may = model.held.has(consumer)
    const gone = () => {
      model.held.delete(consumer)
      model.groupOf.delete(consumer)
    }
    if (zone === 'east') expected(both, 'placement:delete-allocations', { consumer }, may, gone)
    else {
      const claims = [{ consumer, projectId: 'p', userId: 'u', allocations: [] }]
      expected(both, 'placement:replace-allocations', { claims }, true, gone)
    }
  },
  (_, __, zone) => both => {
    const fields = {
      uuid: zone,
      name: zone,
      policy: 'affinity',
      max_server_per_host: null,
      project_id: 'p',
      user_id: 'u',
    }
    if (both.model.groups.has(zone)) return
    expected(both, 'compute:create-group', { fields, perProjectMax: 1_000 }, true, () =>
      both.model.groups.add(zone),
    )
  },
  (_, __, zone) => both => {
    const { model } = both
    expected(both, 'compute:delete-group', { group: zone }, model.groups.has(zone), () => {
      model.groups.delete(zone)
      for (const [consumer, group] of model.groupOf) if (group === zone) model.groupOf.delete(consumer)
    })
  },
  (_, __, zone, consumer) => both => {
    const { model, world } = both
    if (!model.groups.has(zone) || !model.held.has(consumer) || model.groupOf.has(consumer)) return
    const consumer_id = world.consumers.find(consumer) as ConsumerSlot
    const group_id = world.compute.groups.find(zone)?.id as number
    both.put({ ops: [insert('server_group_members', { consumer_id, group_id })] })
    model.groupOf.set(consumer, zone)
  },
]

const record = { total: 100, reserved: 0, minUnit: 1, maxUnit: 100, stepSize: 1, allocationRatio: 1 }

function forget(model: Model, host: string): void {
  model.placed.delete(host)
  for (const { hosts } of model.aggregates.values()) hosts.delete(host)
}

const act = fc
  .tuple(
    fc.nat(acts.length - 1),
    fc.constantFrom(...HOSTS),
    fc.constantFrom(...AGGREGATES),
    fc.constantFrom(...ZONES),
    fc.constantFrom(...CONSUMERS),
  )
  .map(([which, ...names]) => acts[which]?.(...names) as Act)

/** Something to begin with: an empty world takes long to get anywhere. */
const [addHost, , , createAggregate] = acts
const createGroup = acts[11]
const furnishing: readonly Act[] = [
  ...HOSTS.map(host => addHost?.(host, '', '', '') as Act),
  ...AGGREGATES.map(aggregate => createAggregate?.('', aggregate, '', '') as Act),
  ...ZONES.map(zone => createGroup?.('', '', zone, '') as Act),
]

test('after any commands hosts, aggregates, Placement and groups agree with a model', () => {
  fc.assert(
    fc.property(fc.array(act, { minLength: 40, maxLength: 80, size: 'max' }), all => {
      const both = new Both()
      for (const one of [...furnishing, ...all]) {
        one(both)
        both.compare()
      }
    }),
    { numRuns: countRuns(200) },
  )
})
