import type { Command } from 'commander'
import { type Config, type KeyName, keyNames, keyOf } from '../../../config/keys.ts'
import { lineOf } from '../../../config/kinds.ts'
import type { OptionNote } from '../../../config/oslo/translate.ts'
import { type Origin, originText } from '../../../config/resolve.ts'
import { addConfigFlags, configOf, type Loaded } from '../../args/config-flags.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { addJsonOption, describeCommand } from '../describe-command.ts'

export function describe(
  command: Command,
  around: ProcessEnvironment,
  end: (exitCode: number) => void,
): void {
  describeCommand(command, {
    description: 'Prints every key of the configuration with its value and where the value came from.',
    notes: NOTES,
    json:
      'An object: for each key {"value", "origin": {"from", "name"}}. With --from: {"keys": such an object of the keys ' +
      'that options became, "without_meaning": [{"option", "origin", "text"}], "unknown": the same}.',
    examples: [
      'berth config',
      'berth config --config /etc/berth.json',
      'BERTH_PORT=9000 berth config --json',
      'berth config --from /etc/placement/placement.conf',
    ],
    exits: [exitCodes.ok, exitCodes.usage, exitCodes.configuration],
  })
  addJsonOption(command, 'Print one JSON object instead of a table.')
  command.option(
    '--from <file>',
    'Print what the options of a placement.conf become, and which of them have no effect here or are unknown.',
  )
  addConfigFlags(command, keyNames)
  command.action(async () => {
    const { json, from } = command.opts<{ json?: true; from?: string }>()
    if (from !== undefined) command.setOptionValue('config', from)
    const loaded = await configOf(command, keyNames, around)
    if ('exitCode' in loaded) return end(loaded.exitCode)
    if (from !== undefined && loaded.translation === undefined) {
      around.stderr.write(`berth: ${from} is not a placement.conf: it has no sections such as [DEFAULT]\n`)
      return end(exitCodes.usage)
    }
    const print = from === undefined ? (json ? asJson : asTable) : json ? translationJson : translationText
    around.stdout.write(print(loaded))
    end(exitCodes.ok)
  })
}

const NOTES = `--from takes a file of OpenStack's Placement, as --config does, and prints the result; flags and variables of Berth win
over it. docs/reference/placement-conf.md lists every option.`

function asJson({ values, origins }: Loaded): string {
  const entries = keyNames.map(name => [name, { value: displayedValue(name, values), origin: origins[name] }])
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}

/** The keys that an option of the file sets. */
const becameOf = ({ origins, translation }: Loaded): KeyName[] =>
  keyNames.filter(name => translation?.content.has(name) && translation.origins.get(name) === origins[name])

function translationJson(loaded: Loaded): string {
  const { values, origins, translation } = loaded
  const keys = becameOf(loaded).map(name => [
    name,
    { value: displayedValue(name, values), origin: origins[name] },
  ])
  const content = {
    keys: Object.fromEntries(keys),
    without_meaning: translation?.meaningless,
    unknown: translation?.unknown,
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

function translationText(loaded: Loaded): string {
  const { values, origins, translation } = loaded
  const keys = becameOf(loaded).map(name => [
    name,
    valueText(displayedValue(name, values)),
    originText(origins[name]),
  ])
  const noteRows = (notes: readonly OptionNote[] = []) =>
    notes.map(({ option, origin, text }) => [option, text.replaceAll('`', ''), placeText(origin)])
  const parts = [table(['KEY', 'VALUE', 'FROM'], keys)]
  const without = noteRows(translation?.meaningless)
  if (without.length > 0) parts.push(table(['WITHOUT A MEANING HERE', 'WHY', 'FROM'], without))
  const unknown = noteRows(translation?.unknown)
  if (unknown.length > 0) parts.push(table(['UNKNOWN', 'WHY', 'FROM'], unknown))
  return parts.join('\n')
}

/** The place of an option whose name the row already shows. */
const placeText = (origin: Origin): string =>
  origin.from === 'file' ? `${origin.name}:${origin.line}` : originText(origin)

function asTable({ values, origins }: Loaded): string {
  const rows = keyNames.map(name => [
    name,
    valueText(displayedValue(name, values)),
    originText(origins[name]),
  ])
  return table(['KEY', 'VALUE', 'FROM'], rows)
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [head, ...body]
  const widths = [0, 1].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return `${rows.map(line).join('\n')}\n`
}

/** The value without passwords. */
function displayedValue(name: KeyName, values: Config): Config[KeyName] {
  const value = values[name]
  return value === null ? null : (keyOf(name).kind.shown?.(value) ?? value)
}

const valueText = (value: Config[KeyName]): string => lineOf(value) || '-'
