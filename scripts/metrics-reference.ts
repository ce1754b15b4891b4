import { describeMetrics } from './all-metrics.ts'
import { table } from './markdown-table.ts'

/** What each group of metrics is about, by the beginning of their names. The first that fits has a metric. */
const GROUPS: readonly (readonly [title: string, prefixes: readonly string[], text: string])[] = [
  [
    'As openstack-exporter has them',
    ['openstack_'],
    'Names and labels are those of [openstack-exporter](https://github.com/openstack-exporter/openstack-exporter), so its dashboards ' +
      'and alerts keep working. All but `openstack_placement_up` need [`metrics_names_max`](configuration.md#metrics_names_max). ' +
      '`hostname` is the name of the provider. Its `openstack_placement_resource_provider_allocations` has a series for every consumer ' +
      'and is not there: ask Placement for the allocations of a provider instead.',
  ],
  [
    'Process',
    ['process_', 'berth_build_', 'berth_event_loop_'],
    'The standard names of Prometheus, read from /proc on Linux.',
  ],
  ['HTTP', ['berth_http_', 'berth_requests_'], ''],
  [
    'Names',
    ['berth_host_aggregate_', 'berth_aggregate_info', 'berth_providers_not_shown', 'berth_share_pool_'],
    'Only with [`metrics_names_max`](configuration.md#metrics_names_max).',
  ],
  [
    'State and capacity',
    ['berth_world_', 'berth_capacity', 'berth_used', 'berth_reserved', 'berth_aggregate'],
    '',
  ],
  ['Store', ['berth_commit_', 'berth_store_', 'berth_changes_', 'berth_allocations_', 'berth_writes_'], ''],
  ['Several processes', ['berth_memory_', 'berth_head_', 'berth_follower_'], 'All 0 on SQLite.'],
  ['Candidates and scheduling', ['berth_candidates_', 'berth_schedule_'], ''],
  [
    'Usage over time',
    ['berth_usage_'],
    'Only with [`usage_history`](configuration.md#usage_history); each process counts for itself.',
  ],
  ['Attention', ['berth_attention'], 'What `berth status` prints, for alerts.'],
  [
    'Comparison with Nova',
    ['berth_reconcile_'],
    'Only with [`reconcile_cloud`](configuration.md#reconcile_cloud).',
  ],
  [
    'Shadow',
    ['berth_shadow_'],
    'Only with [`shadow_of`](configuration.md#shadow_of); each process counts for itself.',
  ],
  ['Traces and audit events', ['berth_trace_', 'berth_cadf_'], ''],
]

/** The page docs/reference/metrics.md. */
export function metricsReference(): string {
  const left = new Set(describeMetrics())
  const sections = GROUPS.map(([title, prefixes, text]) => {
    const found = [...left].filter(({ name }) => prefixes.some(prefix => name.startsWith(prefix)))
    for (const one of found) left.delete(one)
    const rows = found.map(({ name, type, labelNames, help }) => [
      `\`${name}\``,
      type,
      labelNames.map(label => `\`${label}\``).join(', '),
      help,
    ])
    return { title, text, rows }
  }).filter(({ rows }) => rows.length > 0)
  if (left.size > 0)
    throw new Error(
      `no group has ${[...left].map(({ name }) => name).join(', ')}: add it to scripts/metrics-reference.ts`,
    )
  return `${[
    HEAD,
    ...sections.map(({ title, text, rows }) =>
      [
        `## ${title}`,
        ...(text === '' ? [] : [text]),
        table(['metric', 'type', 'labels', 'meaning'], rows),
      ].join('\n\n'),
    ),
  ].join('\n\n')}\n`
}

const HEAD = `<!-- Generated from the metrics of src by scripts/docs.ts; change them there. -->

# Metrics

\`GET /metrics\` answers in the text format of Prometheus, version 0.0.4, and needs no token: keep it inside your network.
[Watch a server](../how-to/watch.md) has alerts and a dashboard.

A histogram has three series for each combination of labels: \`_bucket\`, \`_sum\` and \`_count\`. How many series there are is bounded:
labels have values that are written in the source (routes, reasons, filters), resource classes, the first 200 aggregates, and, with
\`metrics_names_max\`, that many names. With names, the answer is sent in slices of 500 lines, so that no request waits for more than
one of them, and at most four scrapes run at once; a further one is answered with 503.`
