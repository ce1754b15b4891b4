import { isNestedAtMost } from '../../../kernel/exact-json.ts'
import { defineFilter } from '../../framework/filter.ts'
import {
  areEqual,
  compareValues,
  getMember,
  isList,
  isObject,
  isTooDeep,
  isTrue,
  type JsonValue,
  parseJson,
} from '../../framework/json-value.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import { defineReason, PASS, refuse } from '../../framework/refusal.ts'
import type { HostView } from '../host-view.ts'
import type { SchedulingRequest } from '../request-view.ts'

/** Deeper than any real query. */
const DEPTH_MAX = 64

type QueryProblem =
  | { readonly kind: 'not-json' }
  | { readonly kind: 'too-deep'; readonly max: number }
  | { readonly kind: 'not-a-list'; readonly found: JsonValue }
  | { readonly kind: 'unknown-operator'; readonly operator: JsonValue }
  | {
      readonly kind: 'incomparable'
      readonly operator: string
      readonly left: JsonValue
      readonly right: JsonValue
    }
  | { readonly kind: 'no-members'; readonly variable: string; readonly value: JsonValue }

const refused = defineReason({
  code: 'query.refused',
  text: (_: { readonly query: JsonValue }) => 'the host does not match the query of the request.',
  hostsText: 'do not match the query of the request',
  remedy: () => 'change the query',
})

const malformed = defineReason({
  code: 'query.malformed',
  text: ({ problem }: { readonly query: JsonValue; readonly problem: QueryProblem }) =>
    `the query of the request cannot be evaluated: ${problemText(problem)}.`,
  hostsText: 'cannot evaluate the query of the request',
  remedy: () => 'change the query',
})

function problemText(problem: QueryProblem): string {
  switch (problem.kind) {
    case 'not-json':
      return 'it is not JSON'
    case 'too-deep':
      return `its lists are nested more than ${problem.max} deep`
    case 'not-a-list':
      return `${renderValue(problem.found)} is not a list`
    case 'unknown-operator':
      return `${renderValue(problem.operator)} is not an operator`
    case 'incomparable':
      return `${renderValue(problem.left)} ${problem.operator} ${renderValue(problem.right)} compares values of different types`
    case 'no-members':
      return `${problem.variable} looks into ${renderValue(problem.value)}, which has no members`
    default:
      return problem satisfies never
  }
}

const SHOWN_MAX = 200

function renderValue(value: JsonValue): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}...`
}

export const jsonFilter = defineFilter({
  name: 'JsonFilter',
  summary:
    'Passes only hosts for which the query of the hint is true, such as ' +
    '`["and", [">=", "$free_ram_mb", 1024], ["=", "$host", "a"]]`.',
  reads: { hints: ['query'], host: ['attributes'] },
  reasons: [refused, malformed],
  example: {
    passes: { hints: { query: ['>=', '$free_ram_mb', 1024] }, host: { free_ram_mb: 2048 } },
    refused: { hints: { query: ['>=', '$free_ram_mb', 1024] }, host: { free_ram_mb: 512 } },
    text: 'the host does not match the query of the request.',
  },
  check(request, host) {
    const { query, problem } = readQuery(request)
    if (problem !== null) return refuse(malformed, { query: request.hints.query, problem })
    if (!isTrue(query)) return PASS
    const problems: QueryProblem[] = []
    const result = evaluateQuery(query, host, problems)
    const [first] = problems
    if (first !== undefined) return refuse(malformed, { query, problem: first })
    // A list comes from `not`, which negates each of its terms; one true term is enough.
    const holds = isList(result) ? result.some(isTrue) : isTrue(result)
    return holds ? PASS : refuse(refused, { query })
  },
})

interface ReadQuery {
  readonly query: JsonValue
  /** A fault that does not depend on the host. */
  readonly problem: QueryProblem | null
}

const readQuery = memoizeByIdentity(({ hints }: SchedulingRequest) => parseQuery(hints.query))

/** The query of a hint: text, or its parsed value. An empty one asks for nothing. */
function parseQuery(given: JsonValue): ReadQuery {
  const query = typeof given === 'string' && given !== '' ? parseJson(given) : given
  if (query === undefined && isTooDeep(given as string))
    return { query: null, problem: { kind: 'too-deep', max: DEPTH_MAX } }
  if (query === undefined) return { query: null, problem: { kind: 'not-json' } }
  if (!isNestedAtMost(query, DEPTH_MAX)) return { query, problem: { kind: 'too-deep', max: DEPTH_MAX } }
  return { query, problem: isTrue(query) ? findFault(query) : null }
}

function findFault(query: JsonValue): QueryProblem | null {
  if (!isList(query)) return { kind: 'not-a-list', found: query }
  const [operator, ...terms] = query as readonly [JsonValue, ...JsonValue[]]
  if (typeof operator !== 'string' || !OPERATORS.has(operator)) return { kind: 'unknown-operator', operator }
  for (const term of terms) {
    const fault = isList(term) && term.length > 0 ? findFault(term) : null
    if (fault !== null) return fault
  }
  return null
}

/** Gets terms with values; those that the host lacks are dropped. */
type Operator = (terms: readonly JsonValue[], problems: QueryProblem[]) => JsonValue

const comparing =
  (operator: string, holds: (order: number) => boolean): Operator =>
  (terms, problems) => {
    const [left, ...others] = terms
    if (left === undefined || others.length === 0) return false
    const results = others.map(right => {
      const order = compareValues(left, right)
      if (order === null) problems.push({ kind: 'incomparable', operator, left, right })
      return order !== null && holds(order)
    })
    return results.every(Boolean)
  }

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  [
    '=',
    ([left, ...others]) => others.length > 0 && others.every(right => areEqual(left as JsonValue, right)),
  ],
  ['<', comparing('<', order => order < 0)],
  ['>', comparing('>', order => order > 0)],
  ['<=', comparing('<=', order => order <= 0)],
  ['>=', comparing('>=', order => order >= 0)],
  ['in', ([left, ...others]) => others.some(right => areEqual(left as JsonValue, right))],
  ['not', terms => terms.map(term => !isTrue(term))],
  ['or', terms => terms.some(isTrue)],
  ['and', terms => terms.every(isTrue)],
])

function evaluateQuery(query: JsonValue, host: HostView, problems: QueryProblem[]): JsonValue {
  const [operator, ...terms] = query as readonly [string, ...JsonValue[]]
  const known = terms.map(term => evaluateTerm(term, host, problems)).filter(term => term !== null)
  return (OPERATORS.get(operator) as Operator)(known, problems)
}

function evaluateTerm(term: JsonValue, host: HostView, problems: QueryProblem[]): JsonValue {
  if (isList(term)) return term.length === 0 || evaluateQuery(term, host, problems)
  if (term === '') return null
  return typeof term === 'string' && term.startsWith('$') ? evaluateVariable(term, host, problems) : term
}

/** `$name` is an attribute of the host, `$name.member` a member of it. */
function evaluateVariable(term: string, host: HostView, problems: QueryProblem[]): JsonValue {
  const [name, ...members] = term.slice(1).split('.')
  let value = host.attribute(name as string) ?? null
  for (const member of members) {
    if (value === null) return null
    if (!isObject(value)) {
      problems.push({ kind: 'no-members', variable: term, value })
      return null
    }
    value = getMember(value, member) ?? null
  }
  return value
}
