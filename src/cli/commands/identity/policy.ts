import type { Command } from 'commander'
import type { KeyName } from '../../../config/keys.ts'
import type { Credentials } from '../../../http/api.ts'
import { PolicyRefused, type WholePolicy } from '../../../identity/policy/compile-policy.ts'
import { loadPolicy } from '../../../identity/policy/load.ts'
import { addImplied } from '../../../identity/rules/roles.ts'
import { addConfigFlags, configOf } from '../../args/config-flags.ts'
import { repeatable } from '../../args/repeatable.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { type End, lookOf } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { flexible, table } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { addJsonOption, describeCommand } from '../describe-command.ts'
import { describePolicyRoles } from './policy-roles.ts'

const KEYS: readonly KeyName[] = ['rbac', 'policy_file']
const EXITS = [exitCodes.ok, exitCodes.usage, exitCodes.configuration] as const

export const describe: Describe = (group, around, end) => {
  group.description(
    'The policy: who may do what. list and check read the configuration and the policy file on this machine, and the server need not run; roles asks the running server.',
  )
  describeList(group.command('list').summary('list every operation with its rule'), around, end)
  describeCheck(group.command('check').summary('check whether a caller may do something'), around, end)
  describePolicyRoles(
    group.command('roles').summary('list which roles permit which operation, at the running server'),
    around,
    end,
  )
}

/** The policy that a server would use; `end` has the reason if the server would not start. */
async function withPolicy(
  command: Command,
  around: ProcessEnvironment,
  end: End,
  work: (policy: WholePolicy) => number,
): Promise<void> {
  const loaded = await configOf(command, KEYS, around)
  if ('exitCode' in loaded) return end(loaded.exitCode)
  try {
    const { rbac, policy_file } = loaded.values
    const policy = await loadPolicy(rbac, policy_file)
    for (const { name, line } of policy.unused)
      around.stderr.write(
        `berth: line ${line} of ${policy_file}: there is no operation ${name}; it has no effect\n`,
      )
    end(work(policy))
  } catch (error) {
    if (!(error instanceof PolicyRefused)) throw error
    around.stderr.write(`berth: configuration: ${error.message}\n`)
    end(exitCodes.configuration)
  }
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeCommand(command, {
    description:
      'Lists every operation with the rule in force, and whether that is a default or from the policy file.',
    json: 'An array of {"operation", "what", "rule", "from"}.',
    examples: ['berth policy list', 'berth policy list --policy-file /etc/berth/policy.yaml --json'],
    exits: EXITS,
  })
  addJsonOption(command)
  addConfigFlags(command, KEYS)
  command.action(() =>
    withPolicy(command, around, end, ({ rules }) => {
      const asJson = command.opts<{ json?: true }>().json === true
      const columns = ['operation', 'from', flexible('rule')]
      around.stdout.write(
        asJson
          ? `${JSON.stringify(rules, null, 2)}\n`
          : table(
              columns,
              rules.map(({ operation, from, rule }) => [operation, from, rule]),
              lookOf(around),
            ),
      )
      return exitCodes.ok
    }),
  )
}

interface CheckOptions {
  readonly role?: readonly string[]
  readonly user: string
  readonly project: string
  readonly targetProject?: string
  readonly targetUser?: string
  readonly visibility?: string
}

function describeCheck(command: Command, around: ProcessEnvironment, end: End): void {
  describeCommand(command, {
    description:
      'Checks whether a caller with these roles may do something. The role admin implies manager, manager implies member, member implies reader.',
    examples: [
      'berth policy check placement:resource_providers:list --role reader',
      'berth policy check get_metadef_namespace --role reader --project p --target-project q --visibility public',
    ],
    exits: [...EXITS, exitCodes.missing, exitCodes.forbidden],
  })
  command
    .argument('<operation>', 'The operation; see berth policy list.')
    .option('--role <role>', 'A role of the caller; repeat it for more.', repeatable)
    .option('--user <id>', 'The user.', 'someone')
    .option('--project <id>', 'The project of the token.', 'theirs')
    .option('--target-project <id>', 'The project of the object. (default: that of the token)')
    .option('--target-user <id>', 'The user of the object. (default: the caller)')
    .option('--visibility <text>', 'The visibility of the object: public or private.')
  addConfigFlags(command, KEYS)
  command.action((operation: string) =>
    withPolicy(command, around, end, policy => {
      if (!policy.knows(operation)) {
        around.stderr.write(`berth: there is no operation ${operation}: see berth policy list\n`)
        return exitCodes.missing
      }
      return checkOperation(policy, operation, command.opts<CheckOptions>(), around)
    }),
  )
}

function checkOperation(
  policy: WholePolicy,
  operation: string,
  options: CheckOptions,
  around: ProcessEnvironment,
): number {
  const { user, project, targetProject = project, targetUser = user, visibility } = options
  const roles = addImplied((options.role ?? []).map(role => role.toLowerCase()))
  const caller: Credentials = { userId: user, projectId: project, roles, systemScope: false }
  const isAllowed = policy.allows(operation, caller, {
    project_id: targetProject,
    user_id: targetUser,
    'target.project.id': targetProject,
    'target.user.id': targetUser,
    'target.token.user_id': targetUser,
    ...(visibility === undefined ? {} : { visibility }),
  })
  const rule = policy.rules.find(one => one.operation === operation)
  around.stdout.write(
    `${isAllowed ? 'allowed' : 'refused'}: ${operation} is "${rule?.rule}" (${rule?.from})\n`,
  )
  return isAllowed ? exitCodes.ok : exitCodes.forbidden
}
