/** The generated parts of docs/architecture.md, from what test/repo-rules.ts checks. */
import { otherFolders, type Room, rooms, suffixes } from '../test/rooms.ts'
import { table } from './markdown-table.ts'

export const architectureTables = (): Record<string, string> => ({
  folders: treeOf(otherFolders),
  rooms: treeOf(rooms),
  imports: importTable(),
  suffixes: table(
    ['suffix', 'holds'],
    [...suffixes].map(([suffix, holds]) => [`\`.${suffix}.ts\``, holds]),
  ),
})

/** One line for each room, indented by its depth, with the purposes in one column. */
function treeOf(list: readonly Room[]): string {
  const lines = list.map(({ path, purpose }) => {
    const parts = path.replace(/^src\//, '').split('/')
    const name = path.endsWith('.ts') ? (parts.at(-1) as string) : `${parts.at(-1)}/`
    return [`${'  '.repeat(parts.length - 1)}${name}`, purpose] as const
  })
  const width = Math.max(...lines.map(([name]) => name.length)) + 2
  return [
    '```',
    ...lines.map(([name, purpose]) => name.padEnd(width) + purpose.replaceAll('`', '')),
    '```',
  ].join('\n')
}

function importTable(): string {
  return table(
    ['room', 'may import, besides itself'],
    rooms.flatMap(({ path, mayImport }) =>
      mayImport === undefined
        ? []
        : [
            [
              `\`${path}\``,
              mayImport
                .filter(room => room !== path.slice('src/'.length))
                .map(nameOf)
                .join(', ') || 'nothing',
            ],
          ],
    ),
  )
}

function nameOf(room: string): string {
  if (room === 'node:') return 'Node'
  if (room === 'package') return 'npm packages'
  return `\`${room}\``
}
