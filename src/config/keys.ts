import { hostAndPort } from './host-and-port.ts'
import { keystoneKeys } from './keystone-keys.ts'
import {
  choice,
  databaseUrl,
  flag,
  httpUrl,
  integer,
  type Kind,
  list,
  optional,
  originFault,
  words,
} from './kinds.ts'
import { monitoringKeys } from './monitoring-keys.ts'
import { schedulingKeys } from './scheduling-keys.ts'
import { shadowKeys } from './shadow-keys.ts'
import { tracingKeys } from './tracing-keys.ts'

export interface Key<T> {
  readonly kind: Kind<T>
  /** A value, or a function of the environment of the program. */
  readonly default: T | ((place: DefaultContext) => T)
  /** The default in the reference, if it is not a plain value. */
  readonly defaultSaid?: string
  readonly group: Group
  /** One paragraph; `--help` shows its first sentence. */
  readonly description: string
  /** Further environment variables, if a standard names some. Berth's own variable wins. */
  readonly variables?: readonly string[]
}

/** What defaults may depend on. */
interface DefaultContext {
  /** Log lines go to a terminal. */
  readonly terminal: boolean
}

export const groups = [
  'Network',
  'Storage',
  'Authentication and authorization',
  'Keystone',
  'Logging',
  'Monitoring',
  'Traces',
  'Request limits',
  'Placement',
  'Scheduling',
  'Shares',
] as const
type Group = (typeof groups)[number]
const DAY_MS = 86_400_000
const NOBODY = '00000000-0000-0000-0000-000000000000'

const key = <T>(group: Group, kind: Kind<T>, value: Key<T>['default'], description: string): Key<T> => ({
  kind,
  default: value,
  group,
  description,
})

