/**
 * The folders of the repository: what each holds, and what it may import. `test/repo-rules.ts` checks the imports and that every
 * folder has its line here; `npm run docs` writes the tree of `docs/architecture.md` from it.
 */

export interface Room {
  /** From the root of the repository. A file of `src` itself is a room too. */
  readonly path: string
  readonly purpose: string
  /**
   * What its files may import besides the room itself: rooms below `src`, `node:` (Node's modules) and `package` (npm packages).
   * Without it the list of the nearest room above applies.
   */
  readonly mayImport?: readonly string[]
}

/** What a service may import, besides what is its own. */
const SERVICE = ['kernel', 'world', 'placement', 'http', 'identity', 'store']

export const rooms: readonly Room[] = [
  {
    path: 'src/main.ts',
    purpose: 'the only file that touches `process`: arguments, environment, signals',
    mayImport: ['cli', 'node:'],
  },
  {
    path: 'src/commands.ts',
    purpose: 'the commands of all services in one list: every write is one of them',
    mayImport: [
      'world',
      'placement',
      'catalog',
      'compute',
      'shares',
      'scheduling',
      'identity',
      'shadow',
      'transfer',
      'usage-history',
    ],
  },
  {
    path: 'src/openstack',
    purpose: 'reads and writes the services of an OpenStack cloud that runs beside Berth',
    mayImport: ['kernel', 'placement', 'scheduling', 'client', 'wire', 'http', 'node:', 'package'],
  },
  {
    path: 'src/openstack/cloud',
    purpose:
      'signs in to a cloud of clouds.yaml and reads its services: catalog, microversions, pages, pauses',
  },
  {
    path: 'src/openstack/pull',
    purpose: "what Nova, Glance and Manila have, as rows of Berth, and the difference to Berth's own",
  },
  {
    path: 'src/openstack/placement',
    purpose: "the ledger of OpenStack's Placement: database, dump, API; compare, import",
  },
  { path: 'src/openstack/reconcile', purpose: 'compares the ledger with Nova: damage, repairs' },
  {
    path: 'src/shadow',
    purpose: 'stands before a Placement that Berth is to replace: forwards, follows, compares, switches',
    mayImport: ['kernel', 'world', 'placement', 'http', 'store', 'client', 'openstack', 'node:'],
  },
  {
    path: 'src/server',
    purpose: 'starts and stops a server: `compose.ts` joins store, services and HTTP',
    mayImport: [
      'kernel',
      'world',
      'config',
      'store',
      'placement',
      'catalog',
      'compute',
      'shares',
      'scheduling',
      'identity',
      'http',
      'shadow',
      'v1',
      'usage-history',
      'transfer',
      'wire',
      'openstack',
      'demo',
      'commands',
      'node:',
      'package',
    ],
  },
  {
    path: 'src/cli',
    purpose: 'the `berth` command line',
    mayImport: [
      'kernel',
      'world',
      'config',
      'store',
      'catalog',
      'scheduling',
      'identity',
      'http',
      'v1',
      'wire',
      'words',
      'client',
      'openstack',
      'server',
      'node:',
      'package',
    ],
  },
  { path: 'src/cli/commands', purpose: 'one file for each command, by topic' },
  {
    path: 'src/cli/commands/catalog',
    purpose: '`namespace`, `property`, `operators` and other catalog commands',
  },
  { path: 'src/cli/commands/cloud', purpose: '`apply`, `export`, `import`, `pull`' },
  { path: 'src/cli/commands/compute', purpose: '`flavor`, `host`, `host-aggregate`' },
  {
    path: 'src/cli/commands/identity',
    purpose: '`user`, `project`, `token`, `policy` and other identity commands',
  },
  {
    path: 'src/cli/commands/ledger',
    purpose: '`provider`, `inventory`, `trait`, `allocation` and other Placement commands',
  },
  {
    path: 'src/cli/commands/placement',
    purpose: '`placement-api`, `placement-manage`, `placement-status` as OpenStack has them',
  },
  {
    path: 'src/cli/commands/questions',
    purpose:
      '`candidates`, `schedule`, `explain`, `simulate`, `plan`, `fit`, `consumer`, `status`, `activity`, `history`, `fleet`, `watch`',
  },
  {
    path: 'src/cli/commands/server',
    purpose: '`serve`, `config`, `verify`, `backup`, `copy` and other operator commands',
  },
  { path: 'src/cli/commands/shares', purpose: '`share`' },
  { path: 'src/cli/commands/shell', purpose: '`completion`, `help`' },
  { path: 'src/cli/args', purpose: 'parses options and arguments' },
  { path: 'src/cli/connection', purpose: 'finds the server and its token, sends the requests' },
  { path: 'src/cli/render', purpose: 'prints tables, trees and explanations' },
  {
    path: 'src/client',
    purpose: 'an HTTP client of the APIs, for the command line',
    mayImport: ['kernel', 'wire', 'node:'],
  },
  {
    path: 'src/wire',
    purpose: 'the shapes of `/v1` and the types of all answers, once for server, command line and console',
    mayImport: ['kernel'],
  },
  {
    path: 'src/words',
    purpose: 'texts that the command line and the console both show',
    mayImport: ['wire'],
  },
  {
    path: 'src/config',
    purpose:
      'every configuration key with its type, default and help text; reads file, environment and flags',
    mayImport: ['kernel', 'scheduling', 'node:'],
  },
  { path: 'src/config/oslo', purpose: 'reads a `placement.conf` and says what each option becomes' },
  {
    path: 'src/http',
    purpose: 'the HTTP server and what every service of it needs',
    // Identity builds on http, never the other way: http declares what it needs (Authenticator, Policy).
    mayImport: ['kernel', 'world', 'store', 'node:', 'package'],
  },
  { path: 'src/http/request', purpose: 'one request: route, version, token, policy, query, body, answer' },
  { path: 'src/http/formats', purpose: 'error documents, JSON schemas, Python-like texts, answers as bytes' },
  { path: 'src/http/tracing', purpose: 'traces: W3C headers, spans, OTLP' },
  { path: 'src/http/outgoing', purpose: 'requests to other services, and queues of what they are sent' },
  { path: 'src/http/ops', purpose: 'health, metrics, access log, audit, certificates' },
  {
    path: 'src/v1',
    purpose: 'the API of Berth itself, at `/v1`',
    mayImport: [
      'wire',
      'kernel',
      'world',
      'store',
      'placement',
      'catalog',
      'compute',
      'shares',
      'scheduling',
      'identity',
      'http',
      'usage-history',
      'transfer',
      'commands',
      'node:',
      'package',
    ],
  },
  {
    path: 'src/v1/api',
    purpose: 'how a route of `/v1` is described, checked, documented; idempotency keys, streams',
  },
  { path: 'src/v1/openapi', purpose: 'OpenAPI documents of `/v1` and of the OpenStack services' },
  { path: 'src/v1/attention', purpose: 'what needs attention: runs the checks, keeps their results' },
  { path: 'src/v1/attention/checks', purpose: 'one file for each check' },
  {
    path: 'src/v1/schedule',
    purpose: 'schedule, move, rebuild, decisions, simulate, plan; dry runs of filters',
  },
  { path: 'src/v1/explain', purpose: 'why a request finds no candidate, no host, no pool' },
  { path: 'src/v1/fleet', purpose: 'the fleet in one read, and its changes as a stream' },
  { path: 'src/v1/activity', purpose: 'who changed what, in words' },
  { path: 'src/v1/reservations', purpose: 'reservations, and the loop that keeps them' },
  { path: 'src/v1/usage-history', purpose: 'usage over time, forecasts' },
  { path: 'src/v1/transfer', purpose: 'import, export, apply' },
  { path: 'src/v1/catalog', purpose: 'catalog checks, import and export of definitions, operators' },
  {
    path: 'src/v1/projects',
    purpose: 'what members may know of their project: usage, limits, servers, what fits',
  },
  { path: 'src/v1/admin', purpose: 'backup, verify, audit, tokens, whoami' },
  {
    path: 'src/transfer',
    purpose: 'exports and imports rows of every table',
    mayImport: [
      'kernel',
      'world',
      'placement',
      'catalog',
      'compute',
      'shares',
      'scheduling',
      'identity',
      'http',
    ],
  },
  {
    path: 'src/demo',
    purpose: 'the demo cloud of 60 hosts, with some trouble in it',
    mayImport: ['kernel', 'world', 'placement', 'compute', 'shares', 'usage-history', 'store', 'node:'],
  },
  {
    path: 'src/usage-history',
    purpose: 'usage over time: samples, longer steps of time, forecasts',
    mayImport: ['kernel', 'world', 'scheduling', 'store', 'node:'],
  },
  {
    path: 'src/scheduling',
    purpose: 'chooses hosts for servers and pools for shares',
    mayImport: ['kernel', 'world', 'placement'],
  },
  {
    path: 'src/scheduling/decisions',
    purpose: 'the rows that are kept of a decision, and how it is decided again',
  },
  { path: 'src/scheduling/framework', purpose: 'filters, weighers, refusals and their texts, settings' },
  {
    path: 'src/scheduling/hosts',
    purpose: 'hosts for servers: query, filters, weighers, choice, claim, explanation',
  },
  { path: 'src/scheduling/hosts/filters', purpose: 'one file for each filter of hosts' },
  {
    path: 'src/scheduling/hosts/filters/aggregate-instance-type',
    purpose: 'the filter that compares extra specs with aggregate metadata, both ways',
  },
  {
    path: 'src/scheduling/hosts/packing',
    purpose: 'what a host has left, the expected mix of requests, the choice among candidates of a host',
  },
  { path: 'src/scheduling/hosts/query', purpose: 'a flavor and hints as a Placement query' },
  { path: 'src/scheduling/hosts/weighers', purpose: 'one file for each weigher of hosts' },
  {
    path: 'src/scheduling/operators',
    purpose: 'the operator language of extra specs: `<in>`, `s==`, `<or>` and others',
    mayImport: ['kernel'],
  },
  { path: 'src/scheduling/plans', purpose: 'plans: moves that empty hosts or make room' },
  {
    path: 'src/scheduling/reservations',
    purpose: 'reservations: capacity kept for projects and for failures',
  },
  { path: 'src/scheduling/pools', purpose: 'pools for shares: filters, weighers, choice, explanation' },
  { path: 'src/scheduling/pools/filters', purpose: 'one file for each filter of pools' },
  { path: 'src/scheduling/pools/weighers', purpose: 'one file for each weigher of pools' },
  { path: 'src/placement', purpose: 'OpenStack Placement, at `/placement`', mayImport: SERVICE },
  { path: 'src/placement/aggregates', purpose: 'aggregates of a provider' },
  { path: 'src/placement/allocations', purpose: 'allocations: the ledger and the claim' },
  { path: 'src/placement/candidates', purpose: 'allocation candidates: request, plan, what was found' },
  { path: 'src/placement/candidates/answer', purpose: 'the answer as bytes, put together from kept pieces' },
  { path: 'src/placement/candidates/search', purpose: 'the general search, one tree at a time' },
  {
    path: 'src/placement/candidates/shortcuts',
    purpose: 'special cases that are faster; ADR 5 has their gains',
  },
  { path: 'src/placement/classes', purpose: 'resource classes' },
  { path: 'src/placement/data', purpose: 'the standard traits and resource classes' },
  {
    path: 'src/placement/explain',
    purpose: 'which constraint removed which provider, and the smallest change that helps',
  },
  { path: 'src/placement/inventories', purpose: 'inventories of a provider' },
  { path: 'src/placement/providers', purpose: 'resource providers and their trees' },
  { path: 'src/placement/reshaper', purpose: 'the reshaper: inventories and allocations in one write' },
  { path: 'src/placement/traits', purpose: 'traits, and those of a provider' },
  { path: 'src/placement/transfer', purpose: 'providers and consumers as lines of an export' },
  { path: 'src/placement/usages', purpose: 'usages of providers and projects' },
  {
    path: 'src/compute',
    purpose: 'the part of Nova v2.1 that scheduling needs, at `/compute`',
    mayImport: [...SERVICE, 'scheduling'],
  },
  { path: 'src/compute/aggregates', purpose: 'host aggregates and their metadata' },
  { path: 'src/compute/apply', purpose: 'flavors, aggregates and hosts as a file declares them' },
  { path: 'src/compute/flavors', purpose: 'flavors, extra specs, access' },
  { path: 'src/compute/groups', purpose: 'server groups' },
  { path: 'src/compute/hosts', purpose: 'hypervisors, services, availability zones' },
  { path: 'src/compute/quotas', purpose: 'limits and quotas, as Nova shows them' },
  { path: 'src/compute/servers', purpose: 'consumers as servers, read only; their usage' },
  {
    path: 'src/shares',
    purpose: 'Manila v2, at `/share`',
    mayImport: [...SERVICE, 'scheduling', 'node:'],
  },
  { path: 'src/shares/access', purpose: 'access rules: who may mount a share' },
  { path: 'src/shares/backends', purpose: 'storage back ends and their pools' },
  {
    path: 'src/shares/drivers',
    purpose: 'what does the work on a back end: a directory, a simulation',
    mayImport: ['kernel', 'node:'],
  },
  { path: 'src/shares/messages', purpose: 'user messages' },
  { path: 'src/shares/quotas', purpose: 'quotas of projects and share types' },
  { path: 'src/shares/share', purpose: 'shares: create, resize, move, delete, metadata, hints' },
  { path: 'src/shares/share-types', purpose: 'share types and their extra specs' },
  { path: 'src/shares/snapshots', purpose: 'snapshots' },
  { path: 'src/shares/worker', purpose: 'runs the steps of a share on its back end, under a lease' },
  {
    path: 'src/catalog',
    purpose: 'metadata definitions as Glance v2 serves them, at `/image`',
    mayImport: [...SERVICE, 'scheduling'],
  },
  {
    path: 'src/catalog/check',
    purpose: 'checks flavors, aggregates and share types against the definitions',
  },
  { path: 'src/catalog/definitions', purpose: 'the definitions that Berth brings along' },
  { path: 'src/catalog/definitions/data', purpose: 'their files' },
  { path: 'src/catalog/images', purpose: 'the empty list of images' },
  { path: 'src/catalog/namespaces', purpose: 'namespaces' },
  { path: 'src/catalog/objects', purpose: 'objects' },
  { path: 'src/catalog/properties', purpose: 'properties' },
  { path: 'src/catalog/resource-types', purpose: 'resource types and their associations' },
  { path: 'src/catalog/schemas', purpose: 'the JSON schemas that Glance publishes' },
  { path: 'src/catalog/tags', purpose: 'tags' },
  { path: 'src/catalog/transfer', purpose: 'import and export of definition files' },
  {
    path: 'src/identity',
    purpose: 'who asks, and what they may do; Keystone v3 for built-in users, at `/identity`',
    mayImport: ['kernel', 'world', 'http', 'store', 'node:', 'package'],
  },
  { path: 'src/identity/api', purpose: 'the Keystone v3 routes' },
  { path: 'src/identity/builtin', purpose: 'users and tokens in the store' },
  { path: 'src/identity/keystone', purpose: 'tokens of an external Keystone' },
  { path: 'src/identity/policy', purpose: 'policy rules as oslo.policy has them' },
  {
    path: 'src/identity/rules',
    purpose: 'the commands that change users, projects, roles and tokens',
    mayImport: ['kernel', 'world'],
  },
  {
    path: 'src/store',
    purpose: 'durable state behind one interface; knows rows and changes, never rules',
    mayImport: ['kernel', 'world', 'node:', 'package'],
  },
  { path: 'src/store/files', purpose: 'file modes and directory flushes' },
  {
    path: 'src/store/migrations',
    purpose: 'the schema of each engine, and the steps from one version to the next',
  },
  { path: 'src/store/mysql', purpose: 'MariaDB, MySQL and Galera, for several processes' },
  { path: 'src/store/postgres', purpose: 'PostgreSQL, for several processes' },
  { path: 'src/store/sequencer', purpose: 'decides writes one after the other and commits them in batches' },
  { path: 'src/store/shared', purpose: 'the protocol of several processes on one database' },
  { path: 'src/store/sqlite', purpose: 'SQLite, one file, the default' },
  {
    path: 'src/store/tables',
    purpose: 'tables that are only stored: decisions, audit, tokens; queries of rows',
  },
  {
    path: 'src/store/verify',
    purpose: '`berth verify`: compares memory with the store and checks invariants',
  },
  {
    path: 'src/world',
    purpose: 'the whole state in memory, its tables, and the changes to it',
    mayImport: ['kernel'],
  },
  {
    path: 'src/kernel',
    purpose: 'ids, clock, random numbers, bit sets, exact JSON; imports nothing',
    mayImport: [],
  },
  { path: 'src/kernel/pattern', purpose: 'regular expressions that take linear time' },
]

