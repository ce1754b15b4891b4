import {
  isHostAttribute,
  isKeyOf,
  isPlacementKey,
  type KeyReader,
  AGGREGATE_KEY_READERS as OF_AGGREGATE,
  FLAVOR_KEY_READERS as OF_FLAVOR,
} from '../../scheduling/hosts/query/key-readers.ts'
import { type Dialect, listOperators } from '../../scheduling/operators/dialects.ts'

export const FLAVOR = 'OS::Nova::Flavor'
export const IMAGE = 'OS::Glance::Image'
export const VOLUME = 'OS::Cinder::Volume'
export const AGGREGATE = 'OS::Nova::Aggregate'
export const SHARE_TYPE = 'OS::Manila::ShareType'

/** What interprets a key, and which values it accepts. */
export interface Reader {
  /** A phrase that follows "read by". */
  readonly name: string
  /** Null: values are plain, without operators. */
  readonly dialect: Dialect | null
  /** The symbols of the operators that it knows. */
  readonly operators: readonly string[]
  readonly splitsAtCommas: boolean
  readonly ignoresCase: boolean
  /** The signs `*`, `~` and `!` stand for any value, an absent key, and an absent key only. */
  readonly hasSigns: boolean
}

const listSymbols = (dialect: Dialect): string[] => listOperators(dialect).map(({ symbol }) => symbol)

function describeReader(name: string, more: Partial<Reader> = {}): Reader {
  const { dialect = null } = more
  return {
    name,
    operators: dialect === null ? [] : listSymbols(dialect),
    splitsAtCommas: false,
    ignoresCase: dialect === 'manila',
    hasSigns: false,
    ...more,
    dialect,
  }
}

const capabilities = describeReader('the compute capabilities filter', { dialect: 'nova' })
const aggregateSpecs = describeReader('the filters that compare flavors with aggregates', {
  dialect: 'nova',
  hasSigns: true,
})
const aggregateTypes = describeReader('the aggregate instance type filter', {
  dialect: 'nova',
  hasSigns: true,
})
export const PLACEMENT_QUERY = describeReader(OF_FLAVOR.placement.reader)
const guest = describeReader(OF_FLAVOR.guest.reader)
const image = describeReader('the compute service and the image properties filter')
const imageIsolation = describeReader('the image properties isolation filter', { splitsAtCommas: true })
const zones = describeReader(OF_AGGREGATE.zones.reader)
const tenancy = describeReader(OF_AGGREGATE.tenancy.reader, { splitsAtCommas: true })
const types = describeReader(OF_AGGREGATE.types.reader, { splitsAtCommas: true })
const limits = describeReader(OF_AGGREGATE.limits.reader)
const weights = describeReader(OF_AGGREGATE.weights.reader)
const force = describeReader('the aggregate instance type filter', { ignoresCase: true })
const metadata = describeReader('the filters that compare flavors with aggregates', { splitsAtCommas: true })
const forcedMetadata = describeReader('the aggregate instance type filter', {
  dialect: 'nova',
  operators: ['<or>'],
  splitsAtCommas: true,
  hasSigns: true,
})
const shareApi = describeReader('the share API')
const shareFeatures = describeReader('the share API and the capabilities filter', {
  dialect: 'manila',
  operators: ['<is>'],
})
const pools = describeReader('the capabilities filter of the share scheduler', { dialect: 'manila' })
const shareDriver = describeReader('the driver of the share back end')

/** Whether a rule applies to a key. */
type Covers = (key: string) => boolean
type Rule = readonly [covers: Covers, reader: Reader]

const like =
  (pattern: RegExp): Covers =>
  key =>
    pattern.test(key)
const keysOf =
  (known: KeyReader): Covers =>
  key =>
    isKeyOf(known, key)
const every: Covers = () => true

