import { AMOUNT_MAX } from '../kernel/number-bounds.ts'
import {
  anything,
  byName,
  either,
  list,
  number,
  object,
  oneOf,
  orNull,
  type TypeOf,
  text,
  uuid,
  whole,
  yesOrNo,
} from './shape.ts'

/** Requests for servers, and the answers that name their hosts. */

export const COUNT_MAX = 100
/** As long as Nova lets it be. */
const SERVER_NAME_CHARS_MAX = 255
const ALTERNATES_MAX = 10

const size = (description: string) => whole(description, { minimum: 0, maximum: AMOUNT_MAX })

const inlineFlavor = object(
  'A flavor that need not exist.',
  { vcpus: size('Processors.'), ram: size('MiB of memory.'), disk: size('GiB of root disk.') },
  {
    name: text('Its name, for filters that look at it.'),
    ephemeral: size('GiB of ephemeral disk.'),
    swap: size('MiB of swap.'),
    extra_specs: byName(text('A value.'), 'Its extra specs.'),
  },
)

const group = object(
  'What one provider, or for the group without a suffix one tree, must have.',
  { resources: byName(whole('How much.', { minimum: 1, maximum: AMOUNT_MAX }), 'By resource class.') },
  {
    required: list(
      either('A trait, or a list of alternatives.', text('A trait.'), list(text('A trait.'), 'Any of.')),
      'Traits that must be there.',
    ),
    forbidden: list(text('A trait.'), 'Traits that must not be there.'),
    member_of: list(
      list(uuid('An aggregate.'), 'Any of.'),
      'Of each list, one aggregate that it must be in.',
    ),
    in_tree: uuid('A provider of the tree that it must be in.'),
  },
)

export const imageShape = object(
  'The image.',
  {},
  {
    id: orNull(text('Its id.')),
    disk_format: orNull(text('`qcow2`, `raw` ...')),
    properties: byName(
      either(
        'A value.',
        list(text('A text.'), 'Of texts.'),
        orNull(
          either('A value.', text('A text.'), either('A value.', number('A number.'), yesOrNo('Yes or no.'))),
        ),
      ),
      'Its properties, such as `hw_architecture`, under old names or new.',
    ),
  },
)

/** The properties of the requested server; for a move, those that change. */
const specFields = {
  flavor: either(
    'The id or the name of a flavor, or a flavor itself.',
    text('Id or name.', { minLength: 1, maxLength: 255 }),
    inlineFlavor,
  ),
  groups: byName(
    group,
    'Asked of Placement as they are, instead of a flavor; by suffix, of which one may be empty.',
  ),
  group_policy: oneOf('Whether groups with a suffix may share a provider.', 'none', 'isolate'),
  image: imageShape,
  volume_backed: yesOrNo('Its root disk is a volume, and takes no local disk.'),
  zone: orNull(text('The availability zone it must be in.', { minLength: 1, maxLength: 255 })),
  hints: byName(
    anything('A value.'),
    'Scheduler hints: `same_host`, `different_host` (a uuid or a list), `query`, `group`.',
  ),
}

/** The fields that explain and schedule share. */
export const askFields = {
  ...specFields,
  host: text('The only host to consider: its name, or the uuid of its provider.', { minLength: 1 }),
  ignore_hosts: list(text('Name or uuid.'), 'Hosts to exclude.'),
  server_group: uuid('The server group that it joins; the hint `group` says the same.'),
  project_id: text('Whose it is; default: the caller’s project.', {
    minLength: 1,
    maxLength: 255,
  }),
  user_id: text('Who asks for it; default: the caller.', { minLength: 1, maxLength: 255 }),
}

const askBody = object('The request.', {}, askFields)
export type AskBody = TypeOf<typeof askBody>

/** The properties that change for a server that moves. */
export const moveFields = {
  ...specFields,
  host: askFields.host,
  ignore_hosts: askFields.ignore_hosts,
  from_host: text('The host that it is expected on, by name or uuid: if it is elsewhere, nothing moves.'),
  allow_same_host: yesOrNo('Allow its present host, for example for another flavor.'),
  keep_source: yesOrNo('Keep the old place held.'),
}

const moveBody = object('A move.', { instance: uuid('The server.') }, moveFields)
export type MoveBody = TypeOf<typeof moveBody>

/** The count, the random seed, and whether this is a dry run. */
export const wayFields = {
  alternates: whole('How many alternate hosts to name for each server; default: 2.', {
    minimum: 0,
    maximum: ALTERNATES_MAX,
  }),
  dry_run: yesOrNo('Do everything but the claim.'),
  seed: whole('Seed of the random choices; default: a new one.', {
    minimum: 0,
    maximum: 2 ** 32 - 1,
  }),
}

