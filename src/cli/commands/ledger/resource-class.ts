import type { Command } from 'commander'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import type { Describe } from '../describe-command.ts'
import { printNames } from './trait.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Resource classes: what inventories count.')
  describeList(group.command('list').summary('list the resource classes'), around, end)
  describeCreate(group.command('create').summary('create a resource class'), around, end)
  describeDelete(group.command('delete').summary('delete a resource class'), around, end)
}

function describeList(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Lists the resource classes, standard and custom (CUSTOM_).',
    json: 'An array of names.',
    examples: ['berth resource-class list'],
  })
  whenRun(command, around, end, async session => {
    const names = await (await session.placement()).resourceClasses()
    printNames(session, names.toSorted(), 'no resource class')
  })
}

function describeCreate(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Creates a resource class, unless it exists.',
    examples: ['berth resource-class create CUSTOM_FPGA'],
  }).argument('<name>', 'Its name, which starts with CUSTOM_.')
  whenRun(command, around, end, async (session, _options, name: string) => {
    const created = await (await session.placement()).createResourceClass(name)
    session.around.stdout.write(created ? `created ${name}\n` : `${name} already exists\n`)
  })
}

function describeDelete(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Deletes a custom resource class that no inventory uses.',
    examples: ['berth resource-class delete CUSTOM_FPGA'],
    exits: [exitCodes.conflict],
  }).argument('<name>', 'Its name.')
  whenRun(command, around, end, async (session, _options, name: string) => {
    await (await session.placement()).deleteResourceClass(name)
    session.around.stdout.write(`deleted ${name}\n`)
  })
}
