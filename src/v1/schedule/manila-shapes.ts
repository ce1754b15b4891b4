import { list, number, object, oneOf, orNull, text, uuid, whole, yesOrNo } from '../../wire/shape.ts'
import { missedCalls } from './nova-shapes.ts'

/** Per request. */
export const POOLS_MAX = 5_000
const SHARES_MAX = 20_000
const HINTED_MAX = 10_000
const INSTANCES_MAX = 100
const NAME_CHARS_MAX = 255

const name = (description: string) => text(description, { maxLength: NAME_CHARS_MAX })

const named = (description: string) =>
  list(name('The uuid of a share.'), description, { maxItems: HINTED_MAX })

const hints = (description: string) =>
  object(description, {
    same_host: named('Shares to be on one back end with.'),
    different_host: named('Shares to be on other back ends than.'),
  })

const share = object('A share as Manila’s database has it.', {
  uuid: uuid('Its uuid.'),
  host: orNull(name('Its pool, `host@backend#pool`; null if it has none yet.')),
  hosts: list(name('A pool.'), 'Those of all its instances.', { maxItems: INSTANCES_MAX }),
  status: orNull(name('Its status.')),
  is_moving: yesOrNo('A migration is in progress.'),
  hints: hints('The hints in its metadata.'),
})

const pool = object(
  'A pool as Manila has it.',
  { host: name('`host@backend#pool`.') },
  {
    weight: number('The sum of Manila’s weighers; higher is better. Default: 0.'),
    free_gb: orNull(number('Its free space; null where Manila does not know.')),
  },
)

export const manilaRequestShape = object(
  'A share that Manila’s scheduler is to place, and the pools that are left.',
  {
    operation: oneOf(
      'What Manila does; only hints of a new share must name shares that exist.',
      'create',
      'replica',
      'move',
    ),
    share,
    hints: hints('The hints of the request.'),
    shares: list(share, `Other shares, first of all those that the hints name; at most ${SHARES_MAX}.`, {
      maxItems: SHARES_MAX,
    }),
    missing: list(name('A uuid.'), 'Uuids that Manila has no share for.', { maxItems: SHARES_MAX }),
    pools: list(pool, `At most ${POOLS_MAX}.`),
  },
  {
    project: orNull(name('Its project.')),
    size: orNull(whole('Its size in GB.')),
    type: orNull(name('The name of its type.')),
    zone: orNull(name('The requested zone.')),
    force: yesOrNo('An admin overrides the hints; default: false.'),
    request_id: orNull(name('Manila’s request id.')),
    global_request_id: orNull(name('The global request id.')),
    missed_calls: missedCalls,
  },
)

const verdicts = {
  needs: list(
    uuid('A share.'),
    'Shares that matter and that the request says nothing about: name them, too. Nothing was decided then.',
  ),
  decision: orNull(uuid('The decision that was kept.')),
  refused: list(
    object('A pool that does not pass.', {
      host: whole('Its place in the request, from 0.'),
      filter: text('The first filter that refuses it.'),
      code: text('The first reason.'),
      text: text('The reason in words.'),
    }),
    'The pools that do not pass.',
  ),
  summary: text('All of it in one line, for a log.'),
}

export const manilaFilteredShape = object('Which pools pass.', {
  ...verdicts,
  passes: list(whole('The place of a pool in the request, from 0.'), 'The pools that pass.'),
})

export const manilaPlacedShape = object('The chosen pool.', {
  ...verdicts,
  pool: orNull(whole('The place of the pool in the request, from 0; null if none passes.')),
})

export const manilaForgetShape = object('A share of Manila.', { share: uuid('Its uuid.') })

export const manilaForgottenShape = object('Shares whose metadata may still name it.', {
  same_host: list(uuid('A share.'), 'In the hint same_host.'),
  different_host: list(uuid('A share.'), 'In the hint different_host.'),
})
