import { defaultText } from '../src/config/default-text.ts'
import { DEFAULT_PATH, FILE_FLAG, FILE_VARIABLE } from '../src/config/file.ts'
import { flagOf, groups, type KeyName, keyNames, keyOf, variablesOf } from '../src/config/keys.ts'

/** The page docs/reference/configuration.md. */
export function configurationReference(): string {
  return `${[head(), contents(), overview(), ...groups.map(section)].join('\n\n')}\n`
}

function head(): string {
  return `<!-- Generated from src/config/keys.ts by scripts/docs.ts; change it there. -->

# Configuration

Set a key by a flag, by an environment variable, or in a file. Flags win over the environment, the environment over the file,
the file over the defaults. An empty environment variable counts as not set.

The file is JSON: an object of keys and values, such as \`{"port": 9000, "log_format": "json"}\`. It is
\`${DEFAULT_PATH}\` in the working directory if there is one, or the file that \`${FILE_FLAG}\` or \`${FILE_VARIABLE}\` names.
A file of OpenStack's Placement is read, too: see [placement.conf](placement-conf.md).
An unknown key or a value that is not allowed stops the program, which then reports all problems at once.

\`berth config\` prints every key with its value and where that came from.`
}

function contents(): string {
  const links = groups.map(group => `[${group}](#${group.toLowerCase().replaceAll(' ', '-')})`)
  return `Sections: ${links.join(', ')}.`
}

function overview(): string {
  const rows = keyNames.map(
    name =>
      `| [\`${name}\`](#${name}) | ${keyOf(name).kind.type} | ${brief(name, defaultText(name))} | ${brief(name, keyOf(name).kind.allowed)} |`,
  )
  return ['| key | type | default | allowed |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

const BRIEF_MAX = 100

/** Long texts are in the entry only. */
const brief = (name: KeyName, text: string): string =>
  text.length <= BRIEF_MAX ? text : `[see there](#${name})`

function section(group: string): string {
  const names = keyNames.filter(name => keyOf(name).group === group)
  return [`## ${group}`, ...names.map(entry)].join('\n\n')
}

function entry(name: KeyName): string {
  return `### ${name}

\`${flagOf(name)}\`, ${variablesOf(name)
    .map(one => `\`${one}\``)
    .join(', ')}. Default: ${defaultText(name)}. Allowed: ${keyOf(name).kind.allowed}.

${keyOf(name).description}`
}
