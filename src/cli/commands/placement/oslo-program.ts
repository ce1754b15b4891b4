import type { Config } from '../../../config/keys.ts'
import { loadConfig } from '../../../config/load.ts'
import type { Translation } from '../../../config/oslo/translate.ts'
import { problemText } from '../../../config/resolve.ts'
import { failureOf } from '../../connection/failures.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { ArgumentsRefused, type OsloArguments, parseOsloArguments } from './oslo-arguments.ts'

/** A program of Placement that does one thing and ends. */
export interface OsloProgram {
  readonly name: string
  readonly usage: string
  readonly help: string
  /** The exit code if the configuration or the store cannot be used. */
  readonly failed: number
  /** Finds the action that the words name; null to print the help. Throws ArgumentsRefused. */
  choose(words: readonly string[]): Action | 'help' | null
}

export type Action = (setup: Setup) => Promise<number>

export interface Setup {
  readonly config: Config
  readonly translation: Translation | null
  readonly around: ProcessEnvironment
}

const USAGE = 2

/** Runs the program, with the exit codes of upstream's programs. */
export async function runOsloProgram(
  program: OsloProgram,
  args: readonly string[],
  around: ProcessEnvironment,
): Promise<number> {
  let parsed: OsloArguments
  let action: Action | 'help' | null
  try {
    parsed = parseOsloArguments(args)
    action = parsed.wants === null ? program.choose(parsed.words) : 'help'
  } catch (error) {
    if (!(error instanceof ArgumentsRefused)) throw error
    around.stderr.write(`${program.usage}\n${program.name}: error: ${error.message}\n`)
    return USAGE
  }
  if (parsed.wants === 'version') {
    around.stdout.write(`${around.version}\n`)
    return 0
  }
  if (action === null || action === 'help') {
    around.stdout.write(`${program.usage}\n\n${program.help}\n`)
    return action === null ? 1 : 0
  }
  return runAction(program, action, parsed, around)
}

async function runAction(
  { name, failed }: OsloProgram,
  action: Action,
  { named }: OsloArguments,
  around: ProcessEnvironment,
): Promise<number> {
  const resolved = await loadConfig({
    // Neither affects the store; the server checks where it listens.
    flags: { host: '127.0.0.1', auth: 'token' },
    configFlag: undefined,
    env: around.env,
    terminal: around.stderr.isTerminal,
    placement: { named, program: name, places: around },
  })
  const say = (line: string) => around.stderr.write(`${name}: ${line}\n`)
  if (!resolved.ok) {
    for (const problem of resolved.problems) say(`configuration: ${problemText(problem)}`)
    return failed
  }
  try {
    return await action({ config: resolved.values, translation: resolved.translation ?? null, around })
  } catch (error) {
    const failure = failureOf(error, resolved.values)
    if (failure === null) throw error
    say(failure.line)
    return failed
  }
}
