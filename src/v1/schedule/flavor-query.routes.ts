import { makeFlavorView } from '../../compute/flavors/flavor-of-row.ts'
import { LIST_BODY_BYTES } from '../../http/api.ts'
import { AMOUNT_MAX } from '../../kernel/number-bounds.ts'
import { mergeSettings, type NamedSettings } from '../../scheduling/framework/setting-names.ts'
import type { SchedulingSettings } from '../../scheduling/framework/settings.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import type { AggregateView } from '../../scheduling/hosts/host-view.ts'
import { translateFlavor } from '../../scheduling/hosts/query/flavor-query.ts'
import {
  describeFlavorWarning,
  describeHardwareFault,
  describeNarrowing,
} from '../../scheduling/hosts/query/flavor-query-text.ts'
import { type PlacementQuery, renderParameters } from '../../scheduling/hosts/query/placement-query.ts'
import {
  applyPrefilters,
  type PrefilterCloud,
  prefilterCloud,
} from '../../scheduling/hosts/query/prefilters.ts'
import { type FlavorView, NO_HINTS, type SchedulingRequest } from '../../scheduling/hosts/request-view.ts'
import { statementShape } from '../../wire/filters.ts'
import { byName, list, object, orNull, type TypeOf, text, whole, yesOrNo } from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { mapInTurns } from '../api/in-turns.ts'
import { requireAtMost } from '../api/item-count.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { parseImage } from './image-body.ts'
import { imageProperties, settings, texts } from './scheduling-shapes.ts'

/** Per request. */
const ITEMS_MAX = 10_000

const amount = (description: string) => whole(description, { minimum: 0, maximum: AMOUNT_MAX })

const flavor = object(
  'A flavor that need not exist.',
  {
    vcpus: amount('Processors.'),
    ram: amount('MiB of memory.'),
    disk: amount('GiB of root disk.'),
  },
  {
    ephemeral: amount('GiB of ephemeral disk; default: 0.'),
    swap: amount('MiB of swap; default: 0.'),
    extra_specs: byName(text('A value.', { maxLength: 255 }), 'Its extra specs.'),
  },
)

const item = object(
  'One question: a flavor, and everything else that the query depends on.',
  {},
  {
    flavor,
    flavor_name: text('The id or the name of a flavor of this server, instead of `flavor`.'),
    image_properties: imageProperties,
    image_disk_format: orNull(text('The disk format of the image, such as `qcow2`.')),
    volume_backed: yesOrNo('The root disk is a volume, so that it needs no disk of the host.'),
    project: orNull(text('The project of the request.')),
    zone: orNull(text('The requested zone.')),
    aggregates: list(
      object('An aggregate.', { uuid: text('Its uuid.'), metadata: texts('Its metadata.') }),
      'Replaces the host aggregates of this server.',
    ),
    translate_pinning: yesOrNo(
      'Whether `hw:cpu_policy` and the like ask for PCPU, as they do by default. Nova asks once more without ' +
        'where nothing was found, for hosts that do not report their dedicated CPUs.',
    ),
    settings: settings(
      'enable_isolated_aggregate_filtering',
      'limit_tenants_to_placement_aggregate',
      'placement_aggregate_required_for_tenants',
      'query_placement_for_image_type_support',
      'image_metadata_prefilter',
      'max_placement_results',
    ),
  },
)

const queryBody = object('What to translate.', { items: list(item, `The questions, at most ${ITEMS_MAX}.`) })

const parameters = (description: string) =>
  list(
    object('One parameter.', { name: text('Its name.'), value: text('Its value, not encoded.') }),
    description,
  )

const queryAnswer = object('The queries.', {
  results: list(
    object('One query.', {
      possible: yesOrNo('Whether there is a query that a host could satisfy.'),
      parameters: orNull(
        parameters('The parameters of the query, sorted; null if the flavor cannot be translated.'),
      ),
      query: orNull(text('The same, encoded, as the query string of `GET /allocation_candidates`.')),
      from_flavor: orNull(parameters('The query of flavor and image alone, before prefilters.')),
      prefilters: list(
        object('What one prefilter did.', {
          name: text('Its name.'),
          code: text('What kind of change it made.'),
          aggregates: list(text('A uuid.'), 'The aggregates that it is about.'),
          traits: list(text('A trait.'), 'The traits that it is about.'),
          text: text('The same for people.'),
        }),
        'The prefilters that changed the query, in their order.',
      ),
      notes: list(
        statementShape('A remark.'),
        'What the flavor has but the query ignores, or Placement will refuse.',
      ),
      errors: list(
        statementShape('A fault.'),
        'Why the flavor, or it and the image together, cannot be translated.',
      ),
    }),
    'In the order of the questions.',
  ),
})

type Item = TypeOf<typeof item>
type Result = TypeOf<typeof queryAnswer>['results'][number]

