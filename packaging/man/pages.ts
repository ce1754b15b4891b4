/** The manual pages, from the same descriptions as the help of each command. */
import type { Command, Option } from 'commander'
import { textsOf } from '../../src/cli/commands/describe-command.ts'
import { exitMeanings } from '../../src/cli/connection/exit-codes.ts'
import { FakeEnvironment } from '../../src/cli/process-environment.fixture.ts'
import { buildProgram, loadCommands } from '../../src/cli/program.ts'
import { defaultText } from '../../src/config/default-text.ts'
import { type KeyName, keyNames, keyOf, variableOf } from '../../src/config/keys.ts'

/** Commands that are programs of their own, too. */
export const placementPrograms = ['placement-api', 'placement-manage', 'placement-status'] as const

/** Pages by file name. */
export async function manualPages(version: string): Promise<ReadonlyMap<string, string>> {
  const program = buildProgram(new FakeEnvironment(), await loadCommands(), () => undefined)
  const pages = new Map([
    ['berth.1', overviewPage(program, version)],
    ['berth.json.5', configurationPage(version)],
  ])
  for (const command of program.commands) {
    const isProgram = placementPrograms.some(name => name === command.name())
    const name = isProgram ? command.name() : `berth-${command.name()}`
    pages.set(`${name}.1`, commandPage(command, name, version))
  }
  return pages
}

function overviewPage(program: Command, version: string): string {
  const groups = Map.groupBy(program.commands, command => command.helpGroup())
  return [
    title('berth', 1, version, 'placement and scheduling for clouds'),
    section('SYNOPSIS', '.B berth\n.I command\n[\\fIoptions\\fR] [\\fIarguments\\fR]'),
    section('DESCRIPTION', paragraph(program.description()), paragraph(DESCRIPTION)),
    section(
      'COMMANDS',
      ...[...groups].map(
        ([group, commands]) =>
          `.SS ${escapeText(group.replace(/:$/, ''))}\n${commands.map(one => tagged(referenceTo(one), one.summary())).join('\n')}`,
      ),
    ),
    section(
      'EXIT STATUS',
      ...Object.entries(exitMeanings).map(([code, meaning]) => tagged(code, `${meaning}.`)),
    ),
    section('FILES', ...FILES.map(([path, text]) => tagged(`\\fI${escapeText(path)}\\fR`, text))),
    section(
      'ENVIRONMENT',
      tagged('BERTH_CONFIG', 'The configuration file, as --config.'),
      tagged('BERTH_URL, BERTH_TOKEN', 'The server that commands talk to, and the token they send.'),
      paragraph('Every key of the configuration is a variable, too: see berth.json(5).'),
    ),
    section('SEE ALSO', '.BR berth\\-serve (1),\n.BR berth.json (5)'),
  ].join('\n')
}

const DESCRIPTION =
  'berth serve runs a server. Other commands talk to a server over HTTP; without --url it is the one of this machine, as its ' +
  'configuration says. Options may stand before the command or behind it. "berth help COMMAND" prints what the page of ' +
  'the command says.'

const FILES = [
  ['/etc/berth/berth.json', 'The configuration of the service, where a package installed it.'],
  ['/etc/berth/berth.env', 'Variables of the service. They win over the file above.'],
  [
    '/var/lib/berth',
    'The data directory of the service: the database, and the admin token in the file admin-token.',
  ],
  ['~/.config/berth/client.json', 'Servers that commands can name by --server.'],
] as const

const referenceTo = (command: Command): string => {
  const name = placementPrograms.some(one => one === command.name())
    ? command.name()
    : `berth-${command.name()}`
  return `\\fB${escapeText(name)}\\fR(1)`
}

function commandPage(command: Command, name: string, version: string): string {
  const leaves = command.commands.length === 0 ? [command] : command.commands
  const exits = [...new Set(leaves.flatMap(leaf => textsOf(leaf)?.exits ?? []))].sort((a, b) => a - b)
  const one = leaves.length === 1 && leaves[0] === command
  return [
    title(name, 1, version, command.summary()),
    section('SYNOPSIS', ...leaves.map(synopsis)),
    section('DESCRIPTION', paragraph(command.description())),
    ...(one ? bodyOf(command) : [section('COMMANDS', ...leaves.map(subcommand))]),
    section('EXIT STATUS', ...exits.map(code => tagged(String(code), `${exitMeanings[code]}.`))),
    section('SEE ALSO', '.BR berth (1)'),
  ].join('\n')
}

