import type { Command, Option } from 'commander'
import { textsOf } from '../src/cli/commands/describe-command.ts'
import { exitMeanings } from '../src/cli/connection/exit-codes.ts'
import { CONNECTION_GROUP } from '../src/cli/connection/session.ts'
import { FakeEnvironment } from '../src/cli/process-environment.fixture.ts'
import { buildProgram, loadCommands } from '../src/cli/program.ts'
import { FILE_FLAG } from '../src/config/file.ts'
import { flagOf, keyNames } from '../src/config/keys.ts'

// Here, so that the page can be made without waiting.
const everything = await loadCommands()

/** The page docs/reference/command-line.md. */
export function commandLineReference(): string {
  const program = buildProgram(new FakeEnvironment(), everything, () => undefined)
  return `${[HEAD, exitCodeTable(), commandTable(program), ...program.commands.flatMap(one => sections(one, 2))].join('\n\n')}\n`
}

const HEAD = `<!-- Generated from src/cli by scripts/docs.ts; change it there. -->

# The command line

\`berth serve\` runs a server. \`config\`, \`verify\`, \`restore\` and \`copy\` work on this machine. All other commands talk to a
server over HTTP: to Berth, or, those that need no more than the Placement API, to any server that speaks Placement
1.39 or newer. Providers can be named by uuid or by name everywhere.

\`berth help COMMAND\` and \`berth COMMAND --help\` print what is here about a command. Options may stand before the command
or behind it. Amounts of resources can be written \`VCPU=8\` or \`VCPU:8\` everywhere.

## The server to talk to

The address is the first of these that is given:

1. \`--url URL\`, such as \`http://127.0.0.1:8778\`
2. \`--server NAME\`, a server in the client configuration
3. the environment variable \`BERTH_URL\`
4. the server that the client configuration names as its \`default\`
5. the server of this machine, as \`berth config\` shows its \`host\` and \`port\`: \`http://127.0.0.1:8778\` unless configured

The token is the first of these:

1. \`--token TOKEN\`, which others on the machine can see in the list of processes, or \`--token-file FILE\`
2. the token of the server that \`--server\` names
3. the environment variable \`BERTH_TOKEN\`
4. the token of the client configuration's \`default\`, if the address is from there
5. \`admin-token\` in the \`data_dir\` of this machine's server (\`./berth-data\` unless configured), if it can be read and the
   address is that server's; it is sent to no other address

The client configuration is the file that \`BERTH_CLIENT_CONFIG\` names, or \`~/.config/berth/client.json\` (below
\`XDG_CONFIG_HOME\`, if that is set). A relative \`token_file\` starts at its directory:

\`\`\`json
{
  "default": "lab",
  "servers": {
    "lab": { "url": "http://lab.example.org:8778", "token_file": "lab.token" },
    "production": { "url": "https://berth.example.org", "token": "..." }
  }
}
\`\`\`

Placement is looked for at \`/placement/\` below the address, then at \`/\`. Certificates of an authority of your own are
trusted if \`NODE_EXTRA_CA_CERTS\` names the file they are in.

## What is printed

Tables and trees are for people: they are cut to fit a terminal, whole elsewhere, and without colour where the output
is no terminal or \`NO_COLOR\` is set. Their form may change. \`--json\`, or \`-o json\`, is for programs: its shapes are given below for
each command, and keys are only ever added. Standard output has the data; progress, notes and errors are on standard
error, an error in one line that starts with \`berth:\`.`

function exitCodeTable(): string {
  const rows = Object.entries(exitMeanings).map(([code, meaning]) => `| ${code} | ${meaning} |`)
  return ['## Exit codes', '', '| code | meaning |', '| --- | --- |', ...rows].join('\n')
}

function commandTable(program: Command): string {
  const rows = program.commands.flatMap(command => {
    const leaves = command.commands.length === 0 ? [command] : command.commands
    return leaves.map(leaf => {
      const path = pathOf(leaf)
      return `| [\`${path}\`](#${anchorOf(path)}) | ${leaf.summary()} |`
    })
  })
  return ['## Commands', '', '| command | |', '| --- | --- |', ...rows].join('\n')
}

/** Without the program's own name. */
function pathOf(command: Command): string {
  const above = command.parent
  return above === null || above.parent === null ? command.name() : `${pathOf(above)} ${command.name()}`
}

const anchorOf = (path: string): string => path.replaceAll(' ', '-')

function sections(command: Command, level: number): string[] {
  const title = `${'#'.repeat(level)} ${pathOf(command)}\n\n`
  if (command.commands.length > 0)
    return [`${title}${command.description()}`, ...command.commands.flatMap(one => sections(one, level + 1))]
  return [title + body(command)]
}

function body(command: Command): string {
  const about = textsOf(command)
  const parts = [
    command.description(),
    codeBlock('', `berth ${pathOf(command)} ${command.usage()}`),
    argumentTable(command),
    optionTable(command),
    about?.notes === undefined ? '' : codeBlock('', about.notes),
    about?.json === undefined ? '' : `With \`--json\`:\n\n${codeBlock('', about.json)}`,
    about === undefined ? '' : codeBlock('sh', about.examples.join('\n')),
    about === undefined ? '' : `Exit codes: ${about.exits.toSorted((a, b) => a - b).join(', ')}.`,
  ]
  return parts.filter(part => part !== '').join('\n\n')
}

const codeBlock = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

const cell = (text: string): string => text.replaceAll('|', '\\|')

function argumentTable(command: Command): string {
  const rows = command.registeredArguments.map(argument => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`
    const choices = argument.argChoices === undefined ? '' : ` One of ${argument.argChoices.join(', ')}.`
    return `| \`${argument.required ? name : `[${name}]`}\` | ${cell(argument.description + choices)} |`
  })
  return rows.length === 0 ? '' : ['| argument | |', '| --- | --- |', ...rows].join('\n')
}

const CONFIG_FLAGS: ReadonlySet<string> = new Set([FILE_FLAG, ...keyNames.map(flagOf)])

function optionTable(command: Command): string {
  const isConfig = ({ long }: Option) => long !== undefined && CONFIG_FLAGS.has(long)
  const own = command.options.filter(
    option => !option.hidden && option.helpGroupHeading !== CONNECTION_GROUP && !isConfig(option),
  )
  const rows = own.map(({ flags, description }) => `| \`${cell(flags)}\` | ${cell(description)} |`)
  const parts = rows.length === 0 ? [] : [['| option | |', '| --- | --- |', ...rows].join('\n')]
  if (command.options.some(option => option.helpGroupHeading === CONNECTION_GROUP))
    parts.push(
      'And [where the server is](#the-server-to-talk-to): `--url`, `--server`, `--token`, `--token-file`.',
    )
  const config = command.options.filter(isConfig).map(({ long }) => `\`${long}\``)
  if (config.length > keyNames.length)
    parts.push(`And every key of the [configuration](configuration.md) as a flag.`)
  else if (config.length > 0)
    parts.push(`And of the [configuration](configuration.md): ${config.join(', ')}.`)
  return parts.join('\n\n')
}
