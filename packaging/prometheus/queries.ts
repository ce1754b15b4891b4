/** Reads PromQL as far as it takes to know which metrics and labels a query names. */

interface Selector {
  readonly metric: string
  /** The labels of its matchers. */
  readonly labels: readonly string[]
  /** The function around it that needs a counter, if any. */
  readonly rate: string | null
}

interface QueryNames {
  readonly selectors: readonly Selector[]
  /** The labels of `by`, `on`, `group_left` and the like. */
  readonly groupings: readonly string[]
}

const TOKEN = /"[^"]*"|\[[^\]]*\]|[a-zA-Z_:][\w:]*|\d[\w.]*|[=!~<>]+|\S/g
const NAME = /^[a-zA-Z_:][\w:]*$/
const CLAUSES = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'])
const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset'])
const COUNTER_FUNCTIONS = new Set(['rate', 'increase', 'irate'])

export function readQuery(query: string): QueryNames {
  const tokens: readonly string[] = query.match(TOKEN) ?? []
  const selectors: Selector[] = []
  const groupings: string[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as string
    if (!NAME.test(token) || OPERATORS.has(token)) continue
    if (CLAUSES.has(token)) {
      const end = tokens.indexOf(')', at)
      groupings.push(...tokens.slice(at + 1, end).filter(one => NAME.test(one)))
      at = end
    } else if (tokens[at + 1] === '{') {
      const end = tokens.indexOf('}', at)
      const labels = tokens.slice(at + 2, end).filter(one => NAME.test(one))
      selectors.push({ metric: token, labels, rate: findRate(tokens, at) })
      at = end
    } else if (tokens[at + 1] !== '(' && !CLAUSES.has(tokens[at + 1] ?? ''))
      selectors.push({ metric: token, labels: [], rate: findRate(tokens, at) })
  }
  return { selectors, groupings }
}

function findRate(tokens: readonly string[], at: number): string | null {
  const name = tokens[at - 2] ?? ''
  return tokens[at - 1] === '(' && COUNTER_FUNCTIONS.has(name) ? name : null
}
