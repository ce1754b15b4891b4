import { list, number, object, oneOf, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

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
  'What fails: give `hosts`, `rack` or `any_one_of`.',
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
    any_one_of: name('One host of this host aggregate fails, by name or uuid: each is tried alone.'),
    servers_max: whole(
      `For so many servers a place is looked for; what is left is reported as not tried. Default: ${FAILURE_SERVERS_DEFAULT}.`,
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
  servers: whole('Servers on them.'),
  stuck: whole('Servers that find no place.'),
  gib_stuck: number('Memory and disk that these hold.'),
  untried: whole('Servers for which none was looked for, because the limit was reached.'),
  others: whole('Further consumers that hold something there and are no servers.'),
}

export const failureShape = object('What would become of the servers. Nothing was written.', {
  revision: whole('The revision of the state that was copied.'),
  what: text('What fails, in words.'),
  survives: oneOf(
    'Whether every server finds a place, in every case: unknown if the limit ended the search before one was found that does not.',
    'yes',
    'no',
    'unknown',
  ),
  cases: whole('How many cases there are: one, or the hosts of the aggregate.'),
  untried: whole('Cases that were not tried to the end.'),
  failing: list(
    object('A case.', { hosts: list(host, 'What fails, at most 100.'), ...figures }),
    `Cases in which some server finds no place, the worst first; at most ${CASES_SHOWN_MAX}.`,
  ),
  failing_left_out: whole('Such cases that are not in the list.'),
  worst: orNull(
    object('The case with most servers without a place; if all find one, the one with most servers.', {
      hosts: list(host, 'What fails, at most 100.'),
      ...figures,
      moves: list(
        object('A server.', {
          instance: uuid('The server.'),
          name: orNull(text('Its name.')),
          from: text('The host it is on.'),
          to: orNull(text('The host it would go to; null if it finds no place.')),
          provider: orNull(uuid('The root provider of that host.')),
          text: orNull(text('Why it finds no place.')),
        }),
        'Its servers; those without a place first.',
      ),
      moves_left_out: whole('Servers that are not in the list; ask for more with `moves_max`.'),
    }),
  ),
  is_exhausted: yesOrNo('The limit of servers was reached; a larger `servers_max` tries all.'),
})

export type Failure = TypeOf<typeof failureShape>
export type FailureCase = NonNullable<Failure['worst']>
