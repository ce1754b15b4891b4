import { anyObject, list, object, type TypeOf, text, yesOrNo } from './shape.ts'

export const statementShape = (what: string) =>
  object(what, {
    code: text('What programs go by.'),
    facts: anyObject('The values that were compared, by the names of the code.'),
    text: text('The same for people.'),
  })

export const filterVerdictsShape = object('The verdicts.', {
  results: list(
    object('One verdict.', {
      passes: yesOrNo('Whether the filter lets the host through.'),
      reasons: list(statementShape('A reason.'), 'All that stands in the way; empty if it passes.'),
      notes: list(
        statementShape('A remark.'),
        'Keys that were skipped, texts that mean something else than they seem.',
      ),
    }),
    'In the order of the questions.',
  ),
})

export type FilterVerdict = TypeOf<typeof filterVerdictsShape>['results'][number]
