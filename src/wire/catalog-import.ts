import { anything, list, object, oneOf, type TypeOf, text, yesOrNo } from './shape.ts'

const catalogDifferenceShape = object(
  'One thing that the definition and the namespace do not agree on.',
  {
    part: oneOf('What it is.', 'attribute', 'association', 'property', 'object', 'tag'),
    name: text('Its name; of an association, the type of resource.'),
    action: oneOf(
      'What became of it. `kept`: what is there stays, though the definition says otherwise.',
      ...(['added', 'changed', 'removed', 'kept'] as const),
    ),
  },
  {
    before: anything('What was there. Absent: nothing.'),
    after: anything('What the definition says. Absent of what was added: all that the definition says.'),
  },
)

export const catalogImportReportShape = object('What came of the definitions.', {
  dry_run: yesOrNo('Nothing was changed: this is what would have been.'),
  namespaces: list(
    object('One definition, in the order in which they came.', {
      namespace: text('Its name.'),
      outcome: oneOf('What came of it.', 'created', 'updated', 'unchanged', 'skipped'),
      differences: list(
        catalogDifferenceShape,
        'What it changed, and what it would have changed but for `merge`.',
      ),
    }),
    'Every definition.',
  ),
})

export const catalogMergeShape = oneOf(
  'What becomes of a namespace that is there. `skip`, the default: nothing. `add`: what only the definition ' +
    'has is added to it. `prefer-new`: that, and what both have becomes as the definition has it. ' +
    '`overwrite`: it becomes exactly as the definition has it, protected or not.',
  ...(['skip', 'add', 'prefer-new', 'overwrite'] as const),
)
export type CatalogMerge = TypeOf<typeof catalogMergeShape>

export type CatalogDifference = TypeOf<typeof catalogDifferenceShape>
export type CatalogImportReport = TypeOf<typeof catalogImportReportShape>
