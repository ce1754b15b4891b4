import { anyObject, list, object, orNull, type TypeOf, text, whole } from './shape.ts'

export const changeShape = object('The data of one event of GET /v1/changes.', {
  revision: whole('The revision that the change made.'),
  at: text('When.'),
  ops: list(
    object('A row that changed.', {
      table: text('Its table.'),
      before: orNull(anyObject('The row before; null: it was not there.')),
      after: orNull(anyObject('The row after; null: it is gone.')),
    }),
    'The rows that changed.',
  ),
})

export type RecordedChange = TypeOf<typeof changeShape>
export type ChangedRow = NonNullable<RecordedChange['ops'][number]['after']>
