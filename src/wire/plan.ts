import { askFields, warningShape } from './scheduling.ts'
import { list, number, object, oneOf, orNull, type TypeOf, text, uuid, whole, yesOrNo } from './shape.ts'

/** The request and the answer of a plan. The answer is also the file that `berth plan apply` reads. */

export const PLAN_MOVES_MAX = 2_000
const PLAN_STEPS_MAX = 100_000
export const PLAN_STEPS_DEFAULT = 5_000
const NEVER_MAX = 10_000
const DRAINED_HOSTS_MAX = 1_000
const SEED_MAX = 2 ** 32 - 1

export const planBody = object(
  'The goal of the plan, and its budget.',
  {
    goal: oneOf('What the moves are for.', 'drain', 'consolidate', 'make-room', 'defragment'),
  },
  {
    hosts: list(text('Name or uuid.'), 'With `drain`: the hosts to empty. No server moves to them.', {
      maxItems: DRAINED_HOSTS_MAX,
    }),
    free: whole('With `consolidate`: how many more hosts to empty.', {
      minimum: 1,
      maximum: DRAINED_HOSTS_MAX,
    }),
    count: whole('With `make-room`: how many servers of the request must fit; default: 1.', {
      minimum: 1,
      maximum: PLAN_MOVES_MAX,
    }),
    request: object(
      'With `make-room` and `defragment`: the request, a flavor or groups. `defragment` without it takes the largest flavor in use for which moves help.',
      {},
      askFields,
    ),
    moves_max: whole(`Maximum number of moves; default: ${PLAN_MOVES_MAX}.`, {
      minimum: 0,
      maximum: PLAN_MOVES_MAX,
    }),
    gib_max: number('Maximum of memory and disk to move, in GiB.', { minimum: 0, maximum: 1e12 }),
    at_once: whole('Maximum number of moves from or to one host that are under way at a time; default: 1.', {
      minimum: 1,
      maximum: 100,
    }),
    never: list(uuid('A server.'), 'Servers that must not move.', { maxItems: NEVER_MAX }),
    steps_max: whole(
      `After this many tried moves the search returns the best plan so far; default: ${PLAN_STEPS_DEFAULT}.`,
      { minimum: 1, maximum: PLAN_STEPS_MAX },
    ),
    seed: whole('Seed of the random choices; default: 0.', { minimum: 0, maximum: SEED_MAX }),
  },
)

export type PlanBody = TypeOf<typeof planBody>

const moveShape = object('A move.', {
  instance: uuid('The server.'),
  name: orNull(text('Its name.')),
  from: text('The host it is on.'),
  from_provider: uuid('The root provider of that host.'),
  to: text('The host it goes to.'),
  to_provider: uuid('The root provider of that host.'),
  flavor: text('The flavor that it was requested with; empty if unknown.'),
  gib: number('Memory and disk that it holds.'),
  wave: whole('The moves of one wave may be under way together, in any order.'),
})

export const planShape = object('A plan. Nothing was written.', {
  goal: text('The goal.'),
  what: text('The goal in words.'),
  revision: whole('The revision of the state that the plan starts from.'),
  is_reached: yesOrNo(
    'Whether the moves reach the goal. If not, they come as close to it as the search could.',
  ),
  is_shortest: yesOrNo('No plan with fewer moves reaches the goal within the budget.'),
  moves: list(moveShape, 'The moves, in order.'),
  cost: object('The cost of the moves.', {
    moves: whole('How many.'),
    servers: whole('How many servers move.'),
    gib: number('Memory and disk that move, in GiB.'),
    waves: whole('How many waves.'),
  }),
  gain: object('The effect of the moves.', {
    of: oneOf('What is counted.', 'servers-on-hosts', 'empty-hosts', 'fitting-servers'),
    before: whole('Now.'),
    after: whole('After the moves.'),
    wanted: orNull(whole('The wanted number, if the goal has one.')),
  }),
  stuck: list(
    object('A server that cannot leave a drained host.', {
      instance: uuid('The server.'),
      name: orNull(text('Its name.')),
      host: text('Its host.'),
      text: text('Why.'),
    }),
    'Servers that cannot leave, with `drain`.',
  ),
  others: whole('Consumers with allocations on the drained hosts that are not servers.'),
  steps: whole('How many moves the search tried.'),
  is_exhausted: yesOrNo('The search reached its limit; a larger `steps_max` may find more.'),
  warnings: list(warningShape, 'Parts of the request without effect, and other warnings.'),
})

export type ServerPlan = TypeOf<typeof planShape>

export const checkPlanBody = object(
  'The moves that are left.',
  {
    moves: list(
      object('A move.', {
        instance: uuid('The server.'),
        from: text('The host it is on, by name or uuid.'),
        to: text('The host it goes to, by name or uuid.'),
      }),
      'The moves, in order.',
      { maxItems: PLAN_MOVES_MAX },
    ),
  },
  {
    held_at: whole(
      'A revision at which they are known to hold: if it is still the present one, nothing is tried.',
    ),
  },
)

export const checkedPlanShape = object('Whether all moves are still possible, one after the other.', {
  holds: yesOrNo('All are.'),
  revision: whole('The revision of the state that was looked at.'),
  at: orNull(whole('Which move is not, from 0.')),
  text: orNull(text('Why it is not.')),
})

export type CheckedPlan = TypeOf<typeof checkedPlanShape>
