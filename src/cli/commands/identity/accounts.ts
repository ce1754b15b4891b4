import { describeClientCommand, whenRun } from '../../connection/session.ts'
import { facts } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Shows where users are, in the store of this server or in a Keystone, and how many users, projects, roles, credentials and static tokens the store has.',
    json: 'The answer of GET /v1/accounts.',
    examples: ['berth accounts'],
  })
  whenRun(command, around, end, async session => {
    const found = await session.accounts.accounts()
    const { keystone } = found
    const kept: [string, string][] =
      keystone === null
        ? [
            ['users', String(found.users)],
            ['projects', String(found.projects)],
            ['roles', String(found.roles)],
            ['application credentials', String(found.application_credentials)],
          ]
        : [
            ['Keystone', keystone.url],
            ['cached tokens', `${keystone.cached_tokens}, for ${keystone.cache_s} s`],
          ]
    const pairs: [string, string][] = [
      ['auth', found.auth],
      ['rbac', found.rbac],
      ['operations that a policy file changes', String(found.policy_lines)],
      ...kept,
      ['static tokens', String(found.static_tokens)],
    ]
    session.print(found, look => facts(pairs, look))
  })
}
