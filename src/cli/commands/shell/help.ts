import { exitCodes } from '../../connection/exit-codes.ts'
import type { Describe } from '../describe-command.ts'
import { describeCommand } from '../describe-command.ts'

// args/argv.ts rewrites both to options before parsing; these entries only provide their help.

export const describe: Describe = command => {
  describeCommand(command, {
    description:
      'Prints the help of berth, or of a command: `berth help host add` is `berth host add --help`.',
    examples: ['berth help', 'berth help host add'],
    exits: [exitCodes.ok, exitCodes.usage],
  }).argument('[command...]', 'The command.')
}

export const describeVersion: Describe = command => {
  describeCommand(command, {
    description: 'Prints the version of berth.',
    examples: ['berth version'],
    exits: [exitCodes.ok, exitCodes.usage],
  })
}
