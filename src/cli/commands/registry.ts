import type { Describe } from './describe-command.ts'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly group: string
  /** Loaded on demand, so that `berth serve` starts without the code of the other commands. */
  readonly load: () => Promise<{ readonly describe: Describe }>
  /** The command works on the whole tree of commands, so it loads all of them. */
  readonly needsAllCommands?: true
}

const SERVER = 'Server:'
const LEDGER = 'Resource ledger:'
const QUESTIONS = 'Scheduling:'
const CLOUD = 'Whole cloud:'
const CATALOG = 'Metadata catalog:'
const COMPUTE = 'Hosts and flavors:'
const IDENTITY = 'Identity and access:'
const SHARES = 'Shares:'
const PLACEMENT = 'As OpenStack’s Placement:'
const SHELL = 'Shell:'

const entry = (group: string, name: string, summary: string, load: CommandEntry['load']): CommandEntry => ({
  name,
  summary,
  group,
  load,
})

/** All commands, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  entry(SERVER, 'serve', 'run the server', () => import('./server/serve.ts')),
  entry(SERVER, 'config', 'print the configuration in effect', () => import('./server/config.ts')),
  entry(
    SERVER,
    'verify',
    'compare the state in memory with the stored one',
    () => import('./server/verify.ts'),
  ),
  entry(SERVER, 'backup', 'copy the database of a running server', () => import('./server/backup.ts')),
  entry(SERVER, 'restore', 'make a data directory from a backup', () => import('./server/restore.ts')),
  entry(
    SERVER,
    'copy',
    'copy a whole store into an empty one, of any engine',
    () => import('./server/copy.ts'),
  ),
  entry(
    SERVER,
    'shadow',
    'compare with the Placement to replace, and switch over',
    () => import('./server/shadow.ts'),
  ),
  entry(
    LEDGER,
    'provider',
    'list, show, draw and change resource providers',
    () => import('./ledger/provider.ts'),
  ),
  entry(LEDGER, 'inventory', 'inventories of a provider', () => import('./ledger/inventory.ts')),
  entry(LEDGER, 'trait', 'traits, and which of them a provider has', () => import('./ledger/trait.ts')),
  entry(LEDGER, 'aggregate', 'which aggregates a provider is in', () => import('./ledger/aggregate.ts')),
  entry(
    LEDGER,
    'resource-class',
    'list, create and delete resource classes',
    () => import('./ledger/resource-class.ts'),
  ),
  entry(LEDGER, 'allocation', 'allocations of a consumer', () => import('./ledger/allocation.ts')),
  entry(
    LEDGER,
    'consumer',
    'where a server is, and how it got there',
    () => import('./questions/consumer.ts'),
  ),
  entry(LEDGER, 'usage', 'usage of a provider or by a project', () => import('./ledger/usage.ts')),
  entry(COMPUTE, 'host', 'hosts: add, list, show, set and remove them', () => import('./compute/host.ts')),
  entry(COMPUTE, 'flavor', 'flavors and their extra specs', () => import('./compute/flavor.ts')),
  entry(
    COMPUTE,
    'host-aggregate',
    'host aggregates, their hosts and metadata',
    () => import('./compute/host-aggregate.ts'),
  ),
  entry(
    COMPUTE,
    'apply',
    'apply a file of hosts, flavors, share back ends ...',
    () => import('./cloud/apply.ts'),
  ),
  entry(COMPUTE, 'pull', 'bring in what a running cloud has', () => import('./cloud/pull.ts')),
  entry(SHARES, 'share', 'shares, their types and pools', () => import('./shares/share.ts')),
  entry(QUESTIONS, 'candidates', 'find where a request fits', () => import('./questions/candidates.ts')),
  entry(
    QUESTIONS,
    'explain',
    'explain where a request fits, and why',
    () => import('./questions/explain.ts'),
  ),
  entry(
    QUESTIONS,
    'schedule',
    'choose hosts for servers and claim them',
    () => import('./questions/schedule.ts'),
  ),
  entry(QUESTIONS, 'move', 'move a server to another host', async () => ({
    describe: (await import('./questions/schedule.ts')).describeMove,
  })),
  entry(QUESTIONS, 'rebuild', 'check whether a server may be rebuilt on its host', async () => ({
    describe: (await import('./questions/schedule.ts')).describeRebuild,
  })),
  entry(
    QUESTIONS,
    'decision',
    'list, show, explain, compare and replay decisions',
    () => import('./questions/decision.ts'),
  ),
  entry(
    QUESTIONS,
    'simulate',
    'how many more servers fit, now or after changes',
    () => import('./questions/simulate.ts'),
  ),
  entry(
    QUESTIONS,
    'plan',
    'plan moves that empty hosts or make room, and run them',
    () => import('./questions/plan.ts'),
  ),
  entry(
    QUESTIONS,
    'reservation',
    'keep capacity for a project or for the failure of a host',
    () => import('./questions/reservation.ts'),
  ),
  entry(
    QUESTIONS,
    'fit',
    'how many more servers of every flavor fit, by zone',
    () => import('./questions/fit.ts'),
  ),
  entry(CLOUD, 'status', 'what is wrong right now, and the remedies', () => import('./questions/status.ts')),
  entry(CLOUD, 'activity', 'what changed, by whom, in words', () => import('./questions/activity.ts')),
  entry(CLOUD, 'history', 'usage over time', () => import('./questions/history.ts')),
  entry(CLOUD, 'forecast', 'when each resource class ends', async () => ({
    describe: (await import('./questions/history.ts')).describeForecasts,
  })),
  entry(CLOUD, 'fleet', 'every provider with its capacity', () => import('./questions/fleet.ts')),
  entry(CLOUD, 'watch', 'print every change as it happens', () => import('./questions/watch.ts')),
  entry(CLOUD, 'export', 'write the whole cloud as NDJSON', () => import('./cloud/export.ts')),
  entry(CLOUD, 'import', 'read a whole cloud from NDJSON', () => import('./cloud/import.ts')),
  entry(CLOUD, 'compare', 'compare the ledger with that of a Placement', () => import('./cloud/compare.ts')),
  entry(
    CLOUD,
    'reconcile',
    'find and repair what the ledger has otherwise than Nova',
    () => import('./cloud/reconcile.ts'),
  ),
  entry(
    CATALOG,
    'catalog',
    'metadata definitions, and what does not match them',
    () => import('./catalog/catalog.ts'),
  ),
  entry(IDENTITY, 'accounts', 'where users are, and how many', () => import('./identity/accounts.ts')),
  entry(IDENTITY, 'user', 'the users of this server', () => import('./identity/user.ts')),
  entry(IDENTITY, 'project', 'the projects of this server', () => import('./identity/project.ts')),
  entry(IDENTITY, 'role', 'roles, and who has them', () => import('./identity/role.ts')),
  entry(
    IDENTITY,
    'token',
    'static tokens for machines, and tokens of users',
    () => import('./identity/token.ts'),
  ),
  entry(IDENTITY, 'credential', 'application credentials of users', () => import('./identity/credential.ts')),
  entry(
    IDENTITY,
    'clouds-yaml',
    'print a clouds.yaml for OpenStack clients',
    () => import('./identity/clouds-yaml.ts'),
  ),
  entry(
    IDENTITY,
    'policy',
    'list the rules, and check what they allow',
    () => import('./identity/policy.ts'),
  ),
  entry(IDENTITY, 'audit', 'print who changed what', () => import('./identity/audit.ts')),
  entry(PLACEMENT, 'placement-api', 'serve with a placement.conf', () => import('./placement/api.ts')),
  entry(
    PLACEMENT,
    'placement-manage',
    'make and migrate the store: db sync, db version ...',
    () => import('./placement/manage.ts'),
  ),
  entry(
    PLACEMENT,
    'placement-status',
    'upgrade check: is the store ready for this version',
    () => import('./placement/status.ts'),
  ),
  entry(SHELL, 'help', 'print help, also about a command', () => import('./shell/help.ts')),
  entry(SHELL, 'version', 'print the version', async () => ({
    describe: (await import('./shell/help.ts')).describeVersion,
  })),
  entry(SHELL, 'names', 'print the names of hosts, flavors ...', () => import('./shell/names.ts')),
  {
    ...entry(
      SHELL,
      'completion',
      'print a script that completes commands in a shell',
      () => import('./shell/completion.ts'),
    ),
    needsAllCommands: true,
  },
]
