import { defaultText } from '../src/config/default-text.ts'
import { FILE_FLAG, FILE_VARIABLE } from '../src/config/file.ts'
import type { OsloOption } from '../src/config/oslo/option.ts'
import { type OptionGroup, optionGroups } from '../src/config/oslo/options.ts'

/** The page docs/reference/placement-conf.md. */
export function placementConfReference(): string {
  return `${[HEAD, ...optionGroups.map(section)].join('\n\n')}\n`
}

const HEAD = `<!-- Generated from src/config/oslo by scripts/docs.ts; change it there. -->

# placement.conf

Berth reads the file of OpenStack's Placement as it is. \`berth config --from placement.conf\` prints the result.

| started as | the file is |
| --- | --- |
| \`berth serve\` and the other commands of \`berth\` | the one that \`${FILE_FLAG}\` or \`${FILE_VARIABLE}\` names, if it ends in \`.conf\` or \`.ini\` or begins with a section. No other is looked for |
| \`placement-api\`, \`placement-manage\`, \`placement-status\` | the ones that \`--config-file\` and \`--config-dir\` name; else \`placement.conf\` in \`OS_PLACEMENT_CONFIG_DIR\`; else \`berth.json\` in the working directory; else the first \`placement.conf\` in \`~/.placement\`, \`~\`, \`/etc/placement\`, \`/etc\`, over \`/usr/share/placement/placement-dist.conf\` |

The programs of Placement also read a file and a directory named after the program, such as \`/etc/placement/placement-api.conf\`, and the
files \`*.conf\` in \`placement.conf.d\` at the same places, as oslo.config does. A later file wins over an earlier one. Variables such as
\`OS_PLACEMENT_DATABASE__CONNECTION\` win over files; flags and variables of Berth win over all of them.

Values may refer to others by \`$name\`, \`\${name}\` or \`\${group.name}\`; \`$$\` is a dollar sign. A file has at most 1 MiB.

A file of Placement implies \`only\` = \`placement\` and, without \`[api] auth_strategy\`, \`auth\` = \`keystone\`. Placement has no options for
address and port: use \`--host\` and \`--port\`, or \`BERTH_HOST\` and \`BERTH_PORT\`.

An option that Placement does not know is a warning in the log at the start. Options that are set but have no effect here are
named in one line. A value that cannot be used stops the program, with the file, the line, the option and the value.`

function section({ group, options, others }: OptionGroup): string {
  const rows = options.map(
    option => `| ${nameCell(group, option)} | ${option.type} | ${becomesCell(option)} | ${option.says} |`,
  )
  const table = ['| option | type | becomes | |', '| --- | --- | --- | --- |', ...rows].join('\n')
  const parts = [`## [${group}]`, ...(rows.length === 0 ? [] : [table])]
  if (others !== undefined) parts.push(`No option has an effect here. ${others}`)
  return parts.join('\n\n')
}

function nameCell(group: string, { name, otherNames = [] }: OsloOption): string {
  const others = otherNames.map(other =>
    typeof other === 'string' ? `\`${other}\`` : `\`[${other[0]}] ${other[1]}\``,
  )
  // Hyphens and underscores are the same in the names of options.
  const distinct = [...new Set(others.map(text => text.replaceAll('-', '_')))].filter(
    text => text !== `\`[${group}] ${name}\``,
  )
  return distinct.length === 0 ? `\`${name}\`` : `\`${name}\`, also ${distinct.join(', ')}`
}

const becomesCell = ({ becomes, apply }: OsloOption): string =>
  becomes.length === 0
    ? apply === undefined
      ? 'no meaning'
      : ''
    : becomes.map(key => `[\`${key}\`](configuration.md#${key}) (default: ${defaultText(key)})`).join(', ')
