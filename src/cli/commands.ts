import type { Command } from 'commander'
import type { ProcessEnvironment } from './process-environment.ts'

/** Fills in a command: its options, its texts, its subcommands, and what it does. */
export type Describe = (command: Command, around: ProcessEnvironment, end: (exitCode: number) => void) => void

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly group: string
  /** Loaded only when needed: a server must not start the slower for commands that talk to one. */
  readonly load: () => Promise<Describe>
}

const SERVER = 'The server:'
const LEDGER = 'What is where:'
const QUESTIONS = 'Where things go:'
const CLOUD = 'The whole cloud:'
const CATALOG = 'What keys mean:'
const COMPUTE = 'Hosts and flavors:'
const IDENTITY = 'Who may do what:'
const SHARES = 'Shares:'
const SHELL = 'The shell:'

const entry = (group: string, name: string, summary: string, load: CommandEntry['load']): CommandEntry => ({
  name,
  summary,
  group,
  load,
})

/** Every command there is, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  entry(
    SERVER,
    'serve',
    'run the server',
    async () => (await import('./commands/server/serve.ts')).describeServe,
  ),
  entry(
    SERVER,
    'config',
    'print the configuration in effect',
    async () => (await import('./commands/server/config.ts')).describeConfig,
  ),
  entry(
    SERVER,
    'verify',
    'compare the state in memory with the stored one',
    async () => (await import('./commands/server/verify.ts')).describeVerify,
  ),
  entry(
    SERVER,
    'backup',
    'copy the database of a running server',
    async () => (await import('./commands/server/backup.ts')).describeBackup,
  ),
  entry(
    SERVER,
    'restore',
    'make a data directory from a backup',
    async () => (await import('./commands/server/restore.ts')).describeRestore,
  ),
  entry(
    SERVER,
    'copy',
    'copy a whole store into an empty one, SQLite or PostgreSQL',
    async () => (await import('./commands/server/copy.ts')).describeCopy,
  ),
  entry(
    LEDGER,
    'provider',
    'list, show, draw and change resource providers',
    async () => (await import('./commands/ledger/provider.ts')).describeProvider,
  ),
  entry(
    LEDGER,
    'inventory',
    'what a provider has',
    async () => (await import('./commands/ledger/inventory.ts')).describeInventory,
  ),
  entry(
    LEDGER,
    'trait',
    'traits, and which of them a provider has',
    async () => (await import('./commands/ledger/trait.ts')).describeTrait,
  ),
  entry(
    LEDGER,
    'aggregate',
    'which aggregates a provider is in',
    async () => (await import('./commands/ledger/aggregate.ts')).describeAggregate,
  ),
  entry(
    LEDGER,
    'resource-class',
    'list, create and delete resource classes',
    async () => (await import('./commands/ledger/resource-class.ts')).describeResourceClass,
  ),
  entry(
    LEDGER,
    'allocation',
    'what a consumer holds',
    async () => (await import('./commands/ledger/allocation.ts')).describeAllocation,
  ),
  entry(
    LEDGER,
    'usage',
    'how much of a provider, or by a project, is used',
    async () => (await import('./commands/ledger/usage.ts')).describeUsage,
  ),
  entry(
    COMPUTE,
    'host',
    'hosts: add, list, show, set and remove them',
    async () => (await import('./commands/compute/host.ts')).describeHost,
  ),
  entry(
    COMPUTE,
    'flavor',
    'flavors and their extra specs',
    async () => (await import('./commands/compute/flavor.ts')).describeFlavor,
  ),
  entry(
    COMPUTE,
    'host-aggregate',
    'host aggregates, their hosts and metadata',
    async () => (await import('./commands/compute/host-aggregate.ts')).describeHostAggregate,
  ),
  entry(
    COMPUTE,
    'apply',
    'make hosts, flavors, share back ends ... as a file says',
    async () => (await import('./commands/cloud/apply.ts')).describeApply,
  ),
  entry(
    SHARES,
    'share',
    'shares, their types and pools',
    async () => (await import('./commands/shares/share.ts')).describeShare,
  ),
  entry(
    QUESTIONS,
    'candidates',
    'find where a request would fit',
    async () => (await import('./commands/questions/candidates.ts')).describeCandidates,
  ),
  entry(
    QUESTIONS,
    'explain',
    'say why a request fits where it does, or nowhere',
    async () => (await import('./commands/questions/explain.ts')).describeExplain,
  ),
  entry(
    QUESTIONS,
    'schedule',
    'find places for servers and claim them',
    async () => (await import('./commands/questions/schedule.ts')).describeSchedule,
  ),
  entry(
    QUESTIONS,
    'move',
    'move a server to another host',
    async () => (await import('./commands/questions/schedule.ts')).describeMove,
  ),
  entry(
    QUESTIONS,
    'rebuild',
    'ask whether a server may be rebuilt where it is',
    async () => (await import('./commands/questions/schedule.ts')).describeRebuild,
  ),
  entry(
    QUESTIONS,
    'decision',
    'decisions of the scheduler: list, show, replay',
    async () => (await import('./commands/questions/decision.ts')).describeDecision,
  ),
  entry(
    QUESTIONS,
    'simulate',
    'how many more servers fit, and what if',
    async () => (await import('./commands/questions/simulate.ts')).describeSimulate,
  ),
  entry(
    CLOUD,
    'fleet',
    'every provider with its capacity',
    async () => (await import('./commands/questions/fleet.ts')).describeFleet,
  ),
  entry(
    CLOUD,
    'watch',
    'print every change as it happens',
    async () => (await import('./commands/questions/watch.ts')).describeWatch,
  ),
  entry(
    CLOUD,
    'export',
    'write the whole cloud as NDJSON',
    async () => (await import('./commands/cloud/export.ts')).describeExport,
  ),
  entry(
    CLOUD,
    'import',
    'read a whole cloud from NDJSON',
    async () => (await import('./commands/cloud/import.ts')).describeImport,
  ),
  entry(
    CATALOG,
    'catalog',
    'metadata definitions, and what is not as they say',
    async () => (await import('./commands/catalog/catalog.ts')).describeCatalog,
  ),
  entry(
    IDENTITY,
    'user',
    'the users of this server',
    async () => (await import('./commands/identity/user.ts')).describeUser,
  ),
  entry(
    IDENTITY,
    'project',
    'the projects of this server',
    async () => (await import('./commands/identity/project.ts')).describeProject,
  ),
  entry(
    IDENTITY,
    'role',
    'roles, and who has which of them',
    async () => (await import('./commands/identity/role.ts')).describeRole,
  ),
  entry(
    IDENTITY,
    'token',
    'static tokens for machines',
    async () => (await import('./commands/identity/token.ts')).describeToken,
  ),
  entry(
    IDENTITY,
    'clouds-yaml',
    'print a clouds.yaml for OpenStack clients',
    async () => (await import('./commands/identity/clouds-yaml.ts')).describeCloudsYaml,
  ),
  entry(
    IDENTITY,
    'policy',
    'list the rules, and ask what they allow',
    async () => (await import('./commands/identity/policy.ts')).describePolicy,
  ),
  entry(
    IDENTITY,
    'audit',
    'print who changed what',
    async () => (await import('./commands/identity/audit.ts')).describeAudit,
  ),
  entry(
    SHELL,
    'help',
    'print help, also about a command',
    async () => (await import('./help.ts')).describeHelp,
  ),
  entry(SHELL, 'version', 'print the version', async () => (await import('./help.ts')).describeVersion),
  entry(
    SHELL,
    'names',
    'print the names of hosts, flavors ...',
    async () => (await import('./args/name-list.ts')).describeNames,
  ),
  entry(
    SHELL,
    'completion',
    'print a script that completes commands in a shell',
    async () => (await import('./completion.ts')).describeCompletion,
  ),
]