const synopsis = (command: Command): string =>
  `.PP\n\\fB${escapeText(wordsOf(command).join(' '))}\\fR ${escapeText(command.usage())}`

function subcommand(command: Command): string {
  return [
    `.SS ${escapeText(wordsOf(command).join(' '))}`,
    paragraph(command.description()),
    ...listsOf(command),
    ...textsAfter(command).map(([head, text]) => `.PP\n${escapeText(head)}:\n${verbatim(text)}`),
  ].join('\n')
}

function bodyOf(command: Command): string[] {
  const lists = listsOf(command)
  return [
    ...(lists.length === 0 ? [] : [section('OPTIONS', ...lists)]),
    ...textsAfter(command).map(([head, text]) => section(head.toUpperCase(), verbatim(text))),
  ]
}

function listsOf(command: Command): string[] {
  const help = command.createHelp()
  return [
    ...command.registeredArguments.map(argument =>
      tagged(`\\fI${escapeText(argument.name())}\\fR`, help.argumentDescription(argument)),
    ),
    ...help.visibleOptions(command).map(option => tagged(flagsOf(option), help.optionDescription(option))),
  ]
}

function textsAfter(command: Command): [string, string][] {
  const about = textsOf(command)
  if (about === undefined) return []
  return [
    ...(about.notes === undefined ? [] : [['Notes', about.notes] as [string, string]]),
    ...(about.json === undefined ? [] : [['Output with --json', about.json] as [string, string]]),
    ['Examples', about.examples.join('\n')],
  ]
}

const flagsOf = (option: Option): string => `\\fB${escapeText(option.flags)}\\fR`

function configurationPage(version: string): string {
  return [
    title('berth.json', 5, version, 'configuration of Berth'),
    section(
      'DESCRIPTION',
      paragraph(
        'A JSON object of keys and values. Flags of the command line win over environment variables, variables over the file, ' +
          'the file over the defaults. "berth config" prints every key with its value and where that came from.',
      ),
    ),
    section('EXAMPLE', verbatim('{\n  "data_dir": "/var/lib/berth",\n  "log_format": "json"\n}')),
    section('KEYS', ...keyNames.map(keyEntry)),
    section('SEE ALSO', '.BR berth (1),\n.BR berth\\-config (1)'),
  ].join('\n')
}

const keyEntry = (name: KeyName): string =>
  tagged(
    `\\fB${escapeText(name)}\\fR, \\fB${escapeText(variableOf(name))}\\fR`,
    `${keyOf(name).description} Default: ${defaultText(name)}.`.replaceAll('`', ''),
  )

const title = (name: string, part: number, version: string, summary: string): string =>
  `.TH "${escapeText(name.toUpperCase())}" ${part} "" "berth ${escapeText(version)}" "Berth"\n.nh\n.ad l\n.SH NAME\n${escapeText(name)} \\- ${escapeText(summary)}`

const section = (name: string, ...parts: readonly string[]): string =>
  `.SH ${escapeText(name)}\n${parts.join('\n')}`

const paragraph = (text: string): string => `.PP\n${escapeText(text)}`

const tagged = (tag: string, text: string): string => `.TP\n${tag}\n${escapeText(text)}`

const verbatim = (text: string): string => `.PP\n.nf\n.RS 2\n${escapeText(text)}\n.RE\n.fi`

/** Roff reads backslashes, and dots and quotes at the beginning of a line. */
function escapeText(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', "'")
    .replaceAll('“', '"')
    .replaceAll('”', '"')
    .replaceAll('…', '...')
    .replace(/^(?=[.'])/gm, '\\&')
    .replace(
      /[^\n -~]/gu,
      char => `\\[u${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
}

const wordsOf = (command: Command): string[] => {
  if (placementPrograms.some(name => name === command.name())) return [command.name()]
  return command.parent === null ? [command.name()] : [...wordsOf(command.parent), command.name()]
}
