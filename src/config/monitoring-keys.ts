import type { Key } from './keys.ts'
import { flag, httpUrl, integer, type Kind, list, optional, words } from './kinds.ts'
import { secretPairs } from './pairs.ts'

const key = <T>(kind: Kind<T>, value: T, description: string): Key<T> => ({
  kind,
  default: value,
  group: 'Monitoring',
  description,
})

const paths = list('paths', 'file,...', path => (path.includes('\0') ? 'holds a NUL' : null))

/** Metrics, health checks, traces and audit events: how others observe the server. */
export const monitoringKeys = {
  metrics_names_max: key(
    integer(0, 100_000),
    0,
    'How many providers, host aggregates and share pools `/metrics` shows by name, each. More than 0 adds the metrics that openstack-exporter has (`openstack_placement_resource_total` and so on), with five series for every inventory, and those of share pools; `berth_providers_not_shown` counts what is left out. 0 shows no names: `/metrics` needs no token.',
  ),
  healthcheck_disable_files: key(
    paths,
    [],
    'While one of these files exists, `/healthcheck` answers 503 with `DISABLED BY FILE`, so that a load balancer takes the server out. The backend `disable_by_file` of oslo.middleware.',
  ),
  healthcheck_enable_files: key(
    paths,
    [],
    'While one of these files is missing, `/healthcheck` answers 503 with `FILE PATH MISSING`. The backend `enable_by_files` of oslo.middleware.',
  ),
  healthcheck_detailed: key(
    flag(),
    false,
    'Whether `/healthcheck` names files, time and platform in its JSON and HTML. It needs no token.',
  ),
  usage_history: key(
    flag(),
    true,
    'Whether usage is recorded over time: of the cloud and of zones every minute, of host aggregates and hosts every ten. `berth history`, `berth forecast` and the charts of the console need it. Where several servers share a database, each step is recorded once.',
  ),
  reconcile_cloud: key(
    optional(words('the name of a cloud', 'name')),
    null,
    'Compare the ledger from time to time with Nova of this cloud, a name in clouds.yaml: the metrics `berth_reconcile_findings` count what differs, by kind, `GET /v1/reconcile` lists it, and the log has a line. Nothing is changed; `berth reconcile` repairs. The file is looked for in OS_CLIENT_CONFIG_FILE, the working directory, `~/.config/openstack` and `/etc/openstack`. Where several servers share a database, set it for one of them.',
  ),
  reconcile_interval_seconds: key(
    integer(60, 604_800),
    3_600,
    'How many seconds pass between two of these comparisons. Each reads all servers and migrations of Nova.',
  ),
  audit_cadf_file: key(
    optional(words('a path', 'file')),
    null,
    'A file that gets an audit event in the JSON form of CADF for every change, one a line. It can be rotated: it is reopened after it was moved.',
  ),
  audit_cadf_webhook: key(
    optional(httpUrl()),
    null,
    'An address that gets the same events by POST, as `{"events": [...]}`. A receiver that is away is tried again and again.',
  ),
  audit_cadf_webhook_headers: key(
    secretPairs,
    [],
    'Headers for the webhook, such as `authorization=Bearer%20...`. Never shown.',
  ),
  audit_cadf_queue_max: key(
    integer(1, 1_000_000),
    10_000,
    'How many audit events wait at most for the file or the webhook. Further ones are lost and counted in `berth_cadf_events_lost_total`; the audit log in the store (`audit`) has them all.',
  ),
} as const satisfies Record<string, Key<never> | Key<unknown>>
