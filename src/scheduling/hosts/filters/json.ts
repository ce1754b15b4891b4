import { isNestedAtMost } from '../../../kernel/exact-json.ts'
import type { Filter } from '../../framework/filter.ts'
import {
  areEqual,
  isList,
  isObject,
  isTooDeep,
  isTrue,
  type JsonValue,
  memberOf,
  ordered,
  parsedJson,
} from '../../framework/json-value.ts'
import { memoizeByIdentity } from '../../framework/memoize.ts'
import { PASS, type QueryProblem, refuse } from '../../framework/refusal.ts'
import type { HostView } from '../host-view.ts'
import type { SchedulingRequest } from '../request-view.ts'

/** Deeper queries are nobody's. */
const DEPTH_MAX = 64

export const jsonFilter: Filter = {
  name: 'JsonFilter',
  summary:
    'Keeps to hosts for which the query of the hint is true, such as ' +
    '`["and", [">=", "$free_ram_mb", 1024], ["=", "$host", "a"]]`.',
  reads: { hints: ['query'], host: ['attributes'] },
  check(request, host) {
    const { query, problem } = readQuery(request)
    if (problem !== null) return refuse('query.malformed', { query: request.hints.query, problem })
    if (!isTrue(query)) return PASS
    const problems: QueryProblem[] = []
    const result = evaluated(query, host, problems)
    const [first] = problems
    if (first !== undefined) return refuse('query.malformed', { query, problem: first })
    // A list comes from `not`, which turns each of its terms; one that is true will do.
    const holds = isList(result) ? result.some(isTrue) : isTrue(result)
    return holds ? PASS : refuse('query.refused', { query })
  },
}

interface ReadQuery {
  readonly query: JsonValue
  /** What is wrong with it, whatever the host. */
  readonly problem: QueryProblem | null
}

const readQuery = memoizeByIdentity(({ hints }: SchedulingRequest) => parsedQuery(hints.query))

/** A query as it came with a hint: its text, or what the text says. Nothing at all asks for nothing. */
function parsedQuery(given: JsonValue): ReadQuery {
  const query = typeof given === 'string' && given !== '' ? parsedJson(given) : given
  if (query === undefined && isTooDeep(given as string))
    return { query: null, problem: { kind: 'too-deep', max: DEPTH_MAX } }
  if (query === undefined) return { query: null, problem: { kind: 'not-json' } }
  if (!isNestedAtMost(query, DEPTH_MAX)) return { query, problem: { kind: 'too-deep', max: DEPTH_MAX } }
  return { query, problem: isTrue(query) ? faultIn(query) : null }
}

function faultIn(query: JsonValue): QueryProblem | null {
  if (!isList(query)) return { kind: 'not-a-list', found: query }
  const [operator, ...terms] = query as readonly [JsonValue, ...JsonValue[]]
  if (typeof operator !== 'string' || !OPERATORS.has(operator)) return { kind: 'unknown-operator', operator }
  for (const term of terms) {
    const fault = isList(term) && term.length > 0 ? faultIn(term) : null
    if (fault !== null) return fault
  }
  return null
}

/** Of terms that are known; those that the host does not have are gone. */
type Operator = (terms: readonly JsonValue[], problems: QueryProblem[]) => JsonValue

const comparing =
  (operator: string, holds: (order: number) => boolean): Operator =>
  (terms, problems) => {
    const [left, ...others] = terms
    if (left === undefined || others.length === 0) return false
    const results = others.map(right => {
      const order = ordered(left, right)
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

function evaluated(query: JsonValue, host: HostView, problems: QueryProblem[]): JsonValue {
  const [operator, ...terms] = query as readonly [string, ...JsonValue[]]
  const known = terms.map(term => termOf(term, host, problems)).filter(term => term !== null)
  return (OPERATORS.get(operator) as Operator)(known, problems)
}

function termOf(term: JsonValue, host: HostView, problems: QueryProblem[]): JsonValue {
  if (isList(term)) return term.length === 0 || evaluated(term, host, problems)
  if (term === '') return null
  return typeof term === 'string' && term.startsWith('$') ? variable(term, host, problems) : term
}

/** `$name` is an attribute of the host, `$name.member` what lies in it. */
function variable(term: string, host: HostView, problems: QueryProblem[]): JsonValue {
  const [name, ...members] = term.slice(1).split('.')
  let value = host.attribute(name as string) ?? null
  for (const member of members) {
    if (value === null) return null
    if (!isObject(value)) {
      problems.push({ kind: 'no-members', variable: term, value })
      return null
    }
    value = memberOf(value, member) ?? null
  }
  return value
}
