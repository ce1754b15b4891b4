import {
  choice,
  databaseUrl,
  flag,
  httpUrl,
  integer,
  type Kind,
  list,
  optional,
  secret,
  words,
} from './kinds.ts'
import { schedulingKeys } from './scheduling-keys.ts'

export interface Key<T> {
  readonly kind: Kind<T>
  /** A value, or how it follows from where the program runs. */
  readonly default: T | ((place: Place) => T)
  /** Said in the reference where the default is no plain value. */
  readonly defaultSaid?: string
  readonly group: Group
  /** One paragraph; its first sentence is the one that `--help` shows. */
  readonly description: string
}

/** What defaults may depend on. */
export interface Place {
  /** Log lines go to a terminal. */
  readonly terminal: boolean
}

export const groups = [
  'Where it listens',
  'Where it keeps its state',
  'Who may do what',
  'A Keystone to ask',
  'What it writes to its log',
  'Limits of a request',
  'Allocation candidates and consumers',
  'Scheduling',
  'Shares',
] as const
export type Group = (typeof groups)[number]

const DAY_MS = 86_400_000
const NOBODY = '00000000-0000-0000-0000-000000000000'

const key = <T>(group: Group, kind: Kind<T>, value: Key<T>['default'], description: string): Key<T> => ({
  kind,
  default: value,
  group,
  description,
})

