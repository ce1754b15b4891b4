import { AMOUNT_MAX, RATIO_MAX } from '../kernel/number-bounds.ts'
import { hostSettings } from './hosts.ts'
import { askFields, warningShape } from './scheduling.ts'
import { list, number, object, oneOf, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

/** The request and the answer of a simulation. */

export const CLAIMS_MAX = 100_000
export const DRAINED_SERVERS_MAX = 2_000
export const ADDED_HOSTS_MAX = 10_000
const CHANGES_MAX = 1_000
const HOSTS_MAX = 10_000
export const HOSTS_DEFAULT = 20
const SEED_MAX = 2 ** 32 - 1

const newHost = object(
  'One or more hosts that are not there yet. Either `like` or `inventories` says what they have.',
  {},
  {
    like: text(
      'They are like this host: its whole tree with inventories and traits, its aggregates, and what it says of itself.',
      { minLength: 1 },
    ),
    name: text('Their name; with a number if there are several. Default: that of `like` and a number.', {
      minLength: 1,
      maxLength: 150,
    }),
    count: whole(`How many; default: 1. All together at most ${ADDED_HOSTS_MAX}.`, {
      minimum: 1,
      maximum: ADDED_HOSTS_MAX,
    }),
    aggregates: list(text('Name or uuid.'), 'The host aggregates that they join; default: those of `like`.'),
    ...hostSettings,
  },
)

const amount = (description: string, minimum: number) => whole(description, { minimum, maximum: AMOUNT_MAX })

const inventoryChange = object(
  'The new values of one inventory. Fields that are left out keep their values.',
  { provider: text('Name or uuid.', { minLength: 1 }), class: text('The resource class.', { minLength: 1 }) },
  {
    total: amount('All of it.', 1),
    reserved: amount('Amount that consumers cannot take.', 0),
    min_unit: amount('The least that one consumer may take.', 1),
    max_unit: amount('The most that one consumer may take.', 1),
    step_size: amount('Amounts are multiples of it.', 1),
    allocation_ratio: number('Allocation ratio: how far it may be overcommitted.', {
      minimum: 0,
      maximum: RATIO_MAX,
    }),
  },
)

export const simulateBody = object(
  'The request, a flavor or groups, and the changes to assume.',
  {},
  {
    ...askFields,
    drain: list(
      text('Name or uuid.'),
      `Hosts that take nothing new, and whose servers have to go elsewhere; ${DRAINED_SERVERS_MAX} servers at most.`,
      { maxItems: CHANGES_MAX },
    ),
    add: list(newHost, 'Hosts that are added.', { maxItems: CHANGES_MAX }),
    inventories: list(inventoryChange, 'Inventories that are changed, or made.', { maxItems: CHANGES_MAX }),
    limit: whole(
      `How many servers are claimed one by one at most, where it cannot be calculated; default: ${CLAIMS_MAX}.`,
      { minimum: 1, maximum: CLAIMS_MAX },
    ),
    hosts_max: whole(`How many hosts to report; default: ${HOSTS_DEFAULT}.`, {
      minimum: 0,
      maximum: HOSTS_MAX,
    }),
    seed: whole('Seed of the random choices; default: 0.', { minimum: 0, maximum: SEED_MAX }),
  },
)

export type SimulateBody = TypeOf<typeof simulateBody>
export type NewHostBody = TypeOf<typeof newHost>

const share = { hosts: whole('Hosts in it.'), fits: whole('How many more fit on them.') }

const fitsShape = object('How many more fit.', {
  fits: whole('How many, in all.'),
  hosts: whole('All hosts.'),
  hosts_that_fit: whole('Hosts that take at least one.'),
  by_zone: list(object('A zone.', { zone: text('Its name.'), ...share }), 'By availability zone.'),
  by_aggregate: list(
    object('A host aggregate.', { aggregate: text('Its name.'), uuid: uuid('Its uuid.'), ...share }),
    'By host aggregate; a host that is in several counts in each.',
  ),
  by_host: list(
    object('A host.', {
      host: text('Its name.'),
      provider: uuid('Its root provider.'),
      fits: whole('How many.'),
    }),
    'The hosts that take most, most first.',
  ),
  by_host_left_out: whole('Hosts that take some and are not in the list; ask for more with `hosts_max`.'),
  ends: list(
    object('Why hosts take no more.', {
      by: oneOf(
        'What kind of thing it is.',
        ...[
          'resource',
          'trait',
          'aggregate',
          'tree',
          'combination',
          'filter',
          'booking',
          'left-out',
          'limit',
        ],
      ),
      name: text('The resource class, trait, aggregate or filter.'),
      code: text('Its kind: how it is missing, or what the filter says.'),
      hosts: whole('How many hosts.'),
      text: text('In words, after the number of hosts: `have too little VCPU`.'),
    }),
    'What limits it, most hosts first. A host for which several things do counts for each.',
  ),
  is_cut: yesOrNo('The limit of claims was reached: more may fit.'),
  is_exhausted: yesOrNo('Some host was too complex to search and was skipped.'),
})

/** A server of a host that is drained or fails. */
export const displacedServerShape = object('A server.', {
  instance: uuid('The server.'),
  name: orNull(text('Its name.')),
  from: text('The host it is on.'),
  to: orNull(text('The host it would go to; null if it finds no place.')),
  provider: orNull(uuid('The root provider of that host.')),
  text: orNull(text('Why it finds no place.')),
})

export const simulateAnswer = object('The result.', {
  revision: whole('The revision of the state that was copied.'),
  before: fitsShape,
  after: orNull(fitsShape),
  change: orNull(whole('How many more fit after the changes than before.')),
  added: list(text('A name.'), 'The hosts that were added.'),
  drained: list(
    displacedServerShape,
    'The servers of the drained hosts, each placed where the earlier ones left room.',
  ),
  stuck: whole('How many of them find no place.'),
  others: whole('Consumers with allocations on the drained hosts that are not servers.'),
  warnings: list(warningShape, 'Parts of the request without effect, and other warnings.'),
})

export type Simulation = TypeOf<typeof simulateAnswer>
export type Fits = Simulation['before']
