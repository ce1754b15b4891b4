import { list, object, oneOf, type Shape, type TypeOf, text, yesOrNo } from './shape.ts'

/**
 * Nova limits extra specs to 255 characters, and lists of features have some hundred values. Every operand is
 * searched in the whole text.
 */
export const REQUIREMENT_CHARS_MAX = 16_384

const OPERANDS_MAX = 1_000

/** Of one request. The body has a separate limit, in bytes. */
export const OPERATOR_ITEMS_MAX = 10_000

export const requirement = (description: string) => text(description, { maxLength: REQUIREMENT_CHARS_MAX })

export const dialectShape = oneOf(
  'Whose reading counts: `nova` for flavors and aggregates, `manila` for share types.',
  'nova',
  'manila',
)

const operands = list(
  requirement('A word: not empty, no blank in it.'),
  `What the operator compares with, at most ${OPERANDS_MAX}.`,
  { maxItems: OPERANDS_MAX },
)

const warnings = list(text('As a sentence.'), 'Why the requirement is valid but can match nothing.')

/** A parsed form. */
export const requirementFormShape = object(
  'The parts of the requirement.',
  { kind: oneOf('A plain text, or an operator with its operands.', 'literal', 'operator') },
  {
    text: requirement('The plain text, with its blanks. Only for `literal`.'),
    operator: text('The symbol of the operator. Only for `operator`.'),
    operands,
  },
)

export const parseRequirementsShape = object(
  'Requirements to take apart.',
  {
    dialect: dialectShape,
    texts: list(requirement('A requirement.'), `The requirements, at most ${OPERATOR_ITEMS_MAX}.`),
  },
  {
    repair: yesOrNo(
      'Also read what dashboards wrote with commas: `<or> a,b`, `<all-in> a,b`, `<in> a,b`, `undefined a,b`. ' +
        'Without this they mean what their reader makes of them, which is not what was chosen.',
    ),
  },
)

export const parsedRequirementsShape = object('The parts.', {
  results: list(
    object('One requirement.', {
      form: requirementFormShape as Shape<RequirementForm>,
      text: text('The form as text, which matches the same values; of a repaired one, what was meant.'),
      ignored: list(text('A word.'), 'Words of the requirement that no reader looks at.'),
      repaired: yesOrNo('Whether it had to be repaired: then the text means something else than before.'),
      warnings,
    }),
    'In the order of the texts.',
  ),
})

export const formatRequirementsShape = object('Forms to write as text.', {
  dialect: dialectShape,
  forms: list(requirementFormShape, `The forms, at most ${OPERATOR_ITEMS_MAX}.`),
})

export const formattedRequirementsShape = object('The texts.', {
  results: list(
    object('One requirement.', { text: text('What to store in the extra spec.'), warnings }),
    'In the order of the forms.',
  ),
})

export const dialectsShape = object('The language.', {
  dialects: list(
    object('One dialect.', {
      name: dialectShape,
      ignores_case: yesOrNo('Whether values, operands and operators are compared in lower case.'),
      operators: list(
        object('One operator.', {
          symbol: text('As it is written, before its operands.'),
          takes: oneOf('How many operands it looks at.', 'one', 'several'),
          compares: oneOf('As what.', 'numbers', 'texts', 'parts', 'yes-or-no'),
          meaning: text('Goes on after "the value".'),
        }),
        'Its operators.',
      ),
      sentinels: list(
        object('One sentinel.', {
          symbol: text('As it is written, alone or as a word of `<or>`.'),
          in_flavor: text('What it means in a flavor.'),
          in_aggregate: text('What it means in an aggregate with `force_metadata_check`.'),
        }),
        'The sentinels of the aggregate instance type filter. A property can name them among its operators.',
      ),
    }),
    'Every dialect.',
  ),
})

export type Dialect = TypeOf<typeof dialectShape>
export type DialectFacts = TypeOf<typeof dialectsShape>['dialects'][number]
export type Operator = DialectFacts['operators'][number]
/** A parsed form has exactly the fields of its kind; a form in a request is checked for that. */
export type RequirementForm =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'operator'; readonly operator: string; readonly operands: readonly string[] }
export type ParsedRequirement = TypeOf<typeof parsedRequirementsShape>['results'][number]
