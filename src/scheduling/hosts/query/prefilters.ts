import type { World } from '../../../world/world.ts'
import { toText } from '../../framework/json-value.ts'
import type { SchedulingSettings } from '../../framework/settings.ts'
import { parseYesOrNo } from '../../operators/python-text.ts'
import type { AggregateView } from '../host-view.ts'
import { NO_IMAGE, type SchedulingRequest } from '../request-view.ts'
import { changeRootGroup, listRequiredTraits, type PlacementQuery } from './placement-query.ts'

/** The parts of the cloud that prefilters read. */
export interface PrefilterCloud {
  /** All host aggregates. */
  readonly aggregates: readonly AggregateView[]
  /** Whether there is such a trait; `berth trait learn` adds standard traits at run time. */
  hasTrait(name: string): boolean
}

export const prefilterCloud = (
  { compute, traits }: World,
  aggregates: readonly AggregateView[] = compute.listAggregates(),
): PrefilterCloud => ({ aggregates, hasTrait: name => traits.id(name) !== undefined })

/** What prefilters read besides the query. */
interface PrefilterContext {
  readonly request: SchedulingRequest
  readonly cloud: PrefilterCloud
  readonly settings: SchedulingSettings
}

/** Narrows the query, so that Placement does not return hosts that would be refused. */
interface Prefilter {
  /** As in Nova. */
  readonly name: string
  readonly summary: string
  /** Null if there is nothing to do for this request or these settings. */
  narrow(query: PlacementQuery, context: PrefilterContext): Narrowing | null
}

export type Narrowing =
  | { readonly kind: 'member-of'; readonly aggregates: readonly string[] }
  | { readonly kind: 'forbidden-aggregates'; readonly aggregates: readonly string[] }
  | { readonly kind: 'root-required'; readonly traits: readonly string[] }
  | { readonly kind: 'root-forbidden'; readonly traits: readonly string[] }
  /** Nothing can serve the request. */
  | {
      readonly kind: 'impossible'
      readonly because: 'no-aggregate-for-project'
      readonly project: string | null
    }
  /** The traits that it would require are unknown, so it requires none. */
  | { readonly kind: 'unknown-traits'; readonly traits: readonly string[] }

const TRAIT_KEY = 'trait:'

/** Aggregates with `trait:X = required` are for requests that require X. Returns the uuids of those to avoid. */
const isolatedAggregates = (
  aggregates: readonly Pick<AggregateView, 'uuid' | 'metadata'>[],
  requiredTraits: ReadonlySet<string>,
): string[] =>
  aggregates
    .filter(({ metadata }) =>
      metadata
        .entries()
        .some(
          ([key, value]) =>
            value === 'required' &&
            key.startsWith(TRAIT_KEY) &&
            !requiredTraits.has(key.slice(TRAIT_KEY.length)),
        ),
    )
    .map(({ uuid }) => uuid)

const requireTenantAggregate: Prefilter = {
  name: 'require_tenant_aggregate',
  summary: 'Restricts a project to the aggregates whose `filter_tenant_id*` is the project.',
  narrow(_query, { request: { project }, cloud: { aggregates }, settings }) {
    if (!settings.limitProjectsToAggregates) return null
    const named = aggregates.filter(({ metadata }) =>
      metadata.entries().some(([key, value]) => key.startsWith('filter_tenant_id') && value === project),
    )
    if (named.length > 0) return { kind: 'member-of', aggregates: named.map(({ uuid }) => uuid) }
    return settings.aggregateRequiredForProjects
      ? { kind: 'impossible', because: 'no-aggregate-for-project', project }
      : null
  },
}

const mapZoneToAggregate: Prefilter = {
  name: 'map_az_to_placement_aggregate',
  summary: 'Restricts a request for a zone to the aggregates of that zone, if there are any.',
  narrow(_query, { request: { zone }, cloud: { aggregates } }) {
    if (zone === null || zone === '') return null
    const named = aggregates.filter(({ metadata }) => metadata.get('availability_zone') === zone)
    return named.length === 0 ? null : { kind: 'member-of', aggregates: named.map(({ uuid }) => uuid) }
  },
}

const requireImageType: Prefilter = {
  name: 'require_image_type_support',
  summary: 'Requires hosts that can read the disk format of the image.',
  narrow(_query, { request: { image, isVolumeBacked }, cloud, settings }) {
    const format = image?.diskFormat ?? ''
    if (!settings.requireImageTypeSupport || isVolumeBacked || format === '') return null
    return requireRootTraits(cloud, [`COMPUTE_IMAGE_TYPE_${format.toUpperCase()}`])
  },
}

const computeStatus: Prefilter = {
  name: 'compute_status_filter',
  summary: 'Excludes hosts whose provider has COMPUTE_STATUS_DISABLED.',
  narrow: () => ({ kind: 'root-forbidden', traits: ['COMPUTE_STATUS_DISABLED'] }),
}

const isolateAggregates: Prefilter = {
  name: 'isolate_aggregates',
  summary: 'Excludes aggregates with `trait:X = required` unless the request requires X.',
  narrow(query, { cloud: { aggregates }, settings }) {
    if (!settings.isolateAggregates) return null
    const forbidden = isolatedAggregates(aggregates, listRequiredTraits(query))
    return forbidden.length === 0 ? null : { kind: 'forbidden-aggregates', aggregates: forbidden }
  },
}

