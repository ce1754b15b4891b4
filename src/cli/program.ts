import { Command, CommanderError } from 'commander'
import { normalizeArgv } from './args/argv.ts'
import type { Describe } from './commands/describe-command.ts'
import { type CommandEntry, commands } from './commands/registry.ts'
import { exitCodes } from './connection/exit-codes.ts'
import type { ProcessEnvironment } from './process-environment.ts'

/** Runs the command that the arguments name; resolves with its exit code. */
export async function runProgram(args: readonly string[], around: ProcessEnvironment): Promise<number> {
  let exitCode: number = exitCodes.ok
  const words = normalizeArgv(args)
  const loaded = await loadCommands(commandsToLoad(words[0]))
  const program = buildProgram(around, loaded, code => {
    exitCode = code
  })
  try {
    await program.parseAsync(namesCommand(program, words) ? words : withoutHelp(words), { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
}

/** Commander answers `--help` of an unknown subcommand with the parent's help. Without the option it refuses the name. */
const withoutHelp = (words: readonly string[]): string[] =>
  words.filter(word => word !== '--help' && word !== '-h')

function namesCommand(program: Command, words: readonly string[]): boolean {
  let command: Command | undefined = program
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) return true
    command = command.commands.find(one => one.name() === word || one.aliases().includes(word))
    if (command === undefined) return false
  }
  return true
}

function commandsToLoad(name: string | undefined): readonly CommandEntry[] {
  const named = commands.filter(one => one.name === name)
  return named.some(one => one.needsAllCommands) ? commands : named
}

export async function loadCommands(
  entries: readonly CommandEntry[] = commands,
): Promise<ReadonlyMap<string, Describe>> {
  return new Map(
    await Promise.all(entries.map(async ({ name, load }) => [name, (await load()).describe] as const)),
  )
}

/** Commands that were not loaded have a name and a summary only, for the help. */
export function buildProgram(
  around: ProcessEnvironment,
  loaded: ReadonlyMap<string, Describe>,
  end: (exitCode: number) => void,
): Command {
  const program = new Command('berth')
    .description('Placement and scheduling for clouds: where things go, what is where, and why.')
    .version(around.version, '--version', 'Print the version.')
    .helpOption('-h, --help', 'Print help, also for a command: berth help serve.')
    .helpCommand(false)
    // A subcommand may have options of the same names as its parent.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: text => around.stdout.write(text),
      writeErr: text => around.stderr.write(text),
      getOutHelpWidth: () => around.stdout.columns,
      getErrHelpWidth: () => around.stderr.columns,
      outputError: (text, write) => write(text.replace(/^error: /, 'berth: ')),
    })
    .addHelpText('after', HELP)
  for (const { name, summary, group } of commands satisfies readonly CommandEntry[]) {
    const command = program.command(name).summary(summary).helpGroup(group)
    command.helpOption('-h, --help', 'Print this help.').helpCommand(false)
    loaded.get(name)?.(command, around, end)
  }
  return program
}

const HELP = `
Examples:
  berth serve
  berth provider tree
  berth candidates --resources VCPU:2,MEMORY_MB:4096
  berth schedule m1.small --count 2 --dry-run
  berth explain schedule m1.small

Options may stand before the command or behind it. 'berth help COMMAND' and 'berth COMMAND --help' are the same.

The configuration of the server is described in docs/reference/configuration.md, every command, how to name
the server to talk to, and the exit codes in docs/reference/command-line.md.`
