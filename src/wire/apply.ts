import { anything, list, object, oneOf, type TypeOf, text, yesOrNo } from './shape.ts'

const plannedChangeShape = object('One thing.', {
  kind: oneOf('What it is.', 'host', 'flavor', 'aggregate', 'share-backend', 'share-pool'),
  name: text('Its name.'),
  action: oneOf('What becomes of it.', 'create', 'update', 'remove', 'unchanged'),
  owned: yesOrNo('It was made from these declarations, so that it goes once they drop it.'),
  differences: list(
    object(
      'A field that is not as declared.',
      { field: text('Its name.') },
      {
        before: anything('What is there. Absent: nothing.'),
        after: anything('What is declared. Absent: nothing.'),
      },
    ),
    'What changes.',
  ),
})

export const applyReportShape = object('The plan.', {
  dry_run: yesOrNo('Nothing was changed: this is what would have been.'),
  plan: list(plannedChangeShape, 'Every thing that is declared, or dropped.'),
  warnings: list(text('A remark.'), 'What was accepted but may not do what its author expects.'),
})

export type PlannedChange = TypeOf<typeof plannedChangeShape>
export type ApplyReport = TypeOf<typeof applyReportShape>
