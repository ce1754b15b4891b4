import type { Describe } from './describe-command.ts'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly group: string
  /** Loaded on demand, so that `berth serve` starts without the code of the other commands. */
  readonly load: () => Promise<Describe>
  /** It works on the whole tree of commands, so all of them are loaded with it. */
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
  entry(SERVER, 'serve', 'run the server', async () => (await import('./server/serve.ts')).describeServe),
  entry(
    SERVER,
    'config',
    'print the configuration in effect',
    async () => (await import('./server/config.ts')).describeConfig,
  ),
  entry(
    SERVER,
    'verify',
    'compare the state in memory with the stored one',
    async () => (await import('./server/verify.ts')).describeVerify,
  ),
  entry(
    SERVER,
    'backup',
    'copy the database of a running server',
    async () => (await import('./server/backup.ts')).describeBackup,
  ),
  entry(
    SERVER,
    'restore',
    'make a data directory from a backup',
    async () => (await import('./server/restore.ts')).describeRestore,
  ),
  entry(
    SERVER,
    'copy',
    'copy a whole store into an empty one, SQLite or PostgreSQL',
    async () => (await import('./server/copy.ts')).describeCopy,
  ),
  entry(
    LEDGER,
    'provider',
    'list, show, draw and change resource providers',
    async () => (await import('./ledger/provider.ts')).describeProvider,
  ),
  entry(
    LEDGER,
    'inventory',
    'inventories of a provider',
    async () => (await import('./ledger/inventory.ts')).describeInventory,
  ),
  entry(
    LEDGER,
    'trait',
    'traits, and which of them a provider has',
    async () => (await import('./ledger/trait.ts')).describeTrait,
  ),
  entry(
    LEDGER,
    'aggregate',
    'which aggregates a provider is in',
    async () => (await import('./ledger/aggregate.ts')).describeAggregate,
  ),
  entry(
    LEDGER,
    'resource-class',
    'list, create and delete resource classes',
    async () => (await import('./ledger/resource-class.ts')).describeResourceClass,
  ),
  entry(
    LEDGER,
    'allocation',
    'allocations of a consumer',
    async () => (await import('./ledger/allocation.ts')).describeAllocation,
  ),
  entry(
    LEDGER,
    'usage',
    'usage of a provider or by a project',
    async () => (await import('./ledger/usage.ts')).describeUsage,
  ),
  entry(
    COMPUTE,
    'host',
    'hosts: add, list, show, set and remove them',
    async () => (await import('./compute/host.ts')).describeHost,
  ),
  entry(
    COMPUTE,
    'flavor',
    'flavors and their extra specs',
    async () => (await import('./compute/flavor.ts')).describeFlavor,
  ),
  entry(
    COMPUTE,
    'host-aggregate',
    'host aggregates, their hosts and metadata',
    async () => (await import('./compute/host-aggregate.ts')).describeHostAggregate,
  ),
  entry(
    COMPUTE,
    'apply',
    'apply a file of hosts, flavors, share back ends ...',
    async () => (await import('./cloud/apply.ts')).describeApply,
  ),
  entry(
    SHARES,
    'share',
    'shares, their types and pools',
    async () => (await import('./shares/share.ts')).describeShare,
  ),
  entry(
    QUESTIONS,
    'candidates',
    'find where a request fits',
    async () => (await import('./questions/candidates.ts')).describeCandidates,
  ),
  entry(
    QUESTIONS,
    'explain',
    'explain where a request fits, and why',
    async () => (await import('./questions/explain.ts')).describeExplain,
  ),
  entry(
    QUESTIONS,
    'schedule',
    'choose hosts for servers and claim them',
    async () => (await import('./questions/schedule.ts')).describeSchedule,
  ),
  entry(
    QUESTIONS,
    'move',
    'move a server to another host',
    async () => (await import('./questions/schedule.ts')).describeMove,
  ),
  entry(
    QUESTIONS,
    'rebuild',
    'check whether a server may be rebuilt on its host',
    async () => (await import('./questions/schedule.ts')).describeRebuild,
  ),
  entry(
    QUESTIONS,
    'decision',
    'decisions of the scheduler: list, show, replay',
    async () => (await import('./questions/decision.ts')).describeDecision,
  ),
  entry(
    QUESTIONS,
    'simulate',
    'how many more servers fit, now or after changes',
    async () => (await import('./questions/simulate.ts')).describeSimulate,
  ),
  entry(
    CLOUD,
    'fleet',
    'every provider with its capacity',
    async () => (await import('./questions/fleet.ts')).describeFleet,
  ),
  entry(
    CLOUD,
    'watch',
    'print every change as it happens',
    async () => (await import('./questions/watch.ts')).describeWatch,
  ),
  entry(
    CLOUD,
    'export',
    'write the whole cloud as NDJSON',
    async () => (await import('./cloud/export.ts')).describeExport,
  ),
  entry(
    CLOUD,
    'import',
    'read a whole cloud from NDJSON',
    async () => (await import('./cloud/import.ts')).describeImport,
  ),
  entry(
    CLOUD,
    'compare',
    'compare the ledger with that of a Placement',
    async () => (await import('./cloud/compare.ts')).describeCompare,
  ),
  entry(
    CATALOG,
    'catalog',
    'metadata definitions, and what does not match them',
    async () => (await import('./catalog/catalog.ts')).describeCatalog,
  ),
  entry(
    IDENTITY,
    'user',
    'the users of this server',
    async () => (await import('./identity/user.ts')).describeUser,
  ),
  entry(
    IDENTITY,
    'project',
    'the projects of this server',
    async () => (await import('./identity/project.ts')).describeProject,
  ),
  entry(
    IDENTITY,
    'role',
    'roles, and who has them',
    async () => (await import('./identity/role.ts')).describeRole,
  ),
  entry(
    IDENTITY,
    'token',
    'static tokens for machines',
    async () => (await import('./identity/token.ts')).describeToken,
  ),
  entry(
    IDENTITY,
    'clouds-yaml',
    'print a clouds.yaml for OpenStack clients',
    async () => (await import('./identity/clouds-yaml.ts')).describeCloudsYaml,
  ),
  entry(
    IDENTITY,
    'policy',
    'list the rules, and check what they allow',
    async () => (await import('./identity/policy.ts')).describePolicy,
  ),
  entry(
    IDENTITY,
    'audit',
    'print who changed what',
    async () => (await import('./identity/audit.ts')).describeAudit,
  ),
  entry(
    PLACEMENT,
    'placement-api',
    'serve with a placement.conf',
    async () => (await import('./placement/api.ts')).describePlacementApi,
  ),
  entry(
    PLACEMENT,
    'placement-manage',
    'make and migrate the store: db sync, db version ...',
    async () => (await import('./placement/manage.ts')).describePlacementManage,
  ),
  entry(
    PLACEMENT,
    'placement-status',
    'upgrade check: is the store ready for this version',
    async () => (await import('./placement/status.ts')).describePlacementStatus,
  ),
  entry(
    SHELL,
    'help',
    'print help, also about a command',
    async () => (await import('./shell/help.ts')).describeHelp,
  ),
  entry(SHELL, 'version', 'print the version', async () => (await import('./shell/help.ts')).describeVersion),
  entry(
    SHELL,
    'names',
    'print the names of hosts, flavors ...',
    async () => (await import('./shell/names.ts')).describeNames,
  ),
  {
    ...entry(
      SHELL,
      'completion',
      'print a script that completes commands in a shell',
      async () => (await import('./shell/completion.ts')).describeCompletion,
    ),
    needsAllCommands: true,
  },
]
