import { AMOUNT_MAX } from '../kernel/number-bounds.ts'
import { warningShape } from './scheduling.ts'
import {
  anyObject,
  anything,
  byName,
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

const ids = list(uuid('A share.'), 'Ids of shares.')

export const shareAskShape = object(
  'A share that might be made.',
  { size: whole('How many GB.', { minimum: 1, maximum: AMOUNT_MAX }) },
  {
    share_type: text('The name or id of its type; default: the server’s default type.'),
    availability_zone: text('Its zone.'),
    same_host: ids,
    different_host: ids,
    only_host: text('The only pool to consider, `host@backend#pool`.'),
    snapshot_id: uuid('The snapshot that it shall be made from.'),
    hints: byName(anything('Its value.'), 'Other scheduler hints; nothing reads them, as `warnings` says.'),
  },
)

const funnel = list(
  object('What a filter left.', {
    filter: text('Its name.'),
    before: whole('How many pools came to it.'),
    after: whole('How many it left.'),
  }),
  'How far each filter narrowed it, in their order.',
)

const poolFields = {
  pool: text('`host@backend#pool`'),
  passes: yesOrNo('Whether it would do.'),
  free_gb: number('Free capacity in GB.'),
  refusals: list(
    object('A filter that says no.', {
      filter: text('Its name.'),
      reasons: list(
        object('A reason.', {
          code: text('Its kind.'),
          facts: anyObject('What was compared.'),
          text: text('As a sentence.'),
        }),
        'All of them.',
      ),
    }),
    'Of every filter that says no.',
  ),
  weight: orNull(number('What the weighers gave it together, if it passes.')),
}

const poolReportShape = object('What became of a pool.', poolFields)
export type PoolReport = TypeOf<typeof poolReportShape>

const explanationFields = {
  fits: yesOrNo('Whether there is a pool that would do.'),
  reason: orNull(text('The filter that leaves nothing, and the share that stands in the way.')),
  funnel,
  pool: orNull(text('The pool that it would get; for admins only.')),
  pools: list(poolReportShape, 'Every pool; for admins only.'),
}

const shareExplanationShape = object('Where a share would go, and why.', explanationFields)

export const newShareExplanationShape = object('Where a share would go, and why.', {
  ...explanationFields,
  warnings: list(warningShape, 'Hints that nothing reads.'),
})

export const explainedShareShape = object('A share, and where it could be.', {
  share: uuid('The share.'),
  status: text('Its status.'),
  moved_against_hints: yesOrNo('It was moved by force against its hints.'),
  hints: list(
    object('A share that its hints name.', {
      kind: oneOf('Which hint.', 'same_host', 'different_host'),
      share: uuid('The share.'),
      same_back_end: orNull(
        yesOrNo('Whether the two are on one back end; null where one of them is nowhere.'),
      ),
    }),
    'In their order.',
  ),
  explanation: shareExplanationShape,
})

const shareTargetShape = object('A pool, and whether the share can go there.', {
  ...poolFields,
  is_here: yesOrNo('It is where the share is.'),
  force_helps: yesOrNo(
    'Nothing but hints stands in the way, so that `force` would move it there all the same.',
  ),
})

export const shareTargetsShape = object('Where a share could go.', {
  share: uuid('The share.'),
  snapshots: whole('How many snapshots it has, which a move has to preserve.'),
  pools: list(shareTargetShape, 'Every pool, the best first.'),
})

export const besideShape = object('Whether they are together.', {
  same_back_end: orNull(yesOrNo('Null where one of them is nowhere.')),
})

export type ShareAsk = TypeOf<typeof shareAskShape>
export type ShareExplanation = TypeOf<typeof shareExplanationShape>
export type NewShareExplanation = TypeOf<typeof newShareExplanationShape>
export type ExplainedShare = TypeOf<typeof explainedShareShape>
export type HintKind = ExplainedShare['hints'][number]['kind']
export type ShareTargets = TypeOf<typeof shareTargetsShape>
export type ShareTarget = ShareTargets['pools'][number]
