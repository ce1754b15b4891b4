import type { Reads } from '../../scheduling/framework/filter.ts'
import { type NamedSettings, SETTING_NAMES } from '../../scheduling/framework/setting-names.ts'
import { GROUP_POLICIES } from '../../scheduling/hosts/request-view.ts'
import {
  anything,
  byName,
  list,
  object,
  oneOf,
  orNull,
  type Shape,
  text,
  whole,
  yesOrNo,
} from '../../wire/shape.ts'

/** Input of dry runs of filters, weighers and flavors: the parts of a request and of a host, by Nova's names. */

/** Larger than any real figure of a host, and small enough for products and sums to stay precise. */
const FIGURE_MAX = 1e15

export const figure = (description: string, minimum = -FIGURE_MAX) =>
  whole(description, { minimum, maximum: FIGURE_MAX })

const decimal = (description: string, minimum = -FIGURE_MAX): Shape<number> => ({
  schema: { type: 'number', minimum, maximum: FIGURE_MAX, description },
})

/**
 * For extra specs and metadata: Nova allows 255 characters, and no one sets hundreds of keys. Filters compare every spec with every
 * aggregate.
 */
const SPEC_CHARS_MAX = 16_384
const SPECS_MAX = 500
const AGGREGATES_MAX = 200

export const texts = (description: string) =>
  byName(text('A value.', { maxLength: SPEC_CHARS_MAX }), `${description} At most ${SPECS_MAX}.`, {
    maxProperties: SPECS_MAX,
  })

const PROPERTIES_MAX = 1_000

const properties = (description: string) =>
  byName(anything('A value.'), `${description} At most ${PROPERTIES_MAX}.`, { maxProperties: PROPERTIES_MAX })

export const aggregates = list(
  texts('The metadata of one aggregate, its zone as `availability_zone`.'),
  `The aggregates that the host is in, at most ${AGGREGATES_MAX}. Reasons name them by their place: \`#1\`, \`#2\` ...`,
  { maxItems: AGGREGATES_MAX },
)

export const imageProperties = properties('The properties of the image, such as `hw_architecture`.')

export const serverGroup = orNull(
  object(
    'The server group of the request.',
    { policy: oneOf('Its policy.', ...GROUP_POLICIES) },
    {
      max_server_per_host: figure('For anti-affinity; default: 1.', 1),
      members: byName(figure('How many.', 0), 'How many members are on which host, by its name.'),
    },
  ),
)

export const hostFields = {
  name: text('Its name.'),
  enabled: yesOrNo('Default: true.'),
  disabled_reason: orNull(text('Why it is disabled.')),
  up: yesOrNo('Default: true.'),
  forced_down: yesOrNo('An operator forced it down.'),
  free_ram_mb: figure('Free memory in MiB; can be negative, like all free amounts.'),
  free_disk_mb: figure('Free disk in MiB.'),
  vcpus_total: figure('Virtual CPUs, before over-commitment.', 0),
  vcpus_used: figure('Virtual CPUs in use.', 0),
  cpu_allocation_ratio: decimal('Allocation ratio of the CPUs; default: 1.', 0),
  num_instances: figure('How many instances it has; default: as many as `instances`.', 0),
  num_io_ops: figure('How many of them are in heavy work: builds, moves, rescues ...', 0),
  failed_builds: figure('How many builds failed there lately.', 0),
  free_pci_devices: figure('How many PCI devices are free.', 0),
  traits: list(text('A trait.'), 'The traits of its providers.'),
  metrics: byName(decimal('A measure.'), 'Its metrics.'),
  instances: list(text('A uuid.'), 'Its instances.'),
  instance_images: list(
    properties('The properties of the image of one instance.'),
    'The images of its instances.',
  ),
  attributes: properties(
    'Other attributes, by the names of Nova: `hypervisor_type`, `cpu_info`, `supported_instances`, `stats` ...',
  ),
}

const names = (what: string, description: string) => list(text(what), description)

const settingFields = {
  max_instances_per_host: figure('The limit of instances.', 0),
  max_io_ops_per_host: figure('The limit of instances in heavy work.', 0),
  default_availability_zone: text('The zone of hosts in no aggregate with a zone.'),
  image_properties_default_architecture: orNull(text('The architecture of images without one.')),
  isolated_hosts: names('The name of a host.', 'Hosts for isolated images.'),
  isolated_images: names('The id of an image.', 'Images for isolated hosts.'),
  restrict_isolated_hosts_to_isolated_images: yesOrNo('Whether isolated hosts take no other images.'),
  enable_isolated_aggregate_filtering: yesOrNo('Whether `trait:X = required` keeps an aggregate for X.'),
  limit_tenants_to_placement_aggregate: yesOrNo('Whether aggregates name their projects.'),
  placement_aggregate_required_for_tenants: yesOrNo(
    'Whether a project that no aggregate names gets no host.',
  ),
  query_placement_for_image_type_support: yesOrNo('Whether disk formats are asked for by traits.'),
  image_metadata_prefilter: yesOrNo('Whether devices of images are asked for by traits.'),
  max_placement_results: whole('The limit of candidates.', { minimum: 1, maximum: 1e9 }),
  max_request_groups: whole('The most groups.', { minimum: 1, maximum: 1e9 }),
  max_search_steps: whole('The most partial combinations.', { minimum: 1, maximum: 1e9 }),
  host_subset_size: whole('The host is drawn from this many of the best.', { minimum: 1, maximum: 1e9 }),
  shuffle_best_same_weighed_hosts: yesOrNo('Whether equally good hosts come in random order.'),
  near_equal_weight: decimal(
    'The host is drawn from those whose weight is at most this much below the best.',
  ),
  best_fit_weight_setting: byName(
    decimal('A weight.'),
    'How much one unit of each class counts for a best fit.',
  ),
  fragmentation_weight_setting: byName(
    decimal('A weight.'),
    'How much one unit of each class counts for fragmentation.',
  ),
  weight_multipliers: byName(
    decimal('A multiplier.'),
    'Multipliers, by names such as `ram_weight_multiplier`.',
  ),
  image_props_weight_setting: byName(decimal('A weight.'), 'How much each property of an image counts.'),
  metrics_weight_setting: byName(decimal('A weight.'), 'How much each metric counts.'),
  metrics_weight_of_unavailable: decimal('The weight of a host that lacks one of the metrics.'),
} satisfies { readonly [K in keyof NamedSettings]: Shape<NamedSettings[K]> }

/** The settings that some filter or weigher says it reads, by name. */
export function listSettings(parts: readonly { readonly reads: Reads }[]): (keyof NamedSettings)[] {
  const fields = new Set(parts.flatMap(({ reads }) => reads.settings ?? []))
  return [...fields].map(field => SETTING_NAMES[field])
}

/** The settings that a dry run of this kind can depend on. */
export function settings<K extends keyof NamedSettings>(...which: readonly K[]) {
  const fields = Object.fromEntries(which.map(name => [name, settingFields[name]]))
  return object(
    'Overrides the settings of this server.',
    {},
    fields as unknown as { readonly [N in K]: Shape<NamedSettings[N]> },
  )
}
