import { list, number, object, oneOf, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'
import { displacedServerShape } from './simulation.ts'

/** Whether servers would find a place if hosts failed. */

export const FAILED_HOSTS_MAX = 1_000
const SERVERS_MAX = 100_000
export const FAILURE_SERVERS_DEFAULT = 10_000
export const CASES_SHOWN_MAX = 100
export const FAILURE_MOVES_SHOWN = 200
const MOVES_SHOWN_MAX = 10_000
const SEED_MAX = 2 ** 32 - 1

const name = (description: string) => text(description, { minLength: 1, maxLength: 255 })

export const failureBody = object(
  'What fails: one of `hosts`, `rack` and `any_one_of`.',
  {},
  {
    hosts: list(name('Name or uuid.'), 'These hosts fail at the same time.', {
      minItems: 1,
      maxItems: FAILED_HOSTS_MAX,
    }),
    rack: name(
      'All hosts of a rack fail at the same time: a host aggregate, by name or uuid, or all aggregates with this value of `rack` in ' +
        'their metadata.',
    ),
    any_one_of: name('Any one host of this host aggregate, by name or uuid, fails: each is tried alone.'),
    servers_max: whole(
      `Maximum number of servers to find a place for; the others are reported as not tried. Default: ${FAILURE_SERVERS_DEFAULT}.`,
      { minimum: 1, maximum: SERVERS_MAX },
    ),
    moves_max: whole(`How many servers of the worst case to list; default: ${FAILURE_MOVES_SHOWN}.`, {
      minimum: 0,
      maximum: MOVES_SHOWN_MAX,
    }),
    seed: whole('Seed of the random choices; default: 0.', { minimum: 0, maximum: SEED_MAX }),
  },
)

export type FailureBody = TypeOf<typeof failureBody>

const host = object('A host.', { host: text('Its name.'), provider: uuid('Its root provider.') })

const figures = {
  servers: whole('Servers on these hosts.'),
  stuck: whole('Servers that find no place.'),
  gib_stuck: number('Memory and disk that these hold.'),
  untried: whole('Servers that were not tried, because the limit was reached.'),
  others: whole('Consumers with allocations there that are not servers.'),
}

export const failureShape = object('Where the servers would go. Nothing was written.', {
  revision: whole('The revision of the state that was copied.'),
  what: text('What fails, in words.'),
  survives: oneOf(
    'Whether every server finds a place in every case; unknown if the limit was reached before a server without a place was found.',
    'yes',
    'no',
    'unknown',
  ),
  cases: whole('The number of cases: one, or one for each host of the aggregate.'),
  untried: whole('Cases that were not tried completely.'),
  failing: list(
    object('A case.', { hosts: list(host, 'What fails, at most 100.'), ...figures }),
    `Cases in which a server finds no place, the worst first; at most ${CASES_SHOWN_MAX}.`,
  ),
  failing_left_out: whole('Failing cases that are not in the list.'),
  worst: orNull(
    object(
      'The case with the most servers without a place; if all find one, the case with the most servers.',
      {
        hosts: list(host, 'What fails, at most 100.'),
        ...figures,
        moves: list(displacedServerShape, 'Its servers; those without a place first.'),
        moves_left_out: whole('Servers that are not in the list; ask for more with `moves_max`.'),
      },
    ),
  ),
  is_exhausted: yesOrNo('The limit of servers was reached; a larger `servers_max` tries more.'),
})

export type Failure = TypeOf<typeof failureShape>
export type FailureCase = NonNullable<Failure['worst']>
