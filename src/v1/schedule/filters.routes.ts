import { LIST_BODY_BYTES } from '../../http/api.ts'
import type { Reads } from '../../scheduling/framework/filter.ts'
import { reasonText } from '../../scheduling/framework/refusal-text.ts'
import { SETTING_NAMES } from '../../scheduling/framework/setting-names.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { findMultiplier } from '../../scheduling/framework/weighing.ts'
import { evaluateFilter } from '../../scheduling/hosts/evaluate-filter.ts'
import type { FilterItem } from '../../scheduling/hosts/filter-item.ts'
import { PREFILTERS } from '../../scheduling/hosts/query/prefilters.ts'
import { ALL_FILTERS, ALL_WEIGHERS, filterNamed } from '../../scheduling/hosts/registry.ts'
import { filterVerdictsShape } from '../../wire/filters.ts'
import {
  anything,
  byName,
  list,
  number,
  object,
  orNull,
  type TypeOf,
  text,
  whole,
  yesOrNo,
} from '../../wire/shape.ts'
import { mapInTurns } from '../api/in-turns.ts'
import { requireAtMost } from '../api/item-count.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import {
  aggregates,
  hostFields,
  imageProperties,
  listSettings,
  serverGroup,
  settings,
  texts,
} from './scheduling-shapes.ts'

/** Per request. The body has its own limit in bytes. */
const ITEMS_MAX = 10_000

/** Per item as JSON. A filter may compare the whole request with the whole host, and quote both in its reasons. */
const ITEM_CHARS_MAX = 32_768

const OPERATION = 'berth:filters'

const item = object(
  'One question. Omit what the filter does not read.',
  {},
  {
    extra_specs: texts('The extra specs of the flavor.'),
    aggregates,
    flavor: text('The name of the flavor.'),
    project: orNull(text('The project.')),
    zone: orNull(text('The requested zone.')),
    image: orNull(text('The id of the image.')),
    image_properties: imageProperties,
    hints: byName(
      anything('A value.'),
      'The hints: `same_host`, `different_host`, `query`. Instances may have any names here.',
    ),
    instance: orNull(text('The instance itself, where it exists already.')),
    server_group: serverGroup,
    host: object('The host.', {}, hostFields),
    settings: settings(...listSettings(ALL_FILTERS)),
  },
)

const evaluateBody = object('What to judge.', {
  items: list(item, `The questions, at most ${ITEMS_MAX}, each of at most ${ITEM_CHARS_MAX} characters.`),
})

const words = (description: string) => list(text('A name; `*` stands for any part.'), description)

const reads = object(
  'What it reads; it reads nothing else.',
  {},
  {
    extra_specs: words('Extra specs of the flavor.'),
    metadata: words('Metadata of the aggregates of the host.'),
    hints: words('Hints of the request.'),
    image_properties: words('Properties of the image.'),
    host: words('Fields of the host.'),
    request: words('Other parts of the request.'),
    settings: words('Keys of the configuration.'),
  },
)

const part = {
  name: text('Its name; if Nova has it, the one in Nova.'),
  summary: text('What it does.'),
  enabled: yesOrNo('Whether it is in the list of this server.'),
  place: orNull(whole('Its place in the list, from 1; null where it is not in it.')),
  reads,
}

const listAnswer = object('The parts of scheduling.', {
  filters: list(
    object('A filter.', {
      ...part,
      on_rebuild: yesOrNo('It reads the image, and so also runs when an instance is rebuilt.'),
    }),
    'All filters.',
  ),
  weighers: list(
    object('A weigher.', {
      ...part,
      multiplier_key: text('What overrides its multiplier in the metadata of an aggregate.'),
      multiplier: number('The value on this server, unless an aggregate overrides it.'),
      multiplier_default: number('The multiplier if none is set.'),
      negated: yesOrNo('The multiplier is given without its minus sign: a higher one avoids more.'),
    }),
    'All weighers.',
  ),
  prefilters: list(
    object('A prefilter.', { name: part.name, summary: part.summary }),
    'What narrows the Placement request, before filters run.',
  ),
})

