import type { ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Kind } from './kinds.ts'
import type { NovaCompute, NovaMigration, NovaState } from './nova-state.ts'
import {
  type Cloud,
  DISKLESS_HOST,
  GPU_HOST,
  gpuOf,
  HOST_AGGREGATE,
  hostName,
  idOf,
  migrationOf,
  OTHER_DISK,
  SHARED_DISK,
  serverOf,
} from './random-cloud.fixture.ts'

/** Damage that a test does to an intact cloud: the expected finding, and whether the ledger can be repaired. */
interface InjectedDamage {
  readonly kind: Kind
  readonly subject: string
  readonly isFixable: boolean
  readonly inject: (cloud: Cloud) => Cloud
}

const withConsumer = ({ nova, ledger }: Cloud, one: ConsumerFields): Cloud => ({
  nova,
  ledger: { ...ledger, consumers: new Map(ledger.consumers).set(one.uuid, one) },
})

function withoutConsumer({ nova, ledger }: Cloud, uuid: string): Cloud {
  const consumers = new Map(ledger.consumers)
  consumers.delete(uuid)
  return { nova, ledger: { ...ledger, consumers } }
}

const consumerOf = ({ ledger }: Cloud, uuid: string): ConsumerFields => {
  const found = ledger.consumers.get(uuid)
  if (found === undefined) throw new Error(`no consumer ${uuid}`)
  return found
}

const changeConsumer =
  (uuid: string, change: (one: ConsumerFields) => Partial<ConsumerFields>) => (cloud: Cloud) => {
    const one = consumerOf(cloud, uuid)
    return withConsumer(cloud, { ...one, ...change(one) })
  }

/** Changes what a consumer holds of one provider. */
const changeAmounts =
  (uuid: string, provider: string, change: (amounts: Record<string, number>) => Record<string, number>) =>
  (cloud: Cloud): Cloud =>
    changeConsumer(uuid, ({ allocations }) => ({
      allocations: {
        ...allocations,
        [provider]: { resources: change({ ...allocations[provider]?.resources }) },
      },
    }))(cloud)

/** The same allocations with other providers. */
const moveTo =
  (names: Readonly<Record<string, string>>) =>
  ({ allocations }: ConsumerFields): Pick<ConsumerFields, 'allocations'> => ({
    allocations: Object.fromEntries(
      Object.entries(allocations).map(([uuid, held]) => [names[uuid] ?? uuid, held]),
    ),
  })

const changeProvider =
  (uuid: string, change: (one: ProviderFields) => Partial<ProviderFields>) => (cloud: Cloud) => {
    const one = cloud.ledger.providers.get(uuid)
    if (one === undefined) throw new Error(`no provider ${uuid}`)
    const providers = new Map(cloud.ledger.providers).set(uuid, { ...one, ...change(one) })
    return { ...cloud, ledger: { ...cloud.ledger, providers } }
  }

const changeNova = ({ nova, ledger }: Cloud, change: Partial<NovaState>): Cloud => ({
  nova: { ...nova, ...change },
  ledger,
})

const changeCompute = (at: number, change: Partial<NovaCompute>) => (cloud: Cloud) =>
  changeNova(cloud, {
    computes: cloud.nova.computes.map(one => (one.name === hostName(at) ? { ...one, ...change } : one)),
  })

const changeMigration = (uuid: string, change: Partial<NovaMigration>) => (cloud: Cloud) =>
  changeNova(cloud, {
    migrations: cloud.nova.migrations.map(one => (one.uuid === uuid ? { ...one, ...change } : one)),
  })

const copyOf = (cloud: Cloud, server: string, uuid: string, type: string | null): Cloud =>
  withConsumer(cloud, { ...consumerOf(cloud, server), uuid, consumer_type: type })

const on = (host: number): string => idOf(1, host)
const STRAY = idOf(6, 1)
const plain = serverOf('plain')

/** What the server holds of its host, also on another one. */
const double = (server: string, other: string) =>
  changeConsumer(server, ({ allocations }) => ({
    allocations: { ...allocations, [other]: allocations[on(1)] as { resources: Record<string, number> } },
  }))

const damage = (
  kind: Kind,
  subject: string,
  inject: InjectedDamage['inject'],
  isFixable = true,
): InjectedDamage => ({
  kind,
  subject,
  inject,
  isFixable,
})

