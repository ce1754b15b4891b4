import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ExitCode, exitCodesHelp } from '../connection/exit-codes.ts'
import type { ProcessEnvironment } from '../process-environment.ts'

/** Adds options, texts, subcommands and the action to a command. */
export type Describe = (command: Command, around: ProcessEnvironment, end: (exitCode: number) => void) => void

/** What the help and the reference say about a command besides its options. */
export interface CommandTexts {
  readonly description: string
  /** Paragraphs after the options. */
  readonly notes?: string
  /** What `--json` prints. */
  readonly json?: string
  readonly examples: readonly string[]
  readonly exits: readonly ExitCode[]
}

const texts = new WeakMap<Command, CommandTexts>()

export function describeCommand(command: Command, about: CommandTexts): Command {
  texts.set(command, about)
  return command.description(about.description).addHelpText('after', helpAfter(about))
}

export const textsOf = (command: Command): CommandTexts | undefined => texts.get(command)

function helpAfter({ notes, json, examples, exits }: CommandTexts): string {
  const parts = [
    notes,
    json === undefined ? undefined : `With --json:\n${indent(json)}`,
    `Examples:\n${examples.map(example => `  ${example}`).join('\n')}`,
    exitCodesHelp(...exits.toSorted((a, b) => a - b)),
  ]
  return `\n${parts.filter(part => part !== undefined).join('\n\n')}`
}

const indent = (text: string): string => text.replace(/^/gm, '  ')

/** `--json`, or `-o json` as in other command lines. */
export function addJsonOption(command: Command, description = 'Print JSON for programs.'): Command {
  const format = new Option('-o, --format <format>', 'How to print it.')
    .hideHelp()
    .argParser((text: string) => {
      if (text !== 'json' && text !== 'table') throw new InvalidArgumentError('Write json or table.')
      command.setOptionValue('json', text === 'json' ? true : undefined)
      return text
    })
  return command.option('--json', `${description} Also: -o json.`).addOption(format)
}