/** The other folders at the root, for the tree. */
export const otherFolders: readonly Room[] = [
  { path: '.ci', purpose: '`.ci/run`: every check, in stages' },
  { path: 'bench', purpose: 'benchmarks, alone and beside the real Placement; results' },
  { path: 'bin', purpose: 'the `berth` executable' },
  { path: 'conformance', purpose: 'runs the API test suites of others against a built server' },
  { path: 'console', purpose: 'the web console: its own package, React, a client of the public APIs' },
  { path: 'docs', purpose: 'these pages: `adr/` decisions, `how-to/` tasks, `reference/` every detail' },
  { path: 'e2e', purpose: 'the real OpenStack clients, Horizon and a real Keystone against a built server' },
  {
    path: 'integrations',
    purpose: 'what other programs need to work with Berth: Horizon, plug-ins for Nova and Manila',
  },
  {
    path: 'packaging',
    purpose:
      'packages: npm, Debian, container, Kolla, Helm; systemd units; Prometheus rules, a Grafana dashboard',
  },
  { path: 'scripts', purpose: 'build, generated pages, snippets of pages' },
  { path: 'sim', purpose: 'simulated schedules and faults, killed servers, fuzzing' },
  { path: 'src', purpose: 'the server and the command line' },
  { path: 'test', purpose: 'tests of the whole server and of the repository itself' },
]

