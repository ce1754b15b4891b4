import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { type KeyName, keyNames } from '../../../config/keys.ts'
import type { NamedSource } from '../../../config/oslo/search.ts'
import { problemText } from '../../../config/resolve.ts'
import { readUwsgi, type UwsgiReading } from '../../../config/uwsgi.ts'
import { addConfigFlags, attributeOf, configOf } from '../../args/config-flags.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { describeCommand } from '../describe-command.ts'
import { SERVE_EXITS, serveLoaded } from '../server/serve.ts'
import { parseOsloArguments } from './oslo-arguments.ts'

const PROGRAM = 'placement-api'

export function describe(
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
      'placement-api --uwsgi-ini /etc/placement/placement-api-uwsgi.ini',
    ],
    exits: SERVE_EXITS,
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
  command.addOption(
    new Option(
      '--uwsgi-ini <file>',
      'The file by which uWSGI serves Placement: Berth uses its address, port, certificate and variables.',
    ),
  )
  command.addOption(new Option('-p <number>', 'The same as --port.'))
  command.addOption(new Option('-b <address>', 'The same as --host.'))
  command.argument('[arguments...]', 'After two dashes: arguments of oslo.config, such as --config-file.')
  addConfigFlags(command, keyNames)
  command.action(async (words: readonly string[]) => {
    const { p, b, uwsgiIni } = command.opts<{ p?: string; b?: string; uwsgiIni?: string }>()
    const uwsgi = uwsgiIni === undefined ? NO_UWSGI : await uwsgiOf(uwsgiIni)
    if (!uwsgi.ok) {
      around.stderr.write(`berth: configuration: ${problemText(uwsgi.problem)}\n`)
      return end(exitCodes.configuration)
    }
    addFlags(command, { ...(p === undefined ? {} : { port: p }), ...(b === undefined ? {} : { host: b }) })
    addFlags(command, uwsgi.settings.flags)
    const named = [...sources, ...parseOsloArguments(words).named]
    const env = { ...around.env, ...uwsgi.settings.env }
    const loaded = await configOf(
      command,
      keyNames,
      { ...around, env },
      { named, program: PROGRAM, places: around },
    )
    end('exitCode' in loaded ? loaded.exitCode : await serveLoaded(loaded, around))
  })
}

const NO_UWSGI: UwsgiReading = { ok: true, settings: { flags: {}, env: {} } }

async function uwsgiOf(path: string): Promise<UwsgiReading> {
  try {
    return readUwsgi(path, await readFile(path, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const origin = { from: 'flag', name: '--uwsgi-ini' } as const
    const wrong = `cannot be read (${code})`
    return {
      ok: false,
      problem: { key: 'uwsgi-ini', value: path, origin, wrong, remedy: 'name another file' },
    }
  }
}

/** Values from flags take precedence. */
function addFlags(command: Command, flags: Readonly<Partial<Record<KeyName, string>>>): void {
  for (const name of keyNames) {
    const attribute = attributeOf(name)
    if (flags[name] !== undefined && command.getOptionValue(attribute) === undefined)
      command.setOptionValue(attribute, flags[name])
  }
}

const NOTES = `Where the file is looked for, and what each option becomes: docs/reference/placement-conf.md. Flags and variables of
Berth win over it. It listens on 127.0.0.1 unless --host or the file of uWSGI names another address.`
