import type { Command } from 'commander'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { type CommandTexts, describeCommand } from '../describe-command.ts'
import { type OsloProgram, runOsloProgram } from './oslo-program.ts'

/** A command that parses its arguments, including help, as upstream's program does. */
export function describeOsloProgram(
  command: Command,
  around: ProcessEnvironment,
  end: (exitCode: number) => void,
  program: OsloProgram,
  texts: Omit<CommandTexts, 'exits'>,
): void {
  describeCommand(command, { ...texts, exits: [exitCodes.ok, exitCodes.differences, exitCodes.nothing] })
  command
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .passThroughOptions()
    .argument('[arguments...]', 'The arguments of the program.')
    .action(async (words: readonly string[]) => end(await runOsloProgram(program, words, around)))
}
