import { parseInteger, strip } from '../../operators/python-text.ts'

/** More than any flavor has. Keeps a typing error from filling the memory. */
const CPU_MAX = 65_535

/**
 * CPUs by number: `0-3,^2,6` are 0, 1, 3 and 6. A list that starts with `^` excludes from all of `count`. Null if it cannot
 * be parsed.
 */
export function parseCpuSet(text: string, count: number): ReadonlySet<number> | null {
  const wanted = new Set<number>()
  const unwanted = new Set<number>()
  const rules = text.split(',').map(strip)
  if (strip(text).startsWith('^')) rules.unshift(`0-${count - 1}`)
  for (const rule of rules) {
    if (rule === '') continue
    const isExcluded = rule.startsWith('^')
    const range = parseRange(isExcluded ? rule.slice(1) : rule)
    if (range === null) return null
    const [from, to] = range
    for (let cpu = from; cpu <= to; cpu++) (isExcluded ? unwanted : wanted).add(cpu)
  }
  return wanted.difference(unwanted)
}

function parseRange(rule: string): readonly [number, number] | null {
  const dash = rule.indexOf('-')
  const from = parseInteger(dash === -1 ? rule : rule.slice(0, dash))
  const to = dash === -1 ? from : parseInteger(rule.slice(dash + 1))
  return from === null || to === null || from > to || to > CPU_MAX ? null : [from, to]
}