/** Every key there is. Flags, environment variables, the file, `--help` and the reference derive from it. */
export const keys = {
  host: key(
    'Where it listens',
    words('an address or a host name', 'address'),
    '127.0.0.1',
    'The address to listen on. `0.0.0.0` or `::` is every interface of the machine; the default is reachable from the machine itself only. Any other address wants `tls_cert` or `behind_proxy`, so that no token goes over a network in the clear.',
  ),
  port: key(
    'Where it listens',
    integer(0, 65_535),
    8778,
    'The TCP port to listen on. 0 takes any free port, which `serve` then prints. In Kubernetes, a Service named `berth` makes an environment variable BERTH_PORT that is no number: set `enableServiceLinks: false`.',
  ),
  only: key(
    'Where it listens',
    optional(choice('placement', 'compute', 'catalog', 'share')),
    null,
    'Serve this one service, at the root of the port, as OpenStack operators run them. Absent, every service is under its own path: Placement at `/placement`, compute at `/compute`, the catalog at `/image`, shares at `/share`.',
  ),
  tls_cert: key(
    'Where it listens',
    optional(words('a path', 'file')),
    null,
    'The file with the certificate of this server and those between it and a known authority, in PEM. With `tls_key`, the server speaks HTTPS and nothing else, TLS 1.2 or newer. Both files are read again within a minute of being replaced. Commands that talk to a server whose authority the system does not know want it in `NODE_EXTRA_CA_CERTS`.',
  ),
  tls_key: key(
    'Where it listens',
    optional(words('a path', 'file')),
    null,
    'The file with the private key of `tls_cert`, in PEM, without a passphrase.',
  ),
  behind_proxy: key(
    'Where it listens',
    flag(),
    false,
    'Listen on an address that others can reach although requests come in the clear, because a proxy in front does TLS and nobody else reaches the port. It says nothing about headers of the proxy: see `trust_proxy`.',
  ),
  public_url: key(
    'Where it listens',
    optional(httpUrl()),
    null,
    'The address under which clients reach this server, such as `https://berth.example.org`. The service catalog at `/identity` and `berth clouds-yaml` name it, and with `tls_cert` commands on this machine use it. Absent, the catalog has the address that the request was sent to.',
  ),
  cors_allowed_origin: key(
    'Where it listens',
    list('origins such as `https://console.example.org`, or `*`', 'origin,...', originFault),
    [],
    'The origins whose pages a browser lets use the API. Empty, there are no CORS headers at all.',
  ),
  drain_timeout_ms: key(
    'Where it listens',
    integer(0, DAY_MS),
    10_000,
    'How long requests under way may take to finish once the server was told to stop. Connections that are still open then are closed.',
  ),
  drain_linger_ms: key(
    'Where it listens',
    integer(0, DAY_MS),
    0,
    'How long the server still takes requests after it was told to stop, while `/readyz` already says that it drains. Behind a load balancer, set it to a little more than the time between two of its checks.',
  ),
  trust_proxy: key(
    'Where it listens',
    flag(),
    false,
    'Believe the headers X-Forwarded-Proto and X-Forwarded-Host when making addresses, and the last address in X-Forwarded-For when counting failed sign-ins. Turn it on only behind a proxy that sets them itself.',
  ),
  compress_answers: key(
    'Where it listens',
    flag(),
    false,
    'Compress answers of 16 KiB and more for clients that say they take zstd or gzip. It costs two to three times the processor time of such an answer and makes it 12 to 20 times shorter: worth it where clients are behind a link of less than about 2 Gbit/s, and not within a data centre.',
  ),
  data_dir: key(
    'Where it keeps its state',
    words('a path', 'directory'),
    './berth-data',
    'The directory of the SQLite database and of the admin token. It is made if it is missing, readable by its owner only. A relative path starts at the working directory. Unless `database` is set, one server at a time may use it.',
  ),
  database: key(
    'Where it keeps its state',
    optional(databaseUrl()),
    null,
    'The PostgreSQL database that holds the state, as `postgres://user@host:port/name`. Absent, it is SQLite in the data directory. Any number of servers, on any machines, may use one database; several hosts separated by commas are tried in turn, and the one that takes writes is used. Give the password in `PGPASSWORD`, in `~/.pgpass` or in the environment variable of this key rather than as a flag that everybody on the machine can read; TLS follows `sslmode` and the other parameters and `PG…` variables of libpq. See `docs/how-to/run-several-processes.md`.',
  ),
  database_connections_max: key(
    'Where it keeps its state',
    integer(4, 1_000),
    8,
    'How many connections to the database one server opens at most. Three are always open: for writes, for looks at the head, for wake-ups; the others serve loads and exports.',
  ),
  database_timeout_ms: key(
    'Where it keeps its state',
    integer(100, DAY_MS),
    10_000,
    'How long the database may take to connect, to answer, or to give the head lock. After that the connection is given up, and requests that needed it are answered with 503.',
  ),
  database_frozen_ms: key(
    'Where it keeps its state',
    integer(100, DAY_MS),
    5_000,
    'How long the database lets a server that holds the head lock be silent. A server that was frozen for longer loses the lock and what it was about to write, so that the others can go on.',
  ),
  reads: key(
    'Where it keeps its state',
    choice('linearizable', 'local'),
    'linearizable',
    'What a read may miss when several servers share a database. `linearizable`: nothing that any of them had acknowledged before the request came; it costs one question to the database, shared by all that wait. `local`: it is answered from memory at once, which is behind by the metric `berth_memory_stale_seconds`, usually a few milliseconds.',
  ),
  reads_stale_max_ms: key(
    'Where it keeps its state',
    integer(0, DAY_MS),
    10_000,
    'With `reads` = `local`, how old memory may be and still be served; older is answered with 503. 0 serves it however old it is, also while the database is away.',
  ),
  changes_keep_days: key(
    'Where it keeps its state',
    integer(1, 36_500),
    30,
    'How many days the record of each change is kept. Older ones are removed; the state itself is not touched by that.',
  ),
  changes_keep_rows: key(
    'Where it keeps its state',
    integer(1_000, 1_000_000_000),
    1_000_000,
    'How many changes are kept at most, however young they are. The oldest go first.',
  ),
  standard_traits_file: key(
    'Allocation candidates and consumers',
    optional(words('a path', 'file')),
    null,
    'A file with names of standard traits that are newer than this version of Berth, one a line or as a JSON array. They are added at every start; `berth trait learn` does the same at run time.',
  ),
  catalog_builtin: key(
    'Where it keeps its state',
    flag(),
    true,
    'Give the catalog the definitions that come with Berth. Each namespace is added once to a store: one that was deleted does not come back, one that was changed is left alone, and one that a newer version brings is added at the next start.',
  ),
  demo: key(
    'Where it keeps its state',
    flag(),
    false,
    'Fill an empty store with a demo cloud. It has three zones, 60 hosts and some trouble worth explaining; see `docs/how-to/demo.md`. A store that has a provider already is left as it is.',
  ),
  auth: key(
    'Who may do what',
    choice('token', 'keystone', 'noauth2'),
    'token',
    'How callers prove who they are. `token` asks for a token that this server gave: to a user who signed in at `/identity`, to a machine by `berth token create`, or the admin token made at the first start. `keystone` asks a Keystone about tokens that are none of the latter two. `noauth2` believes whatever the caller says, for tests, and is refused on any host but the machine itself.',
  ),
  rbac: key(
    'Who may do what',
    choice('legacy', 'secure', 'open'),
    'secure',
    'Which defaults the policy has. `secure` is upstream’s new ones, where only the role service may reshape; `legacy` has the old ones in force as well; `open` lets everyone who is known do everything.',
  ),
  policy_file: key(
    'Who may do what',
    optional(words('a path', 'file')),
    null,
    'A `policy.yaml` (or JSON) whose rules replace the defaults, in the language and with the names of oslo.policy. It is read at the start; `berth policy list` prints what is in force. See `docs/reference/security.md`.',
  ),
  token_lifetime_s: key(
    'Who may do what',
    integer(60, 86_400),
    3_600,
    'How many seconds a token from `/identity` is good for.',
  ),
  rate_limit_per_second: key(
    'Who may do what',
    integer(0, 1_000_000),
    100,
    'How many requests a second one user may send to one server on average, with all tokens together, unless the token has the role admin or service; twice as many at once. More is answered with 429. 0 is no such limit. With `noauth2` there is none.',
  ),
  audit: key(
    'Who may do what',
    flag(),
    true,
    'Write down every change together with who asked for it, in the same commit. `berth audit` and `/v1/audit` tell it; it is kept for 90 days.',
  ),
  keystone_url: key(
    'A Keystone to ask',
    optional(httpUrl()),
    null,
    'Where Keystone is, such as `https://keystone.example.org:5000/v3`; with or without the version. Needed where `auth` is `keystone`.',
  ),
  keystone_username: key(
    'A Keystone to ask',
    optional(words('a name', 'name')),
    null,
    'The user of this server in Keystone. It must be allowed to validate tokens, which the role service or admin is.',
  ),
  keystone_password: key(
    'A Keystone to ask',
    optional(secret()),
    null,
    'The password of that user. Give it in the environment variable or in the file rather than as a flag that everybody on the machine can read.',
  ),
  keystone_project: key(
    'A Keystone to ask',
    words('a name', 'name'),
    'service',
    'The project that this server signs in to.',
  ),
  keystone_user_domain: key(
    'A Keystone to ask',
    words('a name', 'name'),
    'Default',
    'The name of the domain of the user.',
  ),
  keystone_project_domain: key(
    'A Keystone to ask',
    words('a name', 'name'),
    'Default',
    'The name of the domain of the project.',
  ),
  keystone_cache_s: key(
    'A Keystone to ask',
    integer(0, 3_600),
    10,
    'How many seconds what Keystone said about a token is believed. A token that was revoked there is refused here after that time at the latest. 0 asks about every request.',
  ),
  keystone_timeout_ms: key(
    'A Keystone to ask',
    integer(100, DAY_MS),
    5_000,
    'How long Keystone may take to answer. After that the request is answered with 503.',
  ),
  log_level: key(
    'What it writes to its log',
    choice('error', 'warn', 'info', 'debug'),
    'info',
    'The least important lines that are still written.',
  ),
  log_format: {
    ...key(
      'What it writes to its log',
      choice('json', 'text'),
      (place): 'json' | 'text' => (place.terminal ? 'text' : 'json'),
      'The form of the lines on standard error. `json` is one object a line for machines, `text` is for people.',
    ),
    defaultSaid: '`text` on a terminal, else `json`',
  },
  max_body_bytes: key(
    'Limits of a request',
    integer(1_024, 1_073_741_824),
    10 * 1024 * 1024,
    'The largest body that the routes for whole clouds take: allocations of many consumers, a reshape, a namespace of the catalog, `POST /v1/apply`. All others take 64 KiB, or 512 KiB where lists are sent, and never more than this. A larger one is answered with 413.',
  ),
  max_header_bytes: key(
    'Limits of a request',
    integer(8_192, 16_777_216),
    64 * 1024,
    'The most bytes that the request line and the headers may have together. More is answered with 431. Queries for candidates with many groups are long, so the default is well above what Node would allow.',
  ),
  request_timeout_ms: key(
    'Limits of a request',
    integer(1_000, DAY_MS),
    60_000,
    'How long a client may take to send a whole request. After that the answer is 408 and the connection is closed.',
  ),
  max_request_groups: key(
    'Limits of a request',
    integer(1, 10_000),
    200,
    'The most request groups (`resources1`, `resources_NET` and so on) that one request for candidates may have. More is answered with 400.',
  ),
  max_server_groups: key(
    'Limits of a request',
    integer(0, 1_000_000),
    10,
    'How many server groups one project may have, as the quota `server_groups` of Nova. Another one is answered with 403; those that are there stay.',
  ),
  max_search_steps: key(
    'Limits of a request',
    integer(1_000, 1_000_000_000),
    1_000_000,
    'How many partial combinations one request for candidates may visit. It bounds the time that a request made to be expensive can take. One in 25 of them, and four for each provider, may lead nowhere; steps of requests with many groups count for more; and all candidates together have at most a quarter of it in providers. The candidates found until then are answered, with the number of steps in the header `berth-search-exhausted`.',
  ),
  randomize_allocation_candidates: key(
    'Allocation candidates and consumers',
    flag(),
    false,
    'Draw the candidates at random, so that a limit does not always keep the same hosts. Placement’s option of the same name. Off, the same question on the same state has the same answer.',
  ),
  max_allocation_candidates: key(
    'Allocation candidates and consumers',
    integer(-1, 1_000_000_000),
    -1,
    'The most candidates that are ever made for one request; -1 is no such limit. Placement’s option of the same name. Operators of Placement lower it to survive trees with many like devices; Berth stops at the `limit` of the request by itself and does not need it.',
  ),
  allocation_candidates_generation_strategy: key(
    'Allocation candidates and consumers',
    choice('depth-first', 'breadth-first'),
    'breadth-first',
    'In which order candidates of different hosts come. Placement’s option of the same name. `breadth-first` takes one from each host in turn, so that no host starves another when a limit cuts the list; `depth-first`, Placement’s own default, takes all of one host first.',
  ),
  in_tree_meaning: key(
    'Allocation candidates and consumers',
    choice('by-version', 'any-member'),
    'by-version',
    'What `in_tree` of a request for candidates means. `by-version`: up to 1.39 as in Placement, where every provider of the unsuffixed group must be in the tree; from 1.40 a candidate will do if one of its providers is. `any-member` gives the meaning of 1.40 to every version from 1.31 on, for clients that cannot ask for 1.40, such as Nova: a server that is bound to a host may then have its disk on shared storage. `docs/reference/placement.md` has an example.',
  ),
  allocation_conflict_retry_count: key(
    'Allocation candidates and consumers',
    integer(1, 1_000_000),
    10,
    'Accepted so that a configuration made for Placement still loads; it has no effect. There is nothing to retry: one sequencer decides all writes one after the other, so two of them never collide inside the server.',
  ),
  incomplete_consumer_project_id: key(
    'Allocation candidates and consumers',
    words('an id', 'id'),
    NOBODY,
    'The project of consumers that were written by a client too old to name one (before microversion 1.8). Placement’s option of the same name.',
  ),
  incomplete_consumer_user_id: key(
    'Allocation candidates and consumers',
    words('an id', 'id'),
    NOBODY,
    'The user of consumers that were written by a client too old to name one (before microversion 1.8). Placement’s option of the same name.',
  ),
  ...schedulingKeys,
  share_lease_ms: key(
    'Shares',
    integer(500, DAY_MS),
    10_000,
    'How long a server may be silent while it works for a share back end. After that another server takes the back end over and finishes, or undoes, what was begun. Servers renew three times in this time, while there is work, and write nothing when there is none.',
  ),
  share_soft_delete_days: key(
    'Shares',
    integer(0, 36_500),
    7,
    'How many days a share that was soft deleted can be restored.',
  ),
  share_quota_command: key(
    'Shares',
    optional(words('a command, its words separated by blanks', 'command')),
    null,
    'What limits the directory of a share of the `directory` driver to its size. It is run after a share was made and after its size was changed, with `{path}`, `{share}`, `{size_gb}` and `{size_bytes}` replaced; a share that it fails for is not made. Absent, directories can outgrow the size of their share.',
  ),
} as const satisfies Record<string, Key<never> | Key<unknown>>

export type KeyName = keyof typeof keys
type ValueOf<K> = K extends { readonly kind: Kind<infer T> } ? T : never

/** The configuration as the program uses it: every key has a value. */
export type Config = { readonly [K in KeyName]: ValueOf<(typeof keys)[K]> }

export const keyNames = Object.keys(keys) as readonly KeyName[]

/** A key whose value type does not matter to the caller. */
export type AnyKey = Omit<Key<unknown>, 'default'> & {
  readonly default: unknown
}

export const keyOf = (name: KeyName): AnyKey => keys[name] as AnyKey

export const isKeyName = (name: string): name is KeyName => Object.hasOwn(keys, name)

export const flagOf = (name: KeyName): string => `--${name.replaceAll('_', '-')}`

export const variableOf = (name: KeyName): string => `BERTH_${name.toUpperCase()}`

export function defaultOf(name: KeyName, place: Place): unknown {
  const value = keyOf(name).default
  return typeof value === 'function' ? value(place) : value
}

function originFault(origin: string): string | null {
  if (origin === '*') return null
  const parsed = URL.canParse(origin) ? new URL(origin) : null
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
    return 'is no http or https origin'
  return parsed.origin === origin ? null : `must be written ${parsed.origin}, as browsers send it`
}
