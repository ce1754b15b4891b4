import { type Command, Option } from 'commander'
import { keyNames } from '../../../config/keys.ts'
import type { NamedSource } from '../../../config/oslo/search.ts'
import { addConfigFlags, configOf } from '../../args/config-flags.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { describeCommand } from '../describe-command.ts'
import { serveLoaded } from '../server/serve.ts'
import { parseOsloArguments } from './oslo-arguments.ts'

const PROGRAM = 'placement-api'

export function describePlacementApi(
  command: Command,
  around: ProcessEnvironment,
  end: (exitCode: number) => void,
): void {
  describeCommand(command, {
    description:
      'Serves Placement as `berth serve` does, with the configuration of OpenStack’s Placement: placement.conf is found where ' +
      'oslo.config finds it.',
    notes: NOTES,
    examples: [
      'placement-api --port 8778',
      'berth placement-api --port 8778',
      'placement-api --config-file /etc/placement/placement.conf --host 0.0.0.0 --behind-proxy',
    ],
    exits: [
      exitCodes.ok,
      exitCodes.usage,
      exitCodes.unavailable,
      exitCodes.broken,
      exitCodes.store,
      exitCodes.configuration,
    ],
  })
  const sources: NamedSource[] = []
  const collect = (kind: NamedSource['kind']) => (path: string) => void sources.push({ kind, path })
  command.addOption(
    new Option('--config-file <path>', 'A file of Placement; may be repeated.').argParser(collect('file')),
  )
  command.addOption(
    new Option('--config-dir <dir>', 'A directory of such files; may be repeated.').argParser(
      collect('directory'),
    ),
  )
  command.addOption(new Option('-p <number>', 'The same as --port.'))
  command.addOption(new Option('-b <address>', 'The same as --host.'))
  command.argument('[arguments...]', 'After two dashes: arguments of oslo.config, such as --config-file.')
  addConfigFlags(command, keyNames)
  command.action(async (words: readonly string[]) => {
    const { p, b } = command.opts<{ p?: string; b?: string }>()
    if (p !== undefined && command.getOptionValue('port') === undefined) command.setOptionValue('port', p)
    if (b !== undefined && command.getOptionValue('host') === undefined) command.setOptionValue('host', b)
    const named = [...sources, ...parseOsloArguments(words).named]
    const loaded = await configOf(command, keyNames, around, { named, program: PROGRAM, places: around })
    end('exitCode' in loaded ? loaded.exitCode : await serveLoaded(loaded, around))
  })
}

const NOTES = `Where the file is looked for, and what each option becomes: docs/reference/placement-conf.md. Flags and variables of
Berth win over it. It listens on 127.0.0.1 unless --host names another address.`