/** What a file holds, by the part of its name before `.ts`. `name.ts` without one holds rules in a service, and anything elsewhere. */
export const suffixes: ReadonlyMap<string, string> = new Map([
  ['routes', 'HTTP routes: parse the request, ask a rule or submit a command, shape the answer'],
  ['schemas', 'JSON schemas of bodies and queries'],
  ['body', 'parses a request body into a command'],
  ['query', 'parses a query string'],
  ['answer', 'writes a large answer as bytes'],
  ['view', 'one record as the API shows it'],
  ['list', 'a list as the API shows it: filters, order, pages'],
  ['errors', 'refusals of rules as HTTP errors'],
  ['service', 'a service of `src/http` that is not in the root of its room'],
  ['rows', 'rows of tables that are only stored'],
  ['file', 'reads a file that an operator writes'],
  ['loop', 'work that goes on beside requests'],
  ['driver', 'touches a storage back end'],
  ['fixture', 'data and helpers for tests; never part of the product'],
  ['contract', 'tests that every implementation of an interface runs'],
  ['test', 'tests; they lie beside what they test'],
  ['property.test', 'tests with random input'],
])

/** Rooms whose files without a suffix are rules: pure functions of their arguments. */
export const RULE_ROOMS: readonly string[] = [
  'src/placement',
  'src/catalog',
  'src/compute',
  'src/shares',
  'src/scheduling',
  'src/identity/rules',
  'src/transfer',
  'src/usage-history',
  'src/shadow/rules.ts',
  'src/commands.ts',
]

/** Files in the root of a service that serve its routes, and so are no rules though their names have no suffix. */
export const EDGE_FILES: ReadonlySet<string> = new Set([
  'bodies',
  'context',
  'errors',
  'links',
  'paging',
  'patterns',
  'python-dict',
  'query-parts',
  'routes',
  'service',
  'warnings',
])
