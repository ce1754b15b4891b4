/** A cloud of many hosts to measure the scheduler on: racks in three zones, two kinds of disk, a dedicated rack. */
import { addAggregateHost, createAggregate, updateAggregate } from '../src/compute/aggregates/aggregates.ts'
import { addHost } from '../src/compute/hosts/hosts.ts'
import standardClasses from '../src/placement/data/standard-classes.json' with { type: 'json' }
import standardTraits from '../src/placement/data/standard-traits.json' with { type: 'json' }
import { syncStandards } from '../src/placement/standards.ts'
import { EMPTY_SPEC } from '../src/scheduling/hosts/known-server.ts'
import type { ServerAsk } from '../src/scheduling/hosts/server-spec.ts'
import type { Decision } from '../src/world/decision.ts'
import { World } from '../src/world/world.ts'

const HOSTS_PER_RACK = 40
export const ZONES = ['east', 'west', 'north']

const makeUuid = (kind: string, nth: number): string =>
  `${kind.repeat(8)}-0000-4000-8000-${String(nth).padStart(12, '0')}`

const hostName = (nth: number): string => `host-${String(nth).padStart(6, '0')}`

export function schedulingCloud(hosts: number): World {
  const world = new World()
  const does = <Answer>(decision: Decision<Answer, unknown>): Answer => {
    if (!decision.ok) throw new Error(JSON.stringify(decision.refusal))
    world.apply(decision.change)
    return decision.answer
  }
  does(syncStandards(world, { classes: standardClasses, traits: standardTraits }, 0))
  const record = (total: number, allocationRatio = 1) => ({
    total,
    reserved: 0,
    minUnit: 1,
    maxUnit: total,
    stepSize: 1,
    allocationRatio,
  })
  for (let nth = 0; nth < hosts; nth++)
    does(
      addHost(
        world,
        {
          uuid: makeUuid('0', nth),
          host: hostName(nth),
          inventories: [
            ['VCPU', record(64, 4)],
            ['MEMORY_MB', record(262_144)],
            ['DISK_GB', record(4_000)],
          ],
          capabilities: '{"hypervisor_type":"QEMU","cpu_info":{"arch":"x86_64"}}',
        },
        0,
      ),
    )
  for (let rack = 0; rack * HOSTS_PER_RACK < hosts; rack++) {
    const zone = ZONES[rack % ZONES.length] as string
    const { id } = does(
      createAggregate(world, { uuid: makeUuid('a', rack), name: `rack-${rack}`, zone }, 0),
    ).row
    const disk = rack % 2 === 0 ? 'ssd' : 'hdd'
    const kept = rack % 10 === 9 ? { force_metadata_check: 'true', licence: 'windows' } : {}
    does(updateAggregate(world, { aggregate: id, metadata: { disk, ...kept } }, 0))
    for (let nth = rack * HOSTS_PER_RACK; nth < Math.min(hosts, (rack + 1) * HOSTS_PER_RACK); nth++)
      does(addAggregateHost(world, { aggregate: id, host: hostName(nth) }, 0))
  }
  return world
}

export function askFor(instance: number, extraSpecs: Readonly<Record<string, string>>, count = 1): ServerAsk {
  const flavor = {
    id: 'm1',
    name: 'm1.small',
    vcpus: 2,
    ram: 4_096,
    disk: 20,
    ephemeral: 0,
    swap: 0,
    extra_specs: extraSpecs,
  }
  return {
    operation: 'create',
    project: 'p',
    user: 'u',
    generation: null,
    host: null,
    not_hosts: [],
    group: null,
    instances: Array.from({ length: count }, (_, nth) => makeUuid('c', instance + nth)),
    spec: { ...EMPTY_SPEC, flavor, zone: 'east' },
  }
}