export const DAMAGES: readonly InjectedDamage[] = [
  damage(
    'stale-generation',
    plain,
    changeConsumer(plain, () => ({ generation: 0 })),
  ),
  damage(
    'stale-generation',
    on(1),
    changeProvider(on(1), () => ({ generation: 0 })),
  ),
  damage('orphaned', STRAY, cloud => copyOf(cloud, plain, STRAY, 'INSTANCE')),
  damage('orphaned-deleted', STRAY, cloud =>
    changeNova(copyOf(cloud, plain, STRAY, null), { deletedServers: new Set([STRAY]) }),
  ),
  damage('orphaned-migration', STRAY, cloud => copyOf(cloud, plain, STRAY, 'MIGRATION')),
  damage('finished-migration', migrationOf('moved'), cloud =>
    changeConsumer(
      migrationOf('moved'),
      moveTo({ [on(1)]: on(4) }),
    )(copyOf(cloud, serverOf('moved'), migrationOf('moved'), null)),
  ),
  damage('unreverted-migration', serverOf('moved'), cloud => {
    const swapped = copyOf(cloud, serverOf('moved'), migrationOf('moved'), null)
    const failed = changeMigration(migrationOf('moved'), { status: 'failed' })(swapped)
    return changeConsumer(serverOf('moved'), moveTo({ [on(1)]: on(4) }))(failed)
  }),
  damage('offloaded', serverOf('offloaded'), cloud => copyOf(cloud, plain, serverOf('offloaded'), null)),
  damage('on-no-host', serverOf('hostless'), cloud => copyOf(cloud, plain, serverOf('hostless'), null)),
  damage('doubled', plain, double(plain, on(0))),
  damage('doubled-after-migration', serverOf('moved'), double(serverOf('moved'), on(4))),
  damage(
    'doubled-after-evacuation',
    serverOf('evacuated'),
    changeMigration(migrationOf('evacuated'), { status: 'completed' }),
  ),
  damage('wrong-host', plain, changeConsumer(plain, moveTo({ [on(1)]: on(0) }))),
  damage('missing', plain, cloud => withoutConsumer(cloud, plain)),
  damage(
    'wrong-amount',
    plain,
    changeAmounts(plain, on(1), one => ({ ...one, VCPU: (one.VCPU ?? 0) + 3 })),
  ),
  damage(
    'missing-class',
    plain,
    changeAmounts(plain, on(1), ({ DISK_GB: _, ...others }) => others),
  ),
  damage(
    'unrequested-class',
    serverOf('port'),
    changeAmounts(serverOf('port'), gpuOf(GPU_HOST, 0), one => ({ ...one, VGPU: 2 })),
  ),
  damage(
    'wrong-cpu-class',
    serverOf('pinned'),
    changeAmounts(serverOf('pinned'), on(GPU_HOST), ({ PCPU = 0, ...others }) => ({ ...others, VCPU: PCPU })),
  ),
  damage('volume-backed-disk', serverOf('volume'), cloud => {
    const rootGb = cloud.nova.servers.get(serverOf('volume'))?.flavor?.rootGb ?? 0
    const add = (one: Record<string, number>) => ({ ...one, DISK_GB: (one.DISK_GB ?? 0) + rootGb })
    return changeAmounts(serverOf('volume'), on(1), add)(cloud)
  }),
  damage(
    'wrong-child',
    serverOf('gpu'),
    changeConsumer(serverOf('gpu'), moveTo({ [gpuOf(GPU_HOST, 1)]: gpuOf(GPU_HOST, 0) })),
  ),
  damage(
    'wrong-sharing-provider',
    serverOf('disk'),
    changeConsumer(serverOf('disk'), moveTo({ [SHARED_DISK]: OTHER_DISK })),
  ),
  damage(
    'wrong-owner',
    plain,
    changeConsumer(plain, () => ({ project_id: 'cccc' })),
  ),
  damage(
    'wrong-type',
    plain,
    changeConsumer(plain, () => ({ consumer_type: 'VOLUME' })),
  ),
  damage('unheld-source', serverOf('resized'), cloud => withoutConsumer(cloud, migrationOf('resized'))),
  damage(
    'compute-not-root',
    on(0),
    changeProvider(on(0), () => ({ parent_provider_uuid: on(DISKLESS_HOST) })),
  ),
  damage(
    'renamed-compute',
    on(0),
    changeProvider(on(0), () => ({ name: 'old-name' })),
  ),
  damage(
    'disabled-trait-left',
    on(0),
    changeProvider(on(0), ({ traits }) => ({ traits: [...traits, 'COMPUTE_STATUS_DISABLED'] })),
  ),
  damage('disabled-trait-missing', on(0), changeCompute(0, { isDisabled: true })),
  damage(
    'aggregate-missing',
    on(0),
    changeProvider(on(0), ({ aggregates }) => ({
      aggregates: aggregates.filter(one => one !== HOST_AGGREGATE),
    })),
  ),
  damage(
    'aggregate-left',
    on(GPU_HOST),
    changeProvider(on(GPU_HOST), ({ aggregates }) => ({ aggregates: [...aggregates, HOST_AGGREGATE] })),
  ),
  damage(
    'lost-inventory',
    on(0),
    changeProvider(on(0), () => ({ inventories: {} })),
    false,
  ),
  damage(
    'missing-provider',
    on(0),
    cloud => {
      const providers = new Map(cloud.ledger.providers)
      providers.delete(on(0))
      return { ...cloud, ledger: { ...cloud.ledger, providers } }
    },
    false,
  ),
  damage('replaced-compute', on(0), changeCompute(0, { id: idOf(1, 99) })),
  damage('gone-compute', on(0), cloud =>
    changeNova(cloud, {
      computes: cloud.nova.computes.filter(({ name }) => name !== hostName(0)),
      serviceHosts: new Set([...cloud.nova.serviceHosts].filter(name => name !== hostName(0))),
    }),
  ),
]
