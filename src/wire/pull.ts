import { anyObject, byName, list, object, oneOf, orNull, type TypeOf, text, whole, yesOrNo } from './shape.ts'

const lineShape = object('A row.', {
  table: text('Its table.'),
  row: anyObject(
    'Its columns, as in an export; of share back ends, pools and shares, what Manila says of them.',
  ),
})

export const pullBodyShape = object(
  'What changed in the cloud.',
  {
    rows: list(lineShape, 'As the cloud has them; what others refer to comes first.'),
    removed: list(lineShape, 'What the cloud has no more, as it was here; its parts go with it.'),
  },
  {
    adopt: yesOrNo(
      'Take over what exists here under the same id or name. Default: it is left alone and named.',
    ),
  },
)

const leftShape = object('A row that stays out.', {
  table: text('Its table.'),
  name: text('What it is called.'),
  at: orNull(whole('Its place in `rows`; null for one of `removed`.')),
  reason: oneOf('Why, for programs.', 'exists', 'reference-missing', 'name-taken', 'misfit'),
  why: text('Why, for people.'),
})

export const pullReportShape = object('What was done.', {
  created: whole('New rows.'),
  updated: whole('Rows that were changed.'),
  removed: whole('Things that were removed.'),
  unchanged: whole('Rows that were so already.'),
  left: list(leftShape, 'What stays out.'),
})

export const pulledCloudsShape = object('Clouds that something here belongs to.', {
  clouds: list(
    object('A cloud.', {
      name: text('Its name.'),
      counts: byName(whole('How many.'), 'What belongs to it, by table.'),
    }),
    'By name.',
  ),
})

export type PullBody = TypeOf<typeof pullBodyShape>
export type PullReport = TypeOf<typeof pullReportShape>
