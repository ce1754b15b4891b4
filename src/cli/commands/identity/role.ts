import type { Command } from 'commander'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { byName, table } from '../../render/table.ts'
import type { Describe } from '../describe-command.ts'
import { findProject } from './project.ts'
import { findRole, findUser } from './user.ts'

export const describe: Describe = (group, around, end) => {
  group.description(
    'Roles, and who has them in which project. The role admin implies manager, manager implies member, member implies reader.',
  )
  describeList(group.command('list').summary('list roles, and who has them'), around, end)
  describeGrant(group.command('add').summary('give a user a role in a project'), around, end, 'PUT')
  describeGrant(group.command('remove').summary('remove a role from a user'), around, end, 'DELETE')
  describeCreate(group.command('create').summary('create a role for your own policy'), around, end)
  describeDelete(group.command('delete').summary('delete a role that is not assigned'), around, end)
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists roles with the users and projects that have them. Implied roles are not listed.',
    json: 'An object: {"roles": [...], "assignments": [...]}, each as the identity API returns it.',
    examples: ['berth role list'],
  })
  whenRun(command, around, end, async session => {
    const identity = await session.identity()
    const [roles, assignments] = [(await identity.roles()).toSorted(byName), await identity.assignments()]
    const holders = (id: string) => assignments.filter(({ role }) => role.id === id)
    session.print({ roles, assignments }, look =>
      table(
        ['role', 'user', 'project'],
        roles.flatMap(role => {
          const held = holders(role.id).map(({ user, scope }) => [role.name, user.name, scope.project.name])
          return held.length === 0 ? [[role.name, '-', '-']] : held
        }),
        look,
      ),
    )
  })
}

function describeGrant(
  command: Command,
  around: ProcessEnvironment,
  end: End,
  method: 'PUT' | 'DELETE',
): void {
  const isGiven = method === 'PUT'
  describeClientCommand(command, {
    description: isGiven
      ? 'Gives a user a role in a project. It takes effect at once, for existing tokens too.'
      : 'Removes a role in a project from a user. It takes effect at once, for existing tokens too.',
    examples: [`berth role ${isGiven ? 'add' : 'remove'} member --user ray --project lab`],
  })
    .argument('<role>', 'The name of the role.')
    .requiredOption('--user <user>', 'The name or the id of the user.')
    .requiredOption('--project <project>', 'The name or the id of the project.')
  whenRun(command, around, end, async (session, options: { user: string; project: string }, text: string) => {
    const identity = await session.identity()
    const role = await findRole(identity, text)
    const user = await findUser(identity, options.user)
    const project = await findProject(identity, options.project)
    await identity.grant(method, user.id, project.id, role.id)
    const does = isGiven ? 'is now' : 'is no longer'
    session.around.stdout.write(`${user.name} ${does} ${role.name} in ${project.name}\n`)
  })
}

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Creates a role. It has no effect until a policy file names it.',
    examples: ['berth role create mover'],
    exits: [exitCodes.conflict],
  }).argument('<name>', 'Its name, in lower case.')
  whenRun(command, around, end, async (session, _options, name: string) => {
    const role = await (await session.identity()).createRole(name)
    session.around.stdout.write(`created ${role.name} (${role.id})\n`)
  })
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a role that is not assigned to a user.',
    examples: ['berth role delete mover'],
    exits: [exitCodes.conflict],
  }).argument('<role>', 'The name of the role.')
  whenRun(command, around, end, async (session, _options, text: string) => {
    const identity = await session.identity()
    const { id, name } = await findRole(identity, text)
    await identity.deleteRole(id)
    session.around.stdout.write(`deleted ${name} (${id})\n`)
  })
}
