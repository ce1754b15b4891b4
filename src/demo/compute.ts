import type { ComputeRules } from '../compute/rules.ts'
import type { DemoCloud } from './cloud.ts'
import { type Flavor, offered } from './flavors.ts'
import { demoUuid, rackAggregate, racksOf, type Zone, zoneAggregate, zones } from './names.ts'
import { trouble } from './trouble.ts'

type Kind =
  | 'compute:create-aggregate'
  | 'compute:change-aggregate'
  | 'compute:add-aggregate-host'
  | 'compute:create-flavor'
  | 'compute:set-extra-specs'
  | 'compute:set-host'

export type ComputeCommand = { [K in Kind]: { readonly kind: K } & Parameters<ComputeRules[K]>[1] }[Kind]

/** Zones and racks as host aggregates, the flavors, and what is said of hosts. For a store that has none of them yet. */
export function* computeCommands(cloud: DemoCloud): Generator<ComputeCommand> {
  yield* aggregateCommands(cloud)
  for (const flavor of offered) yield* flavorCommands(flavor)
  yield {
    kind: 'compute:set-host',
    host: trouble.disabledHost,
    isDisabled: true,
    disabledReason: 'emptied for maintenance',
  }
}

/** They have the uuids of Placement's aggregates, so hosts are members already and nothing there changes. */
function* aggregateCommands(cloud: DemoCloud): Generator<ComputeCommand> {
  let aggregate = 0
  for (const zone of zones) {
    const zoneName = `zone-${zone}`
    yield { kind: 'compute:create-aggregate', uuid: zoneAggregate(zone), name: zoneName, zone: zoneName }
    yield* joining(cloud, zoneAggregate(zone), ++aggregate)
    for (const rack of racksOf(zone)) {
      yield { kind: 'compute:create-aggregate', uuid: rackAggregate(rack), name: `rack-${rack}`, zone: null }
      yield { kind: 'compute:change-aggregate', aggregate: ++aggregate, metadata: rackMetadata(zone, rack) }
      yield* joining(cloud, rackAggregate(rack), aggregate)
    }
  }
}

/** The third rack of each zone has the big machines. */
const rackMetadata = (_zone: Zone, rack: string): Record<string, string> => ({
  rack,
  ...(rack.endsWith('3') ? { tier: 'large' } : { tier: 'standard' }),
})

function* joining({ providers }: DemoCloud, uuid: string, aggregate: number): Generator<ComputeCommand> {
  for (const { name, parent, aggregates, traits } of providers)
    if (
      parent === null &&
      aggregates.includes(uuid as never) &&
      !traits.includes('MISC_SHARES_VIA_AGGREGATE')
    )
      yield { kind: 'compute:add-aggregate-host', aggregate, host: name }
}

function* flavorCommands(flavor: Flavor): Generator<ComputeCommand> {
  const flavorid = demoUuid(`flavor ${flavor.name}`)
  yield {
    kind: 'compute:create-flavor',
    fields: {
      flavorid,
      name: flavor.name,
      memory_mb: flavor.memoryMb,
      vcpus: flavor.vcpus + flavor.pcpus,
      root_gb: flavor.diskGb,
      ephemeral_gb: 0,
      swap: 0,
      rxtx_factor: 1,
      is_public: true,
      description: null,
    },
  }
  yield { kind: 'compute:set-extra-specs', flavor: flavorid, specs: specsOf(flavor) }
}

function specsOf({ pcpus, gpu, split, diskGb }: Flavor): Record<string, string> {
  return {
    [`trait:${trouble.missingTrait}`]: 'required',
    ...(pcpus > 0 ? { 'hw:cpu_policy': 'dedicated' } : {}),
    ...(gpu === null ? {} : { [`resources:${gpu}`]: '1' }),
    ...(split ? { 'hw:numa_nodes': '2' } : {}),
    ...(diskGb >= 10_000 ? { 'aggregate_instance_extra_specs:tier': 'large' } : {}),
  }
}
