import {
  isHostAttribute,
  isKeyOf,
  isPlacementKey,
  type KeyReader,
  AGGREGATE_KEY_READERS as OF_AGGREGATE,
  FLAVOR_KEY_READERS as OF_FLAVOR,
} from '../../scheduling/hosts/query/key-readers.ts'
import { type Dialect, operatorsOf } from '../../scheduling/operators/dialects.ts'

export const FLAVOR = 'OS::Nova::Flavor'
export const IMAGE = 'OS::Glance::Image'
export const VOLUME = 'OS::Cinder::Volume'
export const AGGREGATE = 'OS::Nova::Aggregate'
export const SHARE_TYPE = 'OS::Manila::ShareType'

/** Who makes something of a key, and what it understands in the value. */
export interface Reader {
  /** A phrase that follows "read by". */
  readonly name: string
  /** Null: values are plain, and an operator means nothing. */
  readonly dialect: Dialect | null
  /** The symbols of the operators it understands. */
  readonly operators: readonly string[]
  /** A comma separates values of which each counts. */
  readonly splitsAtCommas: boolean
  readonly ignoresCase: boolean
  /** The signs `*`, `~` and `!` stand for any value, an absent key, and an absent key only. */
  readonly hasSigns: boolean
}

const all = (dialect: Dialect): string[] => operatorsOf(dialect).map(({ symbol }) => symbol)

function reader(name: string, more: Partial<Reader> = {}): Reader {
  const { dialect = null } = more
  return {
    name,
    operators: dialect === null ? [] : all(dialect),
    splitsAtCommas: false,
    ignoresCase: dialect === 'manila',
    hasSigns: false,
    ...more,
    dialect,
  }
}

const capabilities = reader('the compute capabilities filter', { dialect: 'nova' })
const aggregateSpecs = reader('the filters that compare flavors with aggregates', {
  dialect: 'nova',
  hasSigns: true,
})
const aggregateTypes = reader('the aggregate instance type filter', { dialect: 'nova', hasSigns: true })
export const PLACEMENT_QUERY = reader(OF_FLAVOR.placement.reader)
const guest = reader(OF_FLAVOR.guest.reader)
const image = reader('the compute service and the image properties filter')
const imageIsolation = reader('the image properties isolation filter', { splitsAtCommas: true })
const zones = reader(OF_AGGREGATE.zones.reader)
const tenancy = reader(OF_AGGREGATE.tenancy.reader, { splitsAtCommas: true })
const types = reader(OF_AGGREGATE.types.reader, { splitsAtCommas: true })
const limits = reader(OF_AGGREGATE.limits.reader)
const weights = reader(OF_AGGREGATE.weights.reader)
const force = reader('the aggregate instance type filter', { ignoresCase: true })
const metadata = reader('the filters that compare flavors with aggregates', { splitsAtCommas: true })
const forcedMetadata = reader('the aggregate instance type filter', {
  dialect: 'nova',
  operators: ['<or>'],
  splitsAtCommas: true,
  hasSigns: true,
})
const shareApi = reader('the share API')
const shareFeatures = reader('the share API and the capabilities filter', {
  dialect: 'manila',
  operators: ['<is>'],
})
const pools = reader('the capabilities filter of the share scheduler', { dialect: 'manila' })
const shareDriver = reader('the driver of the share back end')

/** Whether a rule is about a key. */
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

/** By type of resource; the first that fits reads the key. */
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

/** The types of resource whose readers are known. */
export const RESOURCE_TYPES = [FLAVOR, AGGREGATE, SHARE_TYPE, IMAGE, VOLUME] as const

/** Null for a type of resource that nothing here knows. */
export function readerOf(resourceType: string, key: string, specs: Specs = {}): Reader | null {
  const found = (rules.get(resourceType) ?? []).find(([covers]) => covers(key))?.[1] ?? null
  const comparesWithFlavors = found === metadata || found === imageIsolation
  return comparesWithFlavors && isForced(specs) ? forcedMetadata : found
}

/** Metadata of aggregates that means nothing by itself, only to flavors that ask for it. */
export const isOwnMetadata = (key: string): boolean => readerOf(AGGREGATE, key) === metadata

/** Whether an extra spec asks something of aggregates, so that what is defined for them counts for it. */
export const asksAggregates = (key: string): boolean => readerOf(FLAVOR, key) === aggregateSpecs

/** Keys with their values, as a flavor, an aggregate or a share type has them. */
export type Specs = Readonly<Record<string, string>>

export const isForced = ({ force_metadata_check }: Specs): boolean =>
  force_metadata_check?.trim().toLowerCase() === 'true'

/** What a resource of the type cannot be without. */
export const requiredKeysOf = (resourceType: string): readonly string[] =>
  resourceType === SHARE_TYPE ? ['driver_handles_share_servers'] : []

const RATIO = 'Nova reads it no more: the ratio is set on the inventories of the providers.'
const HYPER_V = 'The driver that read it is no longer part of Nova.'

/** Keys that had a meaning once, and what to do about them. */
const retired: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [FLAVOR, new Map(['os:monitors', 'os:resolution', 'os:vram'].map(key => [key, HYPER_V]))],
  [AGGREGATE, new Map(OF_AGGREGATE.retired.keys.map(key => [key, RATIO]))],
])

export const retiredHint = (resourceType: string, key: string): string | null =>
  retired.get(resourceType)?.get(key) ?? null