interface QueryContext {
  readonly world: World
  readonly setup: () => SchedulingSetup
}

export const flavorQueryRoutes = (context: QueryContext): V1Route[] => [
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/flavors/query',
    operation: 'berth:flavors:query',
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Translate flavors to Placement queries',
    description:
      'The query for candidates that a flavor becomes, with what the image and the prefilters add; what in ' +
      'the flavor is ignored, and why it cannot be translated. A dry run for those who edit flavors: the flavor ' +
      'need not exist.',
    body: queryBody,
    answer: { description: 'One query for each question.', shape: queryAnswer },
    problems: {
      400: 'The body is malformed, or names a flavor that does not exist; `field` names the item and what in it.',
      413: `More than ${ITEMS_MAX} at once.`,
    },
    async handle({ body }): Promise<TypeOf<typeof queryAnswer>> {
      requireAtMost(ITEMS_MAX, 'flavors', 'items', body.items.length)
      return {
        results: await mapInTurns(body.items, (one, at) => translateItem(context, one, `items.${at}`)),
      }
    },
  }),
]

function translateItem({ world, setup }: QueryContext, one: Item, at: string): Result {
  const request = makeRequest(world, one, at)
  const settings = mergeSettings((one.settings ?? {}) as Partial<NamedSettings>, setup().settings)
  const own = translateFlavor(request, settings, { translatePinning: one.translate_pinning ?? true })
  if (!own.ok)
    return {
      possible: false,
      parameters: null,
      query: null,
      from_flavor: null,
      prefilters: [],
      notes: [],
      errors: own.faults.map(fault => codedBody(fault, describeHardwareFault(fault))),
    }
  return {
    ...narrowQuery(own.query, request, prefilterCloud(world, aggregatesIn(one)), settings),
    from_flavor: renderParameterList(own.query),
    notes: own.warnings.map(warning => codedBody(warning, describeFlavorWarning(warning))),
    errors: [],
  }
}

function narrowQuery(
  own: PlacementQuery,
  request: SchedulingRequest,
  cloud: PrefilterCloud,
  settings: SchedulingSettings,
) {
  const { query, applied, isPossible } = applyPrefilters(own, { request, cloud, settings })
  return {
    possible: isPossible,
    parameters: renderParameterList(query),
    query: new URLSearchParams(renderParameters(query)).toString(),
    prefilters: applied.map(({ prefilter, narrowing }) => ({
      name: prefilter,
      code: narrowing.kind,
      aggregates: 'aggregates' in narrowing ? narrowing.aggregates : [],
      traits: 'traits' in narrowing ? narrowing.traits : [],
      text: describeNarrowing(narrowing),
    })),
  }
}

const renderParameterList = (query: PlacementQuery) =>
  renderParameters(query).map(([name, value]) => ({ name, value }))

const codedBody = <T extends { readonly code: string }>({ code, ...facts }: T, text: string) => ({
  code,
  facts,
  text,
})

function makeRequest(world: World, one: Item, at: string): SchedulingRequest {
  const { image_properties = {}, image_disk_format: diskFormat = null, volume_backed = false } = one
  return {
    operation: 'create',
    instance: null,
    user: null,
    targetHost: null,
    hints: NO_HINTS,
    group: null,
    flavor: makeFlavor(world, one, at),
    project: one.project ?? null,
    zone: one.zone ?? null,
    image: {
      id: null,
      diskFormat,
      properties: new Map(Object.entries(parseImage({ properties: image_properties }).properties)),
    },
    isVolumeBacked: volume_backed,
  }
}

function makeFlavor(world: World, { flavor, flavor_name: name }: Item, at: string): FlavorView {
  if ((flavor === undefined) === (name === undefined))
    throw new Problem(400, 'request.invalid', `${at}: give either flavor or flavor_name`, { field: at })
  if (flavor !== undefined) return viewOf(flavor)
  const row = world.compute.flavors.find(name as string) ?? world.compute.findFlavorByName(name as string)
  if (row !== undefined) return makeFlavorView(world, row)
  const field = `${at}.flavor_name`
  throw new Problem(400, 'flavors.unknown', `${field}: there is no flavor ${name}`, { field, value: name })
}

const viewOf = ({
  vcpus,
  ram,
  disk,
  ephemeral,
  swap,
  extra_specs,
}: NonNullable<Item['flavor']>): FlavorView => ({
  id: '',
  name: '',
  vcpus,
  ramMib: ram,
  rootGb: disk,
  ephemeralGb: ephemeral ?? 0,
  swapMib: swap ?? 0,
  extraSpecs: new Map(Object.entries(extra_specs ?? {})),
})

const aggregatesIn = ({ aggregates }: Item): readonly AggregateView[] | undefined =>
  aggregates?.map(({ uuid, metadata }, at) => ({
    id: at + 1,
    uuid,
    name: uuid,
    metadata: new Map(Object.entries(metadata)),
  }))
