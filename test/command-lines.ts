/** Command lines that people copy, parsed by the real command line without running them. */
import { type Command, CommanderError } from 'commander'
import { parseAmounts } from '../src/cli/args/amounts.ts'
import { normalizeArgv } from '../src/cli/args/argv.ts'
import { parseKeyValues } from '../src/cli/args/key-values.ts'
import { parseInventorySpecs } from '../src/cli/commands/ledger/inventory-specs.ts'
import { FakeEnvironment } from '../src/cli/process-environment.fixture.ts'
import { buildProgram, loadCommands } from '../src/cli/program.ts'

const everything = await loadCommands()

/**
 * What is wrong with the `berth` commands in a shell text, empty where nothing is: unknown commands and options,
 * missing or surplus arguments, values that the command could not read. Commands of other programs are skipped.
 */
export function commandProblems(text: string): string[] {
  return berthCommands(text).flatMap(words => problemOf(words) ?? [])
}

/** The same for a command that prose only names (`berth apply`, `berth flavor`): what it needs may be missing. */
export function mentionProblems(text: string): string[] {
  return commandProblems(text).filter(problem => !INCOMPLETE.test(problem))
}

const INCOMPLETE = /missing required argument|required option|argument missing|: Usage: berth/

/** Of each `berth` command in a shell text the words behind `berth`. */
export function berthCommands(text: string): string[][] {
  return simpleCommands(text).flatMap(words => {
    const at = words.findIndex(word => !PREFIX.test(word))
    return at >= 0 && /^(.*\/)?berth$/.test(words[at] as string) ? [words.slice(at + 1)] : []
  })
}

/** Words that may stand before a command: assignments, and what the shell or another program runs it with. */
const PREFIX = /^(\w+=.*|sudo|time|exec|nohup|npx|if|then|else|do|while|until|!|\{|\()$/

/** Built once: that takes longer than to parse a command line. */
const around = new FakeEnvironment()
const program = buildProgram(around, everything, () => undefined)
let problem: string | null = null
replaceActions(program, command => {
  problem = valueProblem(command)
})

function problemOf(words: readonly string[]): string | null {
  const written = around.stderr.text.length
  problem = null
  try {
    program.parse(normalizeArgv(words), { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return null
    const text = around.stderr.text.slice(written).trim()
    problem = error instanceof CommanderError ? text || error.code : String(error)
  }
  return problem === null ? null : `berth ${words.join(' ')}: ${problem.split('\n')[0]}`
}

function replaceActions(command: Command, action: (command: Command) => void): void {
  if (command.commands.length === 0) command.action(() => action(command))
  for (const one of command.commands) replaceActions(one, action)
}

/** Options and arguments whose values only the action reads, by the name that the help gives to the value. */
const READERS: Readonly<Record<string, (words: readonly string[]) => unknown>> = {
  'host add --inventory': parseInventorySpecs,
  'host set --inventory': parseInventorySpecs,
  'key=value': words => words.map(word => parseKeyValues([word])),
  'class=amount,...': words => parseAmounts('--resources', words),
  'class=amount': words => parseAmounts('--resource', words),
}

function valueProblem(command: Command): string | null {
  const path = `${command.parent?.name()} ${command.name()}`
  const values: [string, unknown][] = [
    ...command.options.map((option): [string, unknown] => {
      const own = `${path} ${option.long}`
      const shown = /<(.+)>/.exec(option.flags)?.[1] ?? ''
      return [own in READERS ? own : shown, command.opts()[option.attributeName()]]
    }),
    ...command.registeredArguments.map((one, at): [string, unknown] => [
      one.name(),
      command.processedArgs[at],
    ]),
  ]
  for (const [name, value] of values) {
    if (value === undefined || !Object.hasOwn(READERS, name)) continue
    try {
      READERS[name]?.([value].flat() as string[])
    } catch (error) {
      return (error as Error).message
    }
  }
  return null
}

const OPERATOR = /^(\|\||&&|;;|[|;&()\n])/
const REDIRECTION = /^\d*(>>|>&|<<<|<<-?|>|<)(&?\d|-)?/

/** A shell text as lists of words: quotes and comments taken off, redirections dropped, `$(...)` left as a word. */
function simpleCommands(text: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  let rest = text.replaceAll('\\\n', ' ')
  while (rest !== '') {
    const blank = /^([ \t]+|#[^\n]*)/.exec(rest)?.[0]
    const operator = OPERATOR.exec(rest)?.[0]
    const redirection = REDIRECTION.exec(rest)
    if (blank !== undefined) rest = rest.slice(blank.length)
    else if (operator !== undefined) {
      commands.push(words)
      words = []
      rest = rest.slice(operator.length)
    } else if (redirection !== null) {
      rest = rest.slice(redirection[0].length).trimStart()
      if (redirection[2] === undefined) rest = rest.slice(wordAt(rest).length)
    } else {
      const { value, length, inner } = wordAt(rest)
      words.push(value)
      commands.push(...inner)
      rest = rest.slice(length)
    }
  }
  return [...commands, words].filter(one => one.length > 0)
}

interface Word {
  readonly value: string
  readonly length: number
  /** Commands in `$(...)`, which are checked on their own. */
  readonly inner: string[][]
}

const PART = /^('([^']*)'|"((?:\\.|[^"\\])*)"|\$\(((?:[^()]|\([^()]*\))*)\)|\\(.)|([^\s'"\\|;&()<>]))/

function wordAt(text: string): Word {
  let value = ''
  let length = 0
  const inner: string[][] = []
  for (let part = PART.exec(text); part !== null; part = PART.exec(text.slice(length))) {
    const [whole, , single, double, substituted, escaped, plain] = part
    if (substituted !== undefined) inner.push(...simpleCommands(substituted))
    for (const [, command] of (double ?? '').matchAll(/\$\(([^()]*)\)/g))
      inner.push(...simpleCommands(command as string))
    value += single ?? double?.replace(/\\(.)/g, '$1') ?? escaped ?? plain ?? whole
    length += whole.length
  }
  // A sign that ends no quote: taken as it is, so that the scan goes on.
  return length === 0 ? { value: text.slice(0, 1), length: 1, inner } : { value, length, inner }
}
