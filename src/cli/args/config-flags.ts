import { type Command, type Help, Option } from 'commander'
import { defaultText } from '../../config/default-text.ts'
import { DEFAULT_PATH, FILE_FLAG, FILE_VARIABLE } from '../../config/file.ts'
import { type Config, flagOf, type KeyName, keyOf, variableOf } from '../../config/keys.ts'
import { loadConfig } from '../../config/load.ts'
import type { OsloRequest } from '../../config/oslo/read-files.ts'
import type { Translation } from '../../config/oslo/translate.ts'
import { type Origins, problemText } from '../../config/resolve.ts'
import { exitCodes } from '../connection/exit-codes.ts'
import type { ProcessEnvironment } from '../process-environment.ts'

const DESCRIPTION_INDENT = 8

/** Adds a flag for each of the keys, and `--config`; long names get their own line in the help. */
export function addConfigFlags(command: Command, names: readonly KeyName[]): Command {
  command.configureHelp({ formatItem, optionDescription: option => option.description })
  command.helpOption('-h, --help', 'Print this help.')
  command.addOption(
    new Option(
      `${FILE_FLAG} <file>`,
      `The configuration file. (default: ${DEFAULT_PATH} if there is one, env: ${FILE_VARIABLE})`,
    ).helpGroup('Configuration:'),
  )
  for (const name of names) command.addOption(configOption(name))
  return command
}

function formatItem(term: string, _termWidth: number, description: string, helper: Help): string {
  const indent = ' '.repeat(DESCRIPTION_INDENT)
  const width = (helper.helpWidth ?? 80) - DESCRIPTION_INDENT
  return `  ${term}\n${indent}${helper.boxWrap(description, width).replaceAll('\n', `\n${indent}`)}`
}

function configOption(name: KeyName): Option {
  const { kind, group } = keyOf(name)
  // A boolean flag needs no value: --randomize-allocation-candidates.
  const value = kind.type === 'boolean' ? `[${kind.placeholder}]` : `<${kind.placeholder}>`
  const option = new Option(`${flagOf(name)} ${value}`, helpText(name)).helpGroup(`${group}:`)
  if (kind.type === 'boolean') option.preset('true')
  if (kind.type === 'list' || kind.type === 'numbers')
    option.argParser((text: string, before: string | undefined) =>
      before === undefined ? text : `${before},${text}`,
    )
  return option
}

function helpText(name: KeyName): string {
  const { description, kind } = keyOf(name)
  const end = description.search(/\.(\s|$)/)
  const plain = description.slice(0, end + 1).replaceAll('`', '')
  const byDefault = defaultText(name).replaceAll('`', '')
  // Without blanks, a long list would not wrap.
  const wrappable = kind.type === 'list' ? byDefault.replaceAll(',', ', ') : byDefault
  return `${plain} (default: ${wrappable}, env: ${variableOf(name)})`
}

export interface Loaded {
  readonly values: Config
  readonly origins: Origins
  /** How the options of a placement.conf were translated, if there was one. */
  readonly translation?: Translation
}

/** The configuration of a command. If it is wrong, writes the problems to stderr and returns the exit code. */
export async function configOf(
  command: Command,
  names: readonly KeyName[],
  around: ProcessEnvironment,
  placement?: OsloRequest,
): Promise<Loaded | { readonly exitCode: number }> {
  const options = command.opts<Record<string, string | undefined>>()
  const flags: Partial<Record<KeyName, string>> = {}
  for (const name of names) {
    const text = options[attributeOf(name)]
    if (text !== undefined) flags[name] = text
  }
  const resolved = await loadConfig({
    flags,
    configFlag: options.config,
    env: around.env,
    terminal: around.stderr.isTerminal,
    ...(placement === undefined ? {} : { placement }),
  })
  if (resolved.ok) return resolved
  for (const problem of resolved.problems)
    around.stderr.write(`berth: configuration: ${problemText(problem)}\n`)
  return { exitCode: exitCodes.configuration }
}

/** The name under which commander stores the value of a flag. */
export function attributeOf(name: KeyName): string {
  return new Option(`${flagOf(name)} <value>`).attributeName()
}
