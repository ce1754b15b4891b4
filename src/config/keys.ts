import { choice, databaseUrl, flag, integer, type Kind, list, optional, words } from './kinds.ts'
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
  'What it writes to its log',
  'Limits of a request',
  'Allocation candidates and consumers',
  'Scheduling',
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
    'The address to listen on. `0.0.0.0` or `::` is every interface of the machine; the default is reachable from the machine itself only.',
  ),
  port: key(
    'Where it listens',
    integer(0, 65_535),
    8778,
    'The TCP port to listen on. 0 takes any free port, which `serve` then prints. In Kubernetes, a Service named `berth` makes an environment variable BERTH_PORT that is no number: set `enableServiceLinks: false`.',
  ),
  only: key(
    'Where it listens',
    optional(choice('placement', 'compute', 'catalog')),
    null,
    'Serve this one service, at the root of the port, as OpenStack operators run them. Absent, every service is under its own path: Placement at `/placement`, the catalog at `/image`.',
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
    'Believe the headers X-Forwarded-Proto and X-Forwarded-Host when making addresses. Turn it on only behind a proxy that sets them itself.',
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
    choice('token', 'noauth2'),
    'token',
    'How callers prove who they are. `token` asks for a token the server knows, such as the admin token made at the first start. `noauth2` believes whatever the caller says, for tests, and is refused on any host but the machine itself.',
  ),
  rbac: key(
    'Who may do what',
    choice('legacy', 'secure', 'open'),
    'secure',
    'Which roles may use which operation. `secure` is upstream’s new defaults, where only the role service may reshape; `legacy` lets an admin do that too; `open` lets everyone who is known do everything.',
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
    'The largest body a request may have. A larger one is answered with 413.',
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
  max_search_steps: key(
    'Limits of a request',
    integer(1_000, 1_000_000_000),
    1_000_000,
    'How many partial combinations one request for candidates may visit. It bounds the time that a request made to be expensive can take; the candidates found until then are answered, with the number of steps in the header `berth-search-exhausted`.',
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
