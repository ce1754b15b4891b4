import { type Dialect, operatorsOf } from '../../scheduling/operators/dialects.ts'

export const FLAVOR = 'OS::Nova::Flavor'
export const IMAGE = 'OS::Glance::Image'
export const VOLUME = 'OS::Cinder::Volume'
export const AGGREGATE = 'OS::Nova::Aggregate'
export const SHARE_TYPE = 'OS::Manila::ShareType'

/** Who makes something of a key, and what it understands in the value. */
export interface Reader {
  /** In words that follow "read by". */
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
const placementQuery = reader('the request to Placement')
const guest = reader('the compute service, when it makes the guest')
const image = reader('the compute service and the image properties filter')
const imageIsolation = reader('the image properties isolation filter', { splitsAtCommas: true })
const zones = reader('the scheduler, for zones')
const tenancy = reader('the multitenancy filter', { splitsAtCommas: true })
const types = reader('the type affinity filter', { splitsAtCommas: true })
const limits = reader('the filters for instances and I/O per host')
const weights = reader('the weighers')
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

type Rule = readonly [keys: RegExp, reader: Reader]

/** By type of resource; the first that fits reads the key. */
const rules = new Map(
  Object.entries<readonly Rule[]>({
    [FLAVOR]: [
      [/^capabilities:/, capabilities],
      [/^aggregate_instance_extra_specs:/, aggregateSpecs],
      [/^(resources|trait)[a-zA-Z0-9_-]{0,64}:|^group_policy$/, placementQuery],
      [/^(hw|hw_rng|hw_video|os|quota|pci_passthrough|accel|vmware):|^hide_hypervisor_id$/, guest],
      [/^[^:]*$/, aggregateSpecs],
      [/:/, aggregateTypes],
    ],
    [IMAGE]: [
      [/^trait:/, placementQuery],
      [/^/, image],
    ],
    [VOLUME]: [
      [/^trait:/, placementQuery],
      [/^/, image],
    ],
    [AGGREGATE]: [
      [/^availability_zone$/, zones],
      [/^filter_tenant_id/, tenancy],
      [/^instance_type$/, types],
      [/^max_(instances|io_ops)_per_host$/, limits],
      [/_weight_multiplier$/, weights],
      [/^force_metadata_check$/, force],
      [/^trait:/, placementQuery],
      [/^(hw|img|os)_/, imageIsolation],
      [/^/, metadata],
    ],
    [SHARE_TYPE]: [
      [/^(driver_handles_share_servers|replication_type|encryption_support)$/, shareApi],
      [/^(availability_zones|default_qos_type)$|^provisioning:/, shareApi],
      [/^(snapshot|create_share_from_snapshot|revert_to_snapshot)_support$/, shareFeatures],
      [/^(mount_snapshot|mount_point_name|snapshot_inherit_share_access)_support$/, shareFeatures],
      [/^capabilities:|^[^:]*$/, pools],
      [/:/, shareDriver],
    ],
  }),
)

/** The types of resource whose readers are known. */
export const RESOURCE_TYPES = [FLAVOR, AGGREGATE, SHARE_TYPE, IMAGE, VOLUME] as const

/** Null for a type of resource that nothing here knows. */
export function readerOf(resourceType: string, key: string, specs: Specs = {}): Reader | null {
  const found = (rules.get(resourceType) ?? []).find(([keys]) => keys.test(key))?.[1] ?? null
  const comparesWithFlavors = found === metadata || found === imageIsolation
  return comparesWithFlavors && isForced(specs) ? forcedMetadata : found
}

/** Metadata of aggregates that means nothing by itself, only to flavors that ask for it. */
export const isOwnMetadata = (key: string): boolean => readerOf(AGGREGATE, key) === metadata

/** Keys with their values, as a flavor, an aggregate or a share type has them. */
export type Specs = Readonly<Record<string, string>>

const isForced = ({ force_metadata_check }: Specs): boolean =>
  force_metadata_check?.trim().toLowerCase() === 'true'

/** What a resource of the type cannot be without. */
export const requiredKeysOf = (resourceType: string): readonly string[] =>
  resourceType === SHARE_TYPE ? ['driver_handles_share_servers'] : []

const RATIO = 'Nova reads it no more: the ratio is set on the inventories of the providers.'
const HYPER_V = 'The driver that read it is no longer part of Nova.'

/** Keys that had a meaning once, and what to do about them. */
const retired: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [FLAVOR, new Map(['os:monitors', 'os:resolution', 'os:vram'].map(key => [key, HYPER_V]))],
  [AGGREGATE, new Map(['cpu', 'ram', 'disk'].map(what => [`${what}_allocation_ratio`, RATIO]))],
])

export const retiredHint = (resourceType: string, key: string): string | null =>
  retired.get(resourceType)?.get(key) ?? null