export const countFields = {
  count: whole(`How many servers; default: 1, at most ${COUNT_MAX}.`, {
    minimum: 1,
    maximum: COUNT_MAX,
  }),
  instances: list(uuid('A consumer.'), 'Their uuids, as many as `count`; default: new ones.'),
  names: list(
    text('A name.', { minLength: 1, maxLength: SERVER_NAME_CHARS_MAX }),
    'Their names, as many as `count`; two may have the same. Default: none.',
    { minItems: 1, maxItems: COUNT_MAX },
  ),
}

const place = {
  host: text('The name of the host.'),
  provider: uuid('Its root provider.'),
  allocations: byName(
    byName(whole('How much.'), 'By resource class.'),
    'What is claimed, by the uuid of the provider.',
  ),
  mappings: byName(
    list(uuid('A provider.'), 'Providers.'),
    'By suffix of a request group, the providers that serve it.',
  ),
}

const placedShape = object('A server and its place.', {
  instance: uuid('Its consumer.'),
  name: orNull(text('Its name, if it was told.')),
  ...place,
  alternates: list(object('A place.', place), 'Further places that were free at the same moment.'),
})

export const funnelShape = list(
  object('What became of the hosts that reached a filter.', {
    filter: text('Its name.'),
    before: whole('Hosts that reached it.'),
    after: whole('Hosts that it let through.'),
    removed: list(
      object('Why.', {
        code: text('The reason.'),
        hosts: whole('How many hosts.'),
        text: text('In words, after the number of hosts: `are disabled`.'),
      }),
      'By the first reason of each host.',
    ),
  }),
  'The filters in the order in which they were asked.',
)

export const choiceShape = object('How the first server’s host was chosen.', {
  candidates: whole('Hosts that Placement had room on and that were looked at.'),
  is_cut: yesOrNo('There were more; `max_placement_results` are looked at unless none of them passes.'),
  is_exhausted: yesOrNo('Some host was too complex to search and was skipped.'),
  funnel: funnelShape,
  top: list(
    object('A host.', {
      host: text('Its name.'),
      provider: uuid('Its root provider.'),
      weight: number('What the weighers gave it together.'),
      weighers: list(
        object(
          'A weigher.',
          {
            weigher: text('Its name.'),
            weight: number('What it gave to the host: normalized × multiplier, rounded.'),
          },
          { text: text('What it measured, in words.') },
        ),
        'Of the best 5, if several hosts were weighed; weighers that add nothing to any host are left out.',
      ),
    }),
    'The best hosts that passed, at most 20.',
  ),
})

const selectionShape = object('A host as Nova’s `select_destinations` names it.', {
  service_host: text('The host.'),
  nodename: text('The host again.'),
  compute_node_uuid: uuid('Its root provider.'),
  cell_uuid: orNull(uuid('Always null: there are no cells.')),
  availability_zone: text('Its zone.'),
  limits: orNull(anything('Always null: the claim is made already.')),
  allocation_request: orNull(text('What is claimed there, or would be, as JSON.')),
  allocation_request_version: orNull(text('The version of Placement that it is written for.')),
})

export const warningShape = object('A warning.', {
  code: text('What it is about.'),
  text: text('As a sentence.'),
})

export const scheduledShape = object('Where the servers are.', {
  decision: uuid('The decision; it is at `/v1/decisions/{id}`.'),
  dry_run: yesOrNo('Nothing was claimed.'),
  placed: list(placedShape, 'The servers, in the order in which they were named or made.'),
  choice: orNull(choiceShape),
  selections: list(
    list(selectionShape, 'The place, then the alternates.'),
    'The same in the shape of Nova’s `select_destinations`, one list for each server.',
  ),
  warnings: list(warningShape, 'Parts of the request without effect, and other warnings.'),
  source_kept_by: orNull(uuid('Of a move: the consumer that still holds the old place.')),
})

export const rebuiltShape = object('Where it stays.', {
  decision: uuid('The decision.'),
  instance: uuid('The server.'),
  host: text('Its host.'),
  provider: uuid('The root provider of its host.'),
})

/** The answer of POST /v1/schedule and /v1/move. */
export type Scheduled = TypeOf<typeof scheduledShape>
export type PlacedServer = Scheduled['placed'][number]
export type Choice = TypeOf<typeof choiceShape>
export type FilterStep = Choice['funnel'][number]
export type Rebuilt = TypeOf<typeof rebuiltShape>