/** Image properties whose value, in capitals, ends the name of a trait. */
const TRAIT_BY_PROPERTY: readonly (readonly [property: string, prefix: string])[] = [
  ['hw_cdrom_bus', 'COMPUTE_STORAGE_BUS'],
  ['hw_disk_bus', 'COMPUTE_STORAGE_BUS'],
  ['hw_video_model', 'COMPUTE_GRAPHICS_MODEL'],
  ['hw_vif_model', 'COMPUTE_NET_VIF_MODEL'],
  ['hw_architecture', 'HW_ARCH'],
  ['hw_emulation_architecture', 'COMPUTE_ARCH'],
  ['hw_viommu_model', 'COMPUTE_VIOMMU'],
]

const transformImageMetadata: Prefilter = {
  name: 'transform_image_metadata',
  summary: 'Requires hosts that have the devices that the image asks for.',
  narrow(_query, { request: { image }, cloud, settings }) {
    if (!settings.requireImageMetadataTraits) return null
    const traits = TRAIT_BY_PROPERTY.flatMap(([property, prefix]) => {
      const value = image?.properties.get(property)
      return value === undefined ? [] : [`${prefix}_${toText(value).replaceAll('-', '_').toUpperCase()}`]
    })
    return traits.length === 0 ? null : requireRootTraits(cloud, [...new Set(traits)])
  },
}

const accelerators: Prefilter = {
  name: 'accelerators_filter',
  summary: 'Requires hosts that support accelerators, if the flavor has a device profile.',
  narrow(_query, { request: { flavor }, cloud }) {
    const profile = flavor.extraSpecs.get('accel:device_profile') ?? ''
    return profile === '' ? null : requireRootTraits(cloud, ['COMPUTE_ACCELERATORS'])
  },
}

const ephemeralEncryption: Prefilter = {
  name: 'ephemeral_encryption_filter',
  summary: 'Requires hosts that encrypt local disks, in the format that flavor or image names.',
  narrow(_query, { request, cloud }) {
    if (parseYesOrNo(readEither(request, 'ephemeral_encryption')) !== true) return null
    const format = readEither(request, 'ephemeral_encryption_format')
    const trait = 'COMPUTE_EPHEMERAL_ENCRYPTION'
    return requireRootTraits(cloud, format === '' ? [trait] : [trait, `${trait}_${format.toUpperCase()}`])
  },
}

/** From the flavor, else from the image. */
function readEither({ flavor, image }: SchedulingRequest, name: string): string {
  const inFlavor = flavor.extraSpecs.get(`hw:${name}`) ?? ''
  return inFlavor === '' ? toText((image ?? NO_IMAGE).properties.get(`hw_${name}`) ?? '') : inFlavor
}

function requireRootTraits(cloud: PrefilterCloud, traits: readonly string[]): Narrowing {
  const unknown = traits.filter(trait => !cloud.hasTrait(trait))
  return unknown.length === 0
    ? { kind: 'root-required', traits }
    : { kind: 'unknown-traits', traits: unknown }
}

export const PREFILTERS: readonly Prefilter[] = [
  requireTenantAggregate,
  mapZoneToAggregate,
  requireImageType,
  computeStatus,
  isolateAggregates,
  transformImageMetadata,
  accelerators,
  ephemeralEncryption,
]

export interface Prefiltered {
  readonly query: PlacementQuery
  /** What each of them did. */
  readonly applied: readonly { readonly prefilter: string; readonly narrowing: Narrowing }[]
  readonly isPossible: boolean
}

/** Narrows the query by all of them in sequence. */
export function applyPrefilters(query: PlacementQuery, context: PrefilterContext): Prefiltered {
  let narrowed = query
  const applied: { prefilter: string; narrowing: Narrowing }[] = []
  for (const prefilter of PREFILTERS) {
    const narrowing = prefilter.narrow(narrowed, context)
    if (narrowing === null) continue
    applied.push({ prefilter: prefilter.name, narrowing })
    narrowed = applyNarrowing(narrowed, narrowing)
  }
  const isPossible = !applied.some(({ narrowing }) => narrowing.kind === 'impossible')
  return { query: narrowed, applied, isPossible }
}

function applyNarrowing(query: PlacementQuery, narrowing: Narrowing): PlacementQuery {
  switch (narrowing.kind) {
    case 'member-of':
      return changeRootGroup(query, ({ memberOf }) => ({ memberOf: [...memberOf, narrowing.aggregates] }))
    case 'forbidden-aggregates':
      return changeRootGroup(query, group => ({
        forbiddenAggregates: [...group.forbiddenAggregates, ...narrowing.aggregates],
      }))
    case 'root-required':
      return {
        ...query,
        rootRequired: [
          ...query.rootRequired,
          ...narrowing.traits
            .filter(trait => !query.rootRequired.some(anyOf => anyOf.length === 1 && anyOf[0] === trait))
            .map(trait => [trait]),
        ],
      }
    case 'root-forbidden':
      return { ...query, rootForbidden: [...new Set([...query.rootForbidden, ...narrowing.traits])] }
    case 'impossible':
    case 'unknown-traits':
      return query
    default:
      return narrowing satisfies never
  }
}
