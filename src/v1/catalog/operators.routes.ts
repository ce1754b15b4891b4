import { LIST_BODY_BYTES } from '../../http/api.ts'
import { DIALECTS, type Dialect, listOperators, listSentinels } from '../../scheduling/operators/dialects.ts'
import { evaluate, type Value } from '../../scheduling/operators/evaluate.ts'
import { type Form, findWarnings, parse, print } from '../../scheduling/operators/form.ts'
import {
  dialectShape,
  dialectsShape,
  formatRequirementsShape,
  formattedRequirementsShape,
  OPERATOR_ITEMS_MAX,
  parsedRequirementsShape,
  parseRequirementsShape,
  REQUIREMENT_CHARS_MAX,
  requirement,
  type requirementFormShape,
} from '../../wire/operators.ts'
import { list, object, orNull, type Shape, type TypeOf, text, yesOrNo } from '../../wire/shape.ts'
import { mapInTurns } from '../api/in-turns.ts'
import { requireAtMost } from '../api/item-count.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'

const VALUES_MAX = 10_000

const OPERATION = 'berth:operators'

const scalars = [
  { type: 'string', maxLength: REQUIREMENT_CHARS_MAX },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'null' },
] as const

const value: Shape<Value> = {
  schema: {
    anyOf: [...scalars, { type: 'array', maxItems: VALUES_MAX, items: { anyOf: scalars } }],
    description: `What a host, an aggregate or a pool has. A list has at most ${VALUES_MAX} values.`,
  },
}

const matchBody = object('Values, each with what is required of it.', {
  dialect: dialectShape,
  items: list(
    object('One question.', {
      value,
      requirement: requirement('As written in an extra spec: `>= 4`, `<or> a <or> b`, or a plain text.'),
    }),
    `The questions, at most ${OPERATOR_ITEMS_MAX}.`,
  ),
})

const matchAnswer = object('The verdicts.', {
  results: list(
    object('One verdict.', {
      matches: yesOrNo('Whether the value meets the requirement.'),
      error: orNull(text('Why the two cannot be compared at all, which is no match; null if they can.')),
    }),
    'In the order of the questions.',
  ),
})

export function operatorRoutes(): V1Route[] {
  return [dialectsRoute(), matchRoute(), parseRoute(), formatRoute()]
}

const dialectsRoute = (): V1Route =>
  v1Route({
    method: 'GET',
    path: '/operators',
    operation: OPERATION,
    summary: 'List the operators of each dialect',
    description: 'What a form offers: the operators, how many operands each takes, and what it means.',
    answer: { description: 'The dialects.', shape: dialectsShape },
    handle: (): TypeOf<typeof dialectsShape> => ({
      dialects: DIALECTS.map(name => ({
        name,
        ignores_case: name === 'manila',
        operators: listOperators(name),
        sentinels: listSentinels(name),
      })),
    }),
  })

const matchRoute = (): V1Route =>
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/operators/match',
    operation: OPERATION,
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Check which values meet which requirements',
    description:
      'Judges exactly as Nova or Manila would, thousands of questions at once. Where their code fails (a text ' +
      'compared with a number, `<or>` alone) the answer is no match, with the reason.',
    body: matchBody as Shape<TypeOf<typeof matchBody>>,
    answer: { description: 'One verdict for each question.', shape: matchAnswer },
    problems: PROBLEMS,
    async handle({ body }): Promise<TypeOf<typeof matchAnswer>> {
      checkCount('items', body.items)
      return {
        results: await mapInTurns(body.items, one => evaluate(body.dialect, one.value, one.requirement)),
      }
    },
  })

const parseRoute = (): V1Route =>
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/operators/parse',
    operation: OPERATION,
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Parse requirements, for a form',
    description:
      'Every text is a valid requirement. `POST /v1/operators/format` makes the same text of the answer.',
    body: parseRequirementsShape as Shape<TypeOf<typeof parseRequirementsShape>>,
    answer: { description: 'The parts of each.', shape: parsedRequirementsShape },
    problems: PROBLEMS,
    async handle({ body }): Promise<TypeOf<typeof parsedRequirementsShape>> {
      checkCount('texts', body.texts)
      return {
        results: await mapInTurns(body.texts, one => {
          const parsed = parse(one, body.dialect, { repair: body.repair ?? false })
          return { ...parsed, warnings: findWarnings(parsed.form, body.dialect) }
        }),
      }
    },
  })

const formatRoute = (): V1Route =>
  v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/operators/format',
    operation: OPERATION,
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Format requirements from a form',
    description:
      'Parsing the text gives the same form. A form that no text can express is refused: an operand with a space, ' +
      'or a plain text that would be read as an operator.',
    body: formatRequirementsShape as Shape<TypeOf<typeof formatRequirementsShape>>,
    answer: { description: 'One text for each form.', shape: formattedRequirementsShape },
    problems: {
      ...PROBLEMS,
      400: 'The body is malformed, or no text can express a form; `field` and `value` name the cause.',
    },
    async handle({ body }): Promise<TypeOf<typeof formattedRequirementsShape>> {
      checkCount('forms', body.forms)
      return {
        results: await mapInTurns(body.forms, (given, at) =>
          formatRequirement(given, `forms.${at}`, body.dialect),
        ),
      }
    },
  })

const PROBLEMS = {
  400: 'The body is malformed; `field` names where.',
  413: `More than ${OPERATOR_ITEMS_MAX} at once.`,
}

const checkCount = (field: string, items: readonly unknown[]): void =>
  requireAtMost(OPERATOR_ITEMS_MAX, 'operators', field, items.length)

function formatRequirement(given: TypeOf<typeof requirementFormShape>, at: string, dialect: Dialect) {
  const form = readForm(given, at)
  const printed = print(form, dialect)
  if (!printed.ok)
    throw makeFormProblem(
      `${at}.${printed.field}`,
      printed.value,
      `${abbreviate(printed.value)} ${printed.reason}`,
    )
  return { text: printed.text, warnings: findWarnings(form, dialect) }
}

/** Exactly the fields of its kind. */
function readForm(given: TypeOf<typeof requirementFormShape>, at: string): Form {
  const { kind, text, operator, operands } = given
  const wanted: readonly string[] = kind === 'literal' ? ['text'] : ['operator', 'operands']
  for (const [field, value] of Object.entries({ text, operator, operands })) {
    if (value === undefined && wanted.includes(field))
      throw makeFormProblem(`${at}.${field}`, null, `is missing, and the kind ${kind} needs it`)
    if (value !== undefined && !wanted.includes(field))
      throw makeFormProblem(
        `${at}.${field}`,
        value,
        `${abbreviate(value)} does not belong to the kind ${kind}`,
      )
  }
  return kind === 'literal'
    ? { kind, text: text as string }
    : { kind, operator: operator as string, operands: operands as readonly string[] }
}

const makeFormProblem = (field: string, value: unknown, reason: string): Problem =>
  new Problem(400, 'operators.form', `${field}: ${reason}`, { field, value })

const SHOWN_MAX = 200

function abbreviate(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length <= SHOWN_MAX ? json : `${json.slice(0, SHOWN_MAX)}...`
}
