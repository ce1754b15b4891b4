import type { Command } from 'commander'
import type { PolicyInForce } from '../../../wire/accounts.ts'
import { describeClientCommand, type End, type Session, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { facts, flexible } from '../../render/table.ts'

interface Options {
  readonly role?: string
  readonly search?: string
}

type Rule = PolicyInForce['rules'][number]

export function describePolicyRoles(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Lists which roles permit which operation, by the policy of the running server, or which roles one operation needs. Roles are those that alone are enough, with what they imply, for what belongs to the caller and its project. The list is for admins; anyone may ask for one operation.',
    json: 'An array of {"operation", "what", "rule", "from", "allowed_roles"}; for one operation the answer of GET /v1/policy/OPERATION.',
    examples: [
      'berth policy roles',
      'berth policy roles --role reader --search share',
      'berth policy roles berth:fleet',
    ],
  })
    .argument('[operation]', 'The operation; see berth policy list.')
    .option('--role <role>', 'Only what this role alone permits.')
    .option('--search <text>', 'Only operations with this text in the name, the description or the rule.')
  whenRun(command, around, end, async (session, options: Options, operation: string | undefined) => {
    if (operation !== undefined) return printOne(session, operation)
    const { rules } = await session.accounts.policy()
    session.printList(
      rules.filter(rule => isWanted(rule, options)),
      ['operation', 'roles', flexible('what'), 'from'],
      ({ operation: name, what, from, allowed_roles }) => [name, rolesText(allowed_roles), what, from],
      'no operation is like this',
    )
  })
}

function isWanted({ operation, what, rule, allowed_roles }: Rule, { role, search }: Options): boolean {
  const text = `${operation}\n${what}\n${rule}`.toLowerCase()
  return (
    (role === undefined || allowed_roles.includes(role.toLowerCase())) &&
    (search === undefined || text.includes(search.toLowerCase()))
  )
}

async function printOne(session: Session, operation: string): Promise<void> {
  const found = await session.accounts.operationRoles(operation)
  session.print(found, look =>
    facts(
      [
        ['operation', found.operation],
        ['what', found.what],
        ['roles', rolesText(found.allowed_roles)],
      ],
      look,
    ),
  )
}

const rolesText = (roles: readonly string[]): string => (roles.length === 0 ? '-' : roles.join(','))
