import fc from 'fast-check'
import { addAggregateHost, createAggregate, updateAggregate } from '../../compute/aggregates/aggregates.ts'
import { createGroup } from '../../compute/groups/groups.ts'
import { addHost, setHost } from '../../compute/hosts/hosts.ts'
import standardClasses from '../../placement/data/standard-classes.json' with { type: 'json' }
import standardTraits from '../../placement/data/standard-traits.json' with { type: 'json' }
import { syncStandards } from '../../placement/standards.ts'
import { DEFAULT_SETUP, type SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { EMPTY_SPEC } from '../../scheduling/hosts/known-server.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import type { Change } from '../../world/change.ts'
import type { Decision } from '../../world/decision.ts'
import { World } from '../../world/world.ts'

/** Small random clouds of hosts, aggregates and groups, and random requests for them. */

export const numbered = (kind: string, nth: number): string =>
  `${kind.repeat(8)}-0000-4000-8000-${String(nth).padStart(12, '0')}`

const HOSTS_MAX = 5
const GROUPS = ['anti-affinity', 'affinity', 'soft-anti-affinity'] as const

interface SmallHost {
  readonly vcpus: number
  readonly isDisabled: boolean
  readonly isDown: boolean
  readonly aggregates: readonly number[]
}

export interface SmallHosts {
  readonly hosts: readonly SmallHost[]
  readonly metadata: readonly Readonly<Record<string, string>>[]
}

const values = fc.constantFrom('ssd', 'hdd', 'ssd,hdd', '<or> ssd <or> ~', '*', '~', '!')
const aggregateMetadata = fc.record(
  { disk: values, gpu: values, force_metadata_check: fc.constantFrom('true', 'false') },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, string>>

export const smallHosts: fc.Arbitrary<SmallHosts> = fc.record({
  hosts: fc.array(
    fc.record({
      vcpus: fc.constantFrom(1, 2, 4),
      isDisabled: fc.constantFrom(false, false, false, true),
      isDown: fc.constantFrom(false, false, false, false, true),
      aggregates: fc.subarray([0, 1, 2]),
    }),
    { minLength: 1, maxLength: HOSTS_MAX },
  ),
  metadata: fc.array(aggregateMetadata, { minLength: 3, maxLength: 3 }),
})

/** A world with the changes that led to it. */
export class RecordedWorld {
  readonly world = new World()
  readonly changes: Change[] = []

  does<Answer>(decision: Decision<Answer, unknown>): Answer {
    if (!decision.ok) throw new Error(JSON.stringify(decision.refusal))
    this.apply(decision.change)
    return decision.answer
  }

  apply(change: Change): void {
    this.world.apply(change)
    this.changes.push(change)
    this.world.revision++
  }

  /** Runs a function on the world as it was after this many changes. */
  at<T>(revision: number, look: (world: World) => T): T {
    const later = this.changes.slice(revision)
    for (const change of later.toReversed()) this.world.undo(change)
    try {
      return look(this.world)
    } finally {
      for (const change of later) this.world.apply(change)
    }
  }
}

export function recordHosts({ hosts, metadata }: SmallHosts): RecordedWorld {
  const told = new RecordedWorld()
  const { world } = told
  told.does(syncStandards(world, { classes: standardClasses, traits: standardTraits }, 0))
  const record = (total: number) => ({
    total,
    reserved: 0,
    minUnit: 1,
    maxUnit: total,
    stepSize: 1,
    allocationRatio: 1,
  })
  hosts.forEach(({ vcpus, isDisabled, isDown }, nth) => {
    const host = `host-${nth}`
    const inventories = [['VCPU', record(vcpus)] as const, ['MEMORY_MB', record(1_024 * vcpus)] as const]
    told.does(addHost(world, { uuid: numbered('0', nth), host, inventories }, 0))
    if (isDisabled || isDown) told.does(setHost(world, { host, isDisabled, isForcedDown: isDown }, 0))
  })
  metadata.forEach((one, nth) => {
    const made = { uuid: numbered('a', nth), name: `aggregate-${nth}`, zone: nth === 2 ? 'east' : null }
    const { id } = told.does(createAggregate(world, made, 0)).row
    told.does(updateAggregate(world, { aggregate: id, metadata: one }, 0))
    hosts.forEach(({ aggregates }, host) => {
      if (aggregates.includes(nth))
        told.does(addAggregateHost(world, { aggregate: id, host: `host-${host}` }, 0))
    })
  })
  GROUPS.forEach((policy, nth) => {
    const fields = { uuid: numbered('9', nth), name: policy, policy, max_server_per_host: null }
    const owned = { ...fields, project_id: 'p', user_id: 'u' }
    told.does(createGroup(world, { fields: owned, perProjectMax: GROUPS.length }, 0))
  })
  return told
}

/** A request; `nth` makes the servers of different requests distinct. */
export interface SmallAsk {
  readonly vcpus: number
  readonly extraSpecs: Readonly<Record<string, string>>
  readonly zone: string | null
  readonly count: number
  readonly host: number | null
  readonly group: number | null
  readonly near: number | null
  readonly away: number | null
}

/** A number, one time in four. */
const seldom = (count: number): fc.Arbitrary<number | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: count - 1 }) })

const wanted = fc.constantFrom('ssd', '<or> ssd <or> hdd', '*', '~', '!', '<or> nvme <or> ~')

export const smallAsk: fc.Arbitrary<SmallAsk> = fc.record({
  vcpus: fc.constantFrom(1, 1, 2),
  extraSpecs: fc.record({ disk: wanted, 'ns:gpu': wanted }, { requiredKeys: [] }) as fc.Arbitrary<
    Record<string, string>
  >,
  zone: fc.constantFrom(null, null, null, 'east', 'nova'),
  count: fc.constantFrom(1, 1, 1, 2, 3),
  host: seldom(HOSTS_MAX),
  group: seldom(GROUPS.length),
  near: seldom(5),
  away: seldom(5),
})

export const serverUuid = (request: number, nth: number): string => numbered('c', request * 10 + nth)

export function askOf(small: SmallAsk, request: number, hosts: number): ServerAsk {
  const { vcpus, extraSpecs, zone, count, host, group, near, away } = small
  const flavor = {
    id: 'f',
    name: 'f',
    vcpus,
    ram: 512 * vcpus,
    disk: 0,
    ephemeral: 0,
    swap: 0,
    extra_specs: extraSpecs,
  }
  const server = (other: number | null) => (other === null ? [] : [serverUuid(other, 0)])
  return {
    operation: 'create',
    project: 'p',
    user: 'u',
    generation: null,
    not_hosts: [],
    spec: {
      ...EMPTY_SPEC,
      flavor,
      zone,
      hints: { same_host: server(near), different_host: server(away), query: null },
    },
    instances: Array.from({ length: count }, (_, nth) => serverUuid(request, nth)),
    host: host === null ? null : numbered('0', host % hosts),
    group: group === null ? null : numbered('9', group),
  }
}

/** A limit that is always reached, so that tests also cover what lies beyond it. */
export const TIGHT_SETUP: SchedulingSetup = {
  ...DEFAULT_SETUP,
  settings: { ...DEFAULT_SETUP.settings, candidatesMax: 1, hostSubsetSize: 2 },
}
