/** What can be known of the rules and the dashboard by reading; CI runs promtool on the rules. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeMetrics } from '../../scripts/all-metrics.ts'
import type { MetricDescription } from '../../src/http/ops/metrics.ts'
import { readQuery } from './queries.ts'

interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly annotations?: Readonly<Record<string, string>>
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] }
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const rules = (parse(read('berth.rules.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  group => group.rules,
)
const dashboard = JSON.parse(read('../grafana/berth.json')) as Dashboard
const targets = dashboard.panels.flatMap(({ title, targets: all = [] }) =>
  all.map(one => ({ title, ...one })),
)

/** What Prometheus adds to every series. */
const SCRAPE_LABELS = ['job', 'instance']

/** By the names that series have: a histogram has three. */
const series = new Map<string, { readonly labels: readonly string[]; readonly isCounter: boolean }>([
  ['up', { labels: [], isCounter: false }],
  ...describeMetrics().flatMap(seriesOf),
])

function seriesOf({ name, type, labelNames }: MetricDescription) {
  if (type !== 'histogram') return [[name, { labels: labelNames, isCounter: type === 'counter' }] as const]
  return ['_bucket', '_sum', '_count'].map(suffix => {
    const labels = suffix === '_bucket' ? [...labelNames, 'le'] : labelNames
    return [`${name}${suffix}`, { labels, isCounter: true }] as const
  })
}

for (const { record, expr } of rules)
  if (record !== undefined) series.set(record, { labels: readQuery(expr).groupings, isCounter: false })

/** The faults of a query, and of labels that a text beside it shows. */
function listFaults(query: string, shown: readonly string[] = []): string[] {
  const { selectors, groupings } = readQuery(query)
  const faults = selectors.flatMap(({ metric, labels, rate }) => {
    const known = series.get(metric)
    if (known === undefined) return [`no metric ${metric}`]
    const missing = labels.filter(label => ![...known.labels, ...SCRAPE_LABELS].includes(label))
    const noCounter = rate !== null && !known.isCounter ? [`${rate} of ${metric}, which is no counter`] : []
    return [...missing.map(label => `${metric} has no label ${label}`), ...noCounter]
  })
  const all = new Set([
    ...SCRAPE_LABELS,
    ...selectors.flatMap(({ metric }) => series.get(metric)?.labels ?? []),
  ])
  const unknown = [...groupings, ...shown].filter(label => !all.has(label))
  if (selectors.length === 0) faults.push('no metric at all')
  return [...faults, ...unknown.map(label => `nothing in the query has a label ${label}`)]
}

const named = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(match => match[1] as string)

test.each(rules.map(rule => [rule.record ?? rule.alert ?? '', rule] as const))(
  'rule %s names only metrics and labels that the server has',
  (_, { expr, annotations = {} }) => {
    const shown = named(Object.values(annotations).join(' '), /\$labels\.(\w+)/g)
    expect(listFaults(expr, shown)).toEqual([])
  },
)

test.each(targets.map(target => [target.title, target] as const))(
  'panel %s names only metrics and labels that the server has',
  (_, { expr, legendFormat }) => {
    const query = expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '').replaceAll('$instance', '')
    expect(listFaults(query, named(legendFormat, /\{\{(\w+)\}\}/g))).toEqual([])
  },
)

test('the check finds a metric, a label and a rate that do not exist', () => {
  expect(listFaults('rate(berth_nothing[5m])')).toEqual(['no metric berth_nothing'])
  expect(listFaults('berth_used{zone="a"}')).toEqual(['berth_used has no label zone'])
  expect(listFaults('sum by (zone) (berth_used)')).toEqual(['nothing in the query has a label zone'])
  expect(listFaults('sum(rate(berth_used[5m]))')).toEqual(['rate of berth_used, which is no counter'])
  expect(listFaults('berth_used / on (job) group_left (version) berth_build_info', ['node'])).toEqual([
    'nothing in the query has a label node',
  ])
})

test('every alert is tested by promtool, and has a summary', () => {
  const tests = parse(read('berth.rules.test.yml')) as {
    tests: { alert_rule_test?: { alertname: string; exp_alerts?: unknown[] }[] }[]
  }
  const fired = tests.tests
    .flatMap(one => one.alert_rule_test ?? [])
    .filter(one => one.exp_alerts !== undefined)
  const alerts = rules.filter(rule => rule.alert !== undefined)
  expect([...new Set(fired.map(one => one.alertname))].sort()).toEqual(alerts.map(rule => rule.alert).sort())
  for (const { annotations } of alerts) expect(annotations?.summary).toMatch(/\.$|max_search_steps/)
})

test('the dashboard has every panel once, none over another, and its own variables only', () => {
  const ids = dashboard.panels.map(panel => panel.id)
  expect(new Set(ids).size).toBe(ids.length)
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, nth) => `${x + (nth % w)},${y + Math.floor(nth / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  const variables = dashboard.templating.list.map(({ name }) => name)
  const used = named(JSON.stringify(dashboard), /\$\{?([a-z]\w*)/g)
  expect([...new Set(used)].sort()).toEqual([...variables].sort())
})
