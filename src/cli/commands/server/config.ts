import type { Command } from 'commander'
import { type Config, type KeyName, keyNames, keyOf } from '../../../config/keys.ts'
import { lineOf } from '../../../config/kinds.ts'
import { originText } from '../../../config/resolve.ts'
import { addConfigFlags, configOf, type Loaded } from '../../args/config-flags.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { addJsonOption, describeCommand } from '../describe-command.ts'

export function describeConfig(
  command: Command,
  around: ProcessEnvironment,
  end: (exitCode: number) => void,
): void {
  describeCommand(command, {
    description: 'Prints every key of the configuration with its value and where the value came from.',
    json: 'An object: for each key {"value", "origin": {"from", "name"}}.',
    examples: [
      'berth config',
      'berth config --config /etc/berth.json',
      'BERTH_PORT=9000 berth config --json',
    ],
    exits: [exitCodes.ok, exitCodes.usage, exitCodes.configuration],
  })
  addJsonOption(command, 'Print one JSON object instead of a table.')
  addConfigFlags(command, keyNames)
  command.action(async () => {
    const loaded = await configOf(command, keyNames, around)
    if ('exitCode' in loaded) return end(loaded.exitCode)
    around.stdout.write(command.opts<{ json?: true }>().json ? asJson(loaded) : asTable(loaded))
    end(exitCodes.ok)
  })
}

function asJson({ values, origins }: Loaded): string {
  const entries = keyNames.map(name => [name, { value: shown(name, values), origin: origins[name] }])
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}

function asTable({ values, origins }: Loaded): string {
  const rows = [
    ['KEY', 'VALUE', 'FROM'],
    ...keyNames.map(name => [name, valueText(shown(name, values)), originText(origins[name])]),
  ]
  const widths = [0, 1].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return `${rows.map(line).join('\n')}\n`
}

/** What may be shown to anybody: no password. */
function shown(name: KeyName, values: Config): Config[KeyName] {
  const value = values[name]
  return value === null ? null : (keyOf(name).kind.shown?.(value) ?? value)
}

const valueText = (value: Config[KeyName]): string => lineOf(value) || '-'