/** All keys. Flags, environment variables, the file, `--help` and the reference derive from them. */
export const keys = {
  host: key(
    'Network',
    words('an address or a host name', 'address'),
    '127.0.0.1',
    'The address to listen on. `0.0.0.0` or `::` is every interface; the default is loopback only. Any address but loopback needs `tls_cert` or `behind_proxy`, so that no token crosses a network unencrypted.',
  ),
  port: key(
    'Network',
    integer(0, 65_535),
    8778,
    'The TCP port to listen on. 0 takes any free port, which `serve` then prints. In Kubernetes, a Service named `berth` sets an environment variable BERTH_PORT that is not a number: set `enableServiceLinks: false`.',
  ),
  only: key(
    'Network',
    optional(choice('placement', 'compute', 'catalog', 'share')),
    null,
    'Serve only this service, at the root of the port, as OpenStack operators run them. Absent, every service has its own path: Placement at `/placement`, compute at `/compute`, the catalog at `/image`, shares at `/share`.',
  ),
  tls_cert: key(
    'Network',
    optional(words('a path', 'file')),
    null,
    'The file with the certificate chain of the server, in PEM. With `tls_key`, the server speaks HTTPS only, TLS 1.2 or newer. It reloads both files within a minute of a change. If the system does not know the certificate authority, give commands its certificate in `NODE_EXTRA_CA_CERTS`.',
  ),
  tls_key: key(
    'Network',
    optional(words('a path', 'file')),
    null,
    'The file with the private key of `tls_cert`, in PEM, without a passphrase.',
  ),
  behind_proxy: key(
    'Network',
    flag(),
    false,
    'Listen without TLS on an address that others can reach, because a proxy in front terminates TLS and the port is reachable only through it. For the headers of the proxy see `trust_proxy`.',
  ),
  public_url: key(
    'Network',
    optional(httpUrl()),
    null,
    'The URL at which clients reach this server, such as `https://berth.example.org`. The service catalog of `/identity` and `berth clouds-yaml` contain it; with `tls_cert`, commands on this machine use it. Absent, the catalog contains the address that the request was sent to.',
  ),
  cors_allowed_origin: key(
    'Network',
    list('origins such as `https://console.example.org`, or `*`', 'origin,...', originFault),
    [],
    'The origins whose pages may use the API from a browser. Empty, the server sends no CORS headers.',
  ),
  health_listen: key(
    'Network',
    optional(hostAndPort()),
    null,
    'A further address for health checks, such as `:1717`. It speaks plain HTTP, also where the server itself has TLS, and needs no token. It answers `/healthz`, `/readyz`, `/healthcheck` and `/metrics` as the server does, and every other path as `/healthz`.',
  ),
  drain_timeout_ms: key(
    'Network',
    integer(0, DAY_MS),
    10_000,
    'How long requests in flight may take to finish after the server got the signal to stop. Then it closes the connections that are still open.',
  ),
  drain_linger_ms: key(
    'Network',
    integer(0, DAY_MS),
    0,
    'How long the server accepts requests after the signal to stop, while `/readyz` already reports draining. Behind a load balancer, set it to a little more than the interval of its health checks.',
  ),
  trust_proxy: key(
    'Network',
    flag(),
    false,
    'Trust the headers X-Forwarded-Proto and X-Forwarded-Host in URLs that the server makes, and the last address of X-Forwarded-For when it counts failed sign-ins. Turn it on only behind a proxy that sets these headers itself.',
  ),
  compress_answers: key(
    'Network',
    flag(),
    false,
    'Compress answers of 16 KiB and more for clients that accept zstd or gzip. It takes two to three times the CPU time of such an answer and makes it 12 to 20 times smaller: worth it for clients behind a link of less than about 2 Gbit/s, not within a data centre.',
  ),
  data_dir: key(
    'Storage',
    words('a path', 'directory'),
    './berth-data',
    'The directory of the SQLite database and the admin token. The server creates it if it is missing, readable by its owner only. A relative path starts at the working directory. Unless `database` is set, only one server at a time can use it.',
  ),
  database: key(
    'Storage',
    optional(databaseUrl()),
    null,
    'The database that holds the state: PostgreSQL as `postgres://user@host:port/name`, or MariaDB, MySQL and Galera as `mysql://user@host:port/name` (see `docs/how-to/mariadb.md`). Absent, it is SQLite in the data directory. Any number of servers, on any machines, can share one database. Of several hosts separated by commas, the server uses the one that accepts writes. Give the password in `PGPASSWORD`, in `~/.pgpass` or in the environment variable of this key: everybody on the machine can read a flag. TLS follows `sslmode` and the other parameters and `PG…` variables of libpq. See `docs/how-to/run-several-processes.md`.',
  ),
  database_connections_max: key(
    'Storage',
    integer(4, 1_000),
    8,
    'The most connections to the database that one server opens. Two are always open: for writes and for reading the head. The others serve loads and exports.',
  ),
  database_timeout_ms: key(
    'Storage',
    integer(100, DAY_MS),
    10_000,
    'How long the database may take to connect, to answer, or to grant the head lock. After that the server drops the connection and answers the requests that needed it with 503.',
  ),
  database_frozen_ms: key(
    'Storage',
    integer(100, DAY_MS),
    5_000,
    'How long a server that holds the head lock may be silent. A server that hangs for longer loses the lock and its unfinished write, so that the others can go on.',
  ),
  reads: key(
    'Storage',
    choice('linearizable', 'local'),
    'linearizable',
    'What a read may miss when several servers share a database. `linearizable`: nothing that any of them acknowledged before the request arrived, at the cost of one query to the database, shared by all waiting reads. `local`: the server answers from memory at once; memory lags by the metric `berth_memory_stale_seconds`, usually a few milliseconds.',
  ),
  reads_stale_max_ms: key(
    'Storage',
    integer(0, DAY_MS),
    10_000,
    'With `reads` = `local`, the most that memory may lag; beyond it, reads are answered with 503. 0 sets no limit: the server then answers reads even while the database is down.',
  ),
  changes_keep_days: key(
    'Storage',
    integer(1, 36_500),
    30,
    'How many days the change log keeps each change. Removing a change from the log does not affect the state.',
  ),
  changes_keep_rows: key(
    'Storage',
    integer(1_000, 1_000_000_000),
    1_000_000,
    'The most changes that the change log keeps, whatever their age. The oldest are removed first.',
  ),
  standard_traits_file: key(
    'Placement',
    optional(words('a path', 'file')),
    null,
    'A file with names of standard traits that are newer than this version of Berth, one a line or as a JSON array. They are added at every start; `berth trait learn` does the same at run time.',
  ),
  catalog_builtin: key(
    'Storage',
    flag(),
    true,
    'Add the definitions that come with Berth to the catalog. Each namespace is added to a store once: a deleted one does not come back, a changed one stays as it is, and one that a newer version brings is added at the next start.',
  ),
  catalog_check_writes: key(
    'Storage',
    choice('off', 'warn', 'refuse'),
    'warn',
    'What happens to values of flavors, host aggregates and share types that the public definitions of the catalog do not allow, where they are written by the compute and share APIs. `warn` accepts them, with a header `berth-warning` and a line in the log; `refuse` answers 400. `NaN` for a number is refused always.',
  ),
  demo: key(
    'Storage',
    flag(),
    false,
    'Fill an empty store with a demo cloud. It has three zones, 60 hosts and some problems worth explaining; see `docs/how-to/demo.md`. A store that has a provider stays as it is.',
  ),
  auth: key(
    'Authentication and authorization',
    choice('token', 'keystone', 'noauth2'),
    'token',
    'How callers authenticate. `token` accepts the tokens of this server: those of users who signed in at `/identity`, those of `berth token create`, and the admin token made at the first start. `keystone` accepts the latter two, and validates all other tokens with a Keystone. `noauth2` accepts whatever identity the caller claims; it is for tests and only allowed on loopback.',
  ),
  rbac: key(
    'Authentication and authorization',
    choice('legacy', 'secure', 'open'),
    'secure',
    'The default policy. `secure` has the new defaults of upstream, where only the role service may reshape; `legacy` also allows what the old defaults allow; `open` allows everything to every authenticated caller.',
  ),
  policy_file: key(
    'Authentication and authorization',
    optional(words('a path', 'file')),
    null,
    'A `policy.yaml` (or JSON) whose rules replace the defaults, in the language and with the names of oslo.policy. The server reads it at the start only; `berth policy list` prints the rules in force. See `docs/reference/security.md`.',
  ),
  token_lifetime_s: key(
    'Authentication and authorization',
    integer(60, 86_400),
    3_600,
    'How many seconds a token of `/identity` is valid.',
  ),
  rate_limit_per_second: key(
    'Authentication and authorization',
    integer(0, 1_000_000),
    100,
    'How many requests per second one user may send to one server on average, over all tokens, with bursts of twice as many. More are answered with 429. Tokens with the role admin or service have no limit. 0 turns the limit off; with `noauth2` there is none.',
  ),
  audit: key(
    'Authentication and authorization',
    flag(),
    true,
    'Record every change with the user who made it, in the same commit. `berth audit` and `/v1/audit` show the records, which are kept for 90 days.',
  ),
  ...keystoneKeys,
  log_level: key(
    'Logging',
    choice('error', 'warn', 'info', 'debug'),
    'info',
    'The least severe level that is logged.',
  ),
  log_format: {
    ...key(
      'Logging',
      choice('json', 'text'),
      (place): 'json' | 'text' => (place.terminal ? 'text' : 'json'),
      'The format of the log on standard error. `json` is one object per line, `text` is for people.',
    ),
    defaultSaid: '`text` on a terminal, else `json`',
  },
  log_file: key(
    'Logging',
    optional(words('a path', 'file')),
    null,
    'The file that log lines are appended to. Absent, they go to standard error. When the file was moved or removed, or on SIGHUP, it is reopened under its name, so `logrotate` needs neither `copytruncate` nor a restart.',
  ),
  ...monitoringKeys,
  ...tracingKeys,
  max_body_bytes: key(
    'Request limits',
    integer(1_024, 1_073_741_824),
    10 * 1024 * 1024,
    'The largest body of the routes that take bulk data: allocations of many consumers, a reshape, a namespace of the catalog, `POST /v1/apply`. All other routes take 64 KiB, or 512 KiB for lists, and never more than this. A larger body is answered with 413.',
  ),
  max_header_bytes: key(
    'Request limits',
    integer(8_192, 16_777_216),
    64 * 1024,
    'The most bytes of request line and headers together. More are answered with 431. Queries for candidates with many groups are long, so the default is well above Node’s.',
  ),
  request_timeout_ms: key(
    'Request limits',
    integer(1_000, DAY_MS),
    60_000,
    'How long a client may take to send a whole request. After that the server answers with 408 and closes the connection.',
  ),
  max_waiting_requests: key(
    'Request limits',
    integer(1, 1_000_000),
    10_000,
    'How many requests may wait for their turn when more arrive than the server can answer. One more is answered with 503, or displaces a read of the caller with the most. See `docs/reference/security.md`.',
  ),
  max_wait_ms: key(
    'Request limits',
    integer(10, DAY_MS),
    5_000,
    'How long a request may wait for its turn before it is answered with 503. Once requests have waited for this long without a break, the overload is no burst, and each may wait a tenth of it. See `docs/reference/security.md`.',
  ),
  max_request_groups: key(
    'Request limits',
    integer(1, 10_000),
    200,
    'The most request groups (`resources1`, `resources_NET` and so on) that one request for candidates may have. More are answered with 400.',
  ),
  max_server_groups: key(
    'Request limits',
    integer(0, 1_000_000),
    10,
    'The most server groups of one project, like Nova’s quota `server_groups`. A further one is answered with 403; existing ones stay.',
  ),
  max_search_steps: key(
    'Request limits',
    integer(1_000, 1_000_000_000),
    1_000_000,
    'How many partial combinations one request for candidates may visit. It bounds the time of a request that is made to be expensive. Of these steps, one in 25, plus four for each provider, may lead nowhere; steps of requests with many groups count for more; all candidates together name at most a quarter of this number of providers. At the limit the server answers with the candidates found so far, and with the number of steps in the header `berth-search-exhausted`.',
  ),
  ...shadowKeys,
  randomize_allocation_candidates: key(
    'Placement',
    flag(),
    false,
    'Return candidates in random order, so that a limit does not always keep the same hosts. Placement’s option of the same name. If off, the same request on the same state has the same answer.',
  ),
  max_allocation_candidates: key(
    'Placement',
    integer(-1, 1_000_000_000),
    -1,
    'The most candidates of one request; -1 is no limit. Placement’s option of the same name. Operators of Placement lower it to cope with trees of many similar devices; Berth stops at the `limit` of the request and does not need it.',
  ),
  allocation_candidates_generation_strategy: key(
    'Placement',
    choice('depth-first', 'breadth-first'),
    'breadth-first',
    'The order of candidates of different hosts. Placement’s option of the same name. `breadth-first` takes one from each host in turn, so that a limit does not leave out hosts; `depth-first`, Placement’s own default, takes all of one host first.',
  ),
  in_tree_meaning: key(
    'Placement',
    choice('by-version', 'any-member'),
    'by-version',
    'What `in_tree` of a request for candidates means. `by-version`: up to 1.39 as in Placement, where every provider of the unsuffixed group must be in the tree; from 1.40 on one provider of the candidate in the tree is enough. `any-member` gives the meaning of 1.40 to every version from 1.31 on, for clients that cannot ask for 1.40, such as Nova: a server that must be on a certain host can then have its disk on shared storage. `docs/reference/placement.md` has an example.',
  ),
  allocation_conflict_retry_count: key(
    'Placement',
    integer(1, 1_000_000),
    10,
    'Accepted so that a configuration made for Placement loads; it has no effect. One sequencer decides all writes in order, so there is no conflict to retry.',
  ),
  incomplete_consumer_project_id: key(
    'Placement',
    words('an id', 'id'),
    NOBODY,
    'The project of consumers that a client created without one (before microversion 1.8). Placement’s option of the same name.',
  ),
  incomplete_consumer_user_id: key(
    'Placement',
    words('an id', 'id'),
    NOBODY,
    'The user of consumers that a client created without one (before microversion 1.8). Placement’s option of the same name.',
  ),
  ...schedulingKeys,
  share_lease_ms: key(
    'Shares',
    integer(500, DAY_MS),
    10_000,
    'How long the lease of a server on a share back end lasts without renewal. After that another server takes over and finishes, or undoes, the work in progress. A server renews its lease three times in this period while there is work, and writes nothing when there is none.',
  ),
  share_soft_delete_days: key(
    'Shares',
    integer(0, 36_500),
    7,
    'How many days a soft-deleted share can be restored.',
  ),
  share_quota_command: key(
    'Shares',
    optional(words('a command, its words separated by blanks', 'command')),
    null,
    'A command that limits the directory of a share of the `directory` driver to its size. The server runs it when it creates or resizes a share, with `{path}`, `{share}`, `{size_gb}` and `{size_bytes}` replaced; a share for which it fails is not created. Absent, directories can outgrow their shares.',
  ),
} as const satisfies Record<string, Key<never> | Key<unknown>>

export type KeyName = keyof typeof keys
type ValueOf<K> = K extends { readonly kind: Kind<infer T> } ? T : never

/** The configuration as the program uses it: every key has a value. */
export type Config = { readonly [K in KeyName]: ValueOf<(typeof keys)[K]> }

export const keyNames = Object.keys(keys) as readonly KeyName[]

/** A key whose value type does not matter to the caller. */
type AnyKey = Omit<Key<unknown>, 'default'> & {
  readonly default: unknown
}

export const keyOf = (name: KeyName): AnyKey => keys[name] as AnyKey

export const isKeyName = (name: string): name is KeyName => Object.hasOwn(keys, name)

export const flagOf = (name: KeyName): string => `--${name.replaceAll('_', '-')}`

export const variableOf = (name: KeyName): string => `BERTH_${name.toUpperCase()}`

/** In order of precedence. */
export const variablesOf = (name: KeyName): readonly string[] => [
  variableOf(name),
  ...(keyOf(name).variables ?? []),
]

export function defaultOf(name: KeyName, place: DefaultContext): unknown {
  const value = keyOf(name).default
  return typeof value === 'function' ? value(place) : value
}