/** By type of resource; the first match reads the key. */
const rules = new Map(
  Object.entries<readonly Rule[]>({
    [FLAVOR]: [
      [like(/^capabilities:/), capabilities],
      [isHostAttribute, capabilities],
      [like(/^aggregate_instance_extra_specs:/), aggregateSpecs],
      [isPlacementKey, PLACEMENT_QUERY],
      [like(/^(hw|hw_rng|hw_video|os|quota|pci_passthrough|accel|vmware):/), guest],
      [keysOf(OF_FLAVOR.guest), guest],
      [like(/^[^:]*$/), aggregateSpecs],
      [every, aggregateTypes],
    ],
    [IMAGE]: [
      [like(/^trait:/), PLACEMENT_QUERY],
      [every, image],
    ],
    [VOLUME]: [
      [like(/^trait:/), PLACEMENT_QUERY],
      [every, image],
    ],
    [AGGREGATE]: [
      [keysOf(OF_AGGREGATE.zones), zones],
      [keysOf(OF_AGGREGATE.tenancy), tenancy],
      [keysOf(OF_AGGREGATE.types), types],
      [keysOf(OF_AGGREGATE.limits), limits],
      [keysOf(OF_AGGREGATE.weights), weights],
      [like(/^force_metadata_check$/), force],
      [keysOf(OF_AGGREGATE.isolation), PLACEMENT_QUERY],
      [like(/^(hw|img|os)_/), imageIsolation],
      [every, metadata],
    ],
    [SHARE_TYPE]: [
      [like(/^(driver_handles_share_servers|replication_type|encryption_support)$/), shareApi],
      [like(/^(availability_zones|default_qos_type)$|^provisioning:/), shareApi],
      [like(/^(snapshot|create_share_from_snapshot|revert_to_snapshot)_support$/), shareFeatures],
      [like(/^(mount_snapshot|mount_point_name|snapshot_inherit_share_access)_support$/), shareFeatures],
      [like(/^capabilities:|^[^:]*$/), pools],
      [every, shareDriver],
    ],
  }),
)

/** Types of resource with known readers. */
export const RESOURCE_TYPES = [FLAVOR, AGGREGATE, SHARE_TYPE, IMAGE, VOLUME] as const

/** Null for an unknown type of resource. */
export function findReader(resourceType: string, key: string, specs: Specs = {}): Reader | null {
  const found = (rules.get(resourceType) ?? []).find(([covers]) => covers(key))?.[1] ?? null
  const comparesWithFlavors = found === metadata || found === imageIsolation
  return comparesWithFlavors && isForced(specs) ? forcedMetadata : found
}

/** Aggregate metadata that only flavors refer to. */
export const isOwnMetadata = (key: string): boolean => findReader(AGGREGATE, key) === metadata

/** Whether an extra spec is about aggregates, so that their definitions apply to it. */
export const asksAggregates = (key: string): boolean => findReader(FLAVOR, key) === aggregateSpecs

/** Keys and values of a flavor, an aggregate or a share type. */
export type Specs = Readonly<Record<string, string>>

export const isForced = ({ force_metadata_check }: Specs): boolean =>
  force_metadata_check?.trim().toLowerCase() === 'true'

/** Keys that every resource of the type must have. */
export const listRequiredKeys = (resourceType: string): readonly string[] =>
  resourceType === SHARE_TYPE ? ['driver_handles_share_servers'] : []

const RATIO = 'Nova no longer reads it: set the ratio on the inventories of the providers.'
const HYPER_V = 'The driver that read it is no longer part of Nova.'

/** Keys that are no longer used, and what to use instead. */
const retired: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [FLAVOR, new Map(['os:monitors', 'os:resolution', 'os:vram'].map(key => [key, HYPER_V]))],
  [AGGREGATE, new Map(OF_AGGREGATE.retired.keys.map(key => [key, RATIO]))],
])

export const findRetiredHint = (resourceType: string, key: string): string | null =>
  retired.get(resourceType)?.get(key) ?? null