export function filterRoutes(setup: () => SchedulingSetup): V1Route[] {
  return [listRoute(setup), evaluateRoute(setup)]
}

const listRoute = (setup: () => SchedulingSetup): V1Route =>
  v1Route({
    method: 'GET',
    path: '/filters',
    operation: OPERATION,
    summary: 'List the filters and weighers',
    description: 'Every filter and weigher with what it reads, and which of them this server uses.',
    answer: { description: 'The filters, weighers and prefilters.', shape: listAnswer },
    handle(): TypeOf<typeof listAnswer> {
      const { filters, weighers, settings } = setup()
      return {
        filters: ALL_FILTERS.map(({ name, summary, reads, onRebuild = false }) => ({
          name,
          summary,
          ...findPosition(filters, name),
          reads: renderReads(reads),
          on_rebuild: onRebuild,
        })),
        weighers: ALL_WEIGHERS.map(weigher => ({
          name: weigher.name,
          summary: weigher.summary,
          ...findPosition(weighers, weigher.name),
          reads: renderReads(weigher.reads),
          multiplier_key: weigher.multiplierKey,
          multiplier: findMultiplier(weigher, settings),
          multiplier_default: weigher.multiplier,
          negated: weigher.isNegated ?? false,
        })),
        prefilters: PREFILTERS.map(({ name, summary }) => ({ name, summary })),
      }
    },
  })

function findPosition(names: readonly string[], name: string): { enabled: boolean; place: number | null } {
  const at = names.indexOf(name)
  return at < 0 ? { enabled: false, place: null } : { enabled: true, place: at + 1 }
}

const renderReads = ({ extraSpecs, imageProperties, settings, ...others }: Reads): TypeOf<typeof reads> => ({
  ...(extraSpecs && { extra_specs: extraSpecs }),
  ...others,
  ...(imageProperties && { image_properties: imageProperties }),
  ...(settings && { settings: settings.map(field => SETTING_NAMES[field]) }),
})

const evaluateRoute = (setup: () => SchedulingSetup): V1Route =>
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/filters/{name}/evaluate',
    operation: OPERATION,
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Try a filter',
    description:
      'Runs one filter on flavors and hosts that need not exist, thousands at once, whether or not the filter is ' +
      'in the list of this server. Nothing is looked up: only the content of an item counts.',
    params: { name: 'The name of the filter.' },
    body: evaluateBody,
    answer: { description: 'One verdict for each question.', shape: filterVerdictsShape },
    problems: {
      400: 'The body is malformed; `field` names the item and what in it.',
      404: 'There is no such filter; `names` lists all.',
      413: `More than ${ITEMS_MAX} at once.`,
    },
    async handle({ params, body }): Promise<TypeOf<typeof filterVerdictsShape>> {
      const name = params.name as string
      if (filterNamed(name) === undefined) throw makeNoFilter(name)
      const items = body.items as readonly FilterItem[]
      requireAtMost(ITEMS_MAX, 'filters', 'items', items.length)
      return { results: await mapInTurns(items, (one, at) => evaluateItem(name, one, at, setup())) }
    },
  })

function evaluateItem(name: string, one: FilterItem, at: number, { settings }: SchedulingSetup) {
  const count = JSON.stringify(one).length
  if (count > ITEM_CHARS_MAX)
    throw new Problem(
      400,
      'filters.item-too-large',
      `items.${at}: it has ${count} characters, and at most ${ITEM_CHARS_MAX} are allowed.`,
      { field: `items.${at}`, count, max: ITEM_CHARS_MAX },
    )
  const [result] = evaluateFilter(name, [one], settings) ?? []
  const { passes, reasons, notes } = result as NonNullable<typeof result>
  return {
    passes,
    reasons: reasons.map(reason => ({ ...reason, text: reasonText(reason) })),
    notes,
  }
}

function makeNoFilter(name: string): Problem {
  const names = ALL_FILTERS.map(filter => filter.name)
  return new Problem(
    404,
    'filters.unknown',
    `There is no filter ${name}; the filters are ${names.join(', ')}.`,
    {
      name,
      names,
    },
  )
}
