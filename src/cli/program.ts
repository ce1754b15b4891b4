import { Command, CommanderError } from 'commander'
import { addConfig } from './config.ts'
import { exitCodes } from './exit-codes.ts'
import { addServe } from './serve.ts'
import type { Surroundings } from './surroundings.ts'
import { addVerify } from './verify.ts'

const commands = [addServe, addConfig, addVerify]

/** Runs the command that the arguments name; resolves with its exit code. */
export async function runProgram(args: readonly string[], around: Surroundings): Promise<number> {
  let exitCode: number = exitCodes.ok
  const program = new Command('berth')
    .description('Placement and scheduling for clouds: where things go, what is where, and why.')
    .version(around.version, '--version', 'Print the version.')
    .helpOption('-h, --help', 'Print help, also for each command: berth serve --help.')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: text => around.stdout.write(text),
      writeErr: text => around.stderr.write(text),
      getOutHelpWidth: () => around.stdout.columns,
      getErrHelpWidth: () => around.stderr.columns,
      outputError: (text, write) => write(text.replace(/^error: /, 'berth: ')),
    })
    .addHelpText('after', HELP)
  const end = (code: number): void => {
    exitCode = code
  }
  for (const add of commands) add(program, around, end)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
}

const HELP = `
Examples:
  berth serve
  berth config
  berth verify

The configuration is described in docs/reference/configuration.md.`
