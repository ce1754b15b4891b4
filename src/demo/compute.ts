import type { DemoCloud } from './cloud.ts'
import type { DemoCommand } from './commands.ts'
import { type Flavor, flavorsOnOffer } from './flavors.ts'
import type { HardwareKind } from './hardware.ts'
import { demoUuid, rackAggregate, racksOf, zoneAggregate, zoneOf, zones } from './names.ts'
import { trouble } from './trouble.ts'

interface HostGroup {
  readonly name: string
  /** A zone or a rack has the uuid that Placement knows it by. */
  readonly uuid: string
  readonly zone: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly hosts: readonly string[]
}

/** Only flavors that name the hardware may use it. */
const makeDedicated = (hardware: string) => ({ hardware, force_metadata_check: 'True' })

/** Zones, kinds of hardware, certified hosts, and racks. */
function hostGroups({ hosts }: DemoCloud): HostGroup[] {
  const named = (is: (host: DemoCloud['hosts'][number]) => boolean) =>
    hosts.filter(is).map(({ name }) => name)
  const ofKind = (kind: HardwareKind) => named(({ hardware }) => hardware.kind === kind)
  const group = (name: string, metadata: HostGroup['metadata'], members: readonly string[]): HostGroup => ({
    name,
    uuid: demoUuid(`host aggregate ${name}`),
    zone: null,
    metadata,
    hosts: members,
  })
  return [
    ...zones.map(zone => ({
      name: `zone ${zone}`,
      uuid: zoneAggregate(zone),
      zone,
      metadata: {},
      hosts: named(({ rack }) => zoneOf(rack) === zone),
    })),
    group('gpu hosts', makeDedicated('gpu'), ofKind('gpu')),
    group('memory hosts', makeDedicated('memory'), ofKind('memory')),
    group('storage hosts', { hardware: 'storage' }, ofKind('storage')),
    group(
      'certified hosts',
      { certification: trouble.certification },
      named(({ rack }) => trouble.certifiedRacks.some(one => one === rack)).filter(name =>
        name.startsWith('hm-'),
      ),
    ),
    ...zones.flatMap(racksOf).map(rack => ({
      name: `rack ${rack}`,
      uuid: rackAggregate(rack),
      zone: null,
      metadata: { rack },
      hosts: named(one => one.rack === rack),
    })),
  ]
}

/** Flavors and host aggregates. */
export function* computeCommands(cloud: DemoCloud): Generator<DemoCommand> {
  for (const flavor of flavorsOnOffer) yield* offer(flavor)
  // The store was empty, so their ids start at one.
  for (const [at, { name, uuid, zone, metadata, hosts }] of hostGroups(cloud).entries()) {
    const aggregate = at + 1
    yield { kind: 'compute:create-aggregate', uuid, name, zone }
    if (Object.keys(metadata).length > 0) yield { kind: 'compute:change-aggregate', aggregate, metadata }
    for (const host of hosts) yield { kind: 'compute:add-aggregate-host', aggregate, host }
  }
  yield {
    kind: 'compute:set-host',
    host: trouble.disabledHost,
    isDisabled: true,
    disabledReason: 'emptied for maintenance',
  }
}

function* offer(flavor: Flavor): Generator<DemoCommand> {
  const { name, vcpus, pcpus, memoryMb, diskGb } = flavor
  yield {
    kind: 'compute:create-flavor',
    fields: {
      flavorid: demoUuid(`flavor ${name}`),
      name,
      memory_mb: memoryMb,
      vcpus: vcpus + pcpus,
      root_gb: diskGb,
      ephemeral_gb: 0,
      swap: 0,
      rxtx_factor: 1,
      is_public: true,
      description: null,
    },
  }
  yield { kind: 'compute:set-extra-specs', flavor: demoUuid(`flavor ${name}`), specs: specsOf(flavor) }
}

function specsOf({ pcpus, gpu, networkKbps, specs }: Flavor): Record<string, string> {
  return {
    [`trait:${trouble.missingTrait}`]: 'required',
    ...(pcpus > 0 ? { 'hw:cpu_policy': 'dedicated' } : {}),
    ...(gpu === null ? {} : { [`resources:${gpu}`]: '1' }),
    ...(networkKbps === 0
      ? {}
      : {
          'resources_NET:SRIOV_NET_VF': '1',
          'resources_NET:NET_BW_EGR_KILOBIT_PER_SEC': String(networkKbps),
          'resources_NET:NET_BW_IGR_KILOBIT_PER_SEC': String(networkKbps),
        }),
    ...specs,
  }
}
