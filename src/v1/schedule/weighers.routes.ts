import { LIST_BODY_BYTES } from '../../http/api.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import type { Weigher } from '../../scheduling/framework/weigher.ts'
import { evaluateWeighers, type WeighersItem } from '../../scheduling/hosts/evaluate-weighers.ts'
import { ALL_WEIGHERS, chooseWeighers } from '../../scheduling/hosts/registry.ts'
import { statementShape } from '../../wire/filters.ts'
import { list, number, object, type TypeOf, text } from '../../wire/shape.ts'
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

/** Per request, all items together. */
const HOSTS_MAX = 10_000

const item = object(
  'Hosts to rank for one request.',
  { hosts: list(object('A host.', {}, { ...hostFields, aggregates }), 'The hosts.') },
  {
    extra_specs: texts('The extra specs of the flavor.'),
    image_properties: imageProperties,
    server_group: serverGroup,
    settings: settings('weight_multipliers', ...listSettings(ALL_WEIGHERS)),
  },
)

const evaluateBody = object(
  'What to weigh.',
  { items: list(item, `The questions, with at most ${HOSTS_MAX} hosts in all of them.`) },
  {
    weighers: list(text('The name of a weigher.'), 'The weighers; default: those of this server.'),
  },
)

const evaluateAnswer = object('The weights.', {
  results: list(
    object('One order.', {
      hosts: list(
        object('A host.', {
          name: text('Its name.'),
          weight: number('The sum of its contributions.'),
          contributions: list(
            object(
              'What one weigher adds.',
              {
                weigher: text('Its name.'),
                raw: number('What it measured.'),
                normalized: number(
                  'From 0 for the worst host to 1 for the best; 0 for all where they are equal.',
                ),
                multiplier: number('The multiplier, of the server or of an aggregate of the host.'),
                weight: number('normalized x multiplier.'),
                notes: list(
                  statementShape('A remark.'),
                  'Metadata that should be a number, and similar remarks.',
                ),
              },
              { text: text('What it measured, in words.') },
            ),
            'Of each weigher. Empty for a lone host, which is not weighed.',
          ),
        }),
        'In the order in which they were given.',
      ),
      order: list(text('The name of a host.'), 'Best first; hosts of the same weight as they were given.'),
    }),
    'In the order of the questions.',
  ),
})

export const weigherRoutes = (setup: () => SchedulingSetup): V1Route[] => [
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/weighers/evaluate',
    operation: 'berth:filters',
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Try weighers',
    description:
      'Ranks hosts that need not exist, and reports what each weigher contributed. Weights compare the hosts ' +
      'of one item with each other, and mean nothing beyond it.',
    body: evaluateBody,
    answer: { description: 'One order for each question.', shape: evaluateAnswer },
    problems: {
      400: 'The body is malformed, or names a weigher that does not exist; `field` names where.',
      413: `More than ${HOSTS_MAX} hosts at once.`,
    },
    async handle({ body }): Promise<TypeOf<typeof evaluateAnswer>> {
      const items = body.items as readonly WeighersItem[]
      const hosts = items.reduce((sum, one) => sum + one.hosts.length, 0)
      requireAtMost(HOSTS_MAX, 'weighers', 'items', Math.max(hosts, items.length))
      const weighers = requireWeighers(body.weighers ?? null, setup())
      return { results: await mapInTurns(items, one => evaluateItem(weighers, one, setup())) }
    },
  }),
]

function requireWeighers(names: readonly string[] | null, setup: SchedulingSetup): readonly Weigher[] {
  const { chosen, unknown } = chooseWeighers(names ?? setup.weighers)
  const [name] = unknown
  if (name === undefined) return chosen
  const known = ALL_WEIGHERS.map(weigher => weigher.name)
  const field = `weighers.${names?.indexOf(name)}`
  throw new Problem(
    400,
    'weighers.unknown',
    `${field}: there is no weigher ${name}; the weighers are ${known.join(', ')}.`,
    { field, name, names: known },
  )
}

function evaluateItem(weighers: readonly Weigher[], one: WeighersItem, { settings }: SchedulingSetup) {
  const [result] = evaluateWeighers(weighers, [one], settings)
  const { hosts, ranking } = result as NonNullable<typeof result>
  return {
    hosts: hosts.map(host => ({
      ...host,
      contributions: host.contributions,
    })),
    order: ranking.map(at => hosts[at]?.name as string),
  }
}
