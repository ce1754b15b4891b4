import { list, object, oneOf, orNull, type TypeOf, text, whole } from './shape.ts'

/** Items of a finding that are kept; totals count all. */
export const ATTENTION_ITEMS_MAX = 100
export const ATTENTION_ITEMS_DEFAULT = 5

const severities = ['critical', 'warning', 'note'] as const

const findingShape = object('Something that needs attention.', {
  code: text('What it is. Codes do not change; new ones may come.'),
  severity: oneOf(
    'Critical: something is broken or refused now. Warning: it will be, or some requests are refused. Note: good to know.',
    ...severities,
  ),
  total: whole('How many things it is about.'),
  text: text('All of it in one line.'),
  link: orNull(text('The page of the console that leads to the remedy, as a path.')),
  command: text('A command of `berth` that is the remedy, or leads to it.'),
  items: list(
    object('One of the things.', {
      name: text('Its name.'),
      text: text('What is wrong with it.'),
      link: orNull(text('Its page in the console.')),
    }),
    'The worst first, as many as asked for.',
  ),
})

export const attentionShape = object('What needs attention.', {
  at: text('When the answer was made.'),
  revision: whole(
    'The revision of the state that was looked at, or an earlier one for checks that take long.',
  ),
  worst: oneOf('The severity of the worst finding.', 'none', ...severities),
  findings: list(findingShape, 'The most severe first.'),
  passed: list(text('A code.'), 'Checks that found nothing.'),
  not_allowed: list(text('A code.'), 'Checks of what the caller may not see.'),
  failed: list(
    object('A check that could not be made.', { code: text('Its code.'), text: text('Why.') }),
    'Whether these things need attention is unknown.',
  ),
})

export type Attention = TypeOf<typeof attentionShape>
export type AttentionFinding = TypeOf<typeof findingShape>
export type Severity = (typeof severities)[number]
