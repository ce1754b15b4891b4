import { describeCommand } from './command-texts.ts'
import type { Describe } from './commands.ts'
import { exitCodes } from './connection/exit-codes.ts'

// Both are rewritten to options before they are parsed (command-words.ts): these are their help.

export const describeHelp: Describe = command => {
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
