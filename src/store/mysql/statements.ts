import { ownValue } from '../../kernel/records.ts'
import type { AnyRow, Column, Table } from '../../world/table.ts'
import { type PlainName, type PlainTable, plainTableByName } from '../tables/plain-tables.ts'
import { renderRow, renderValue } from './values.ts'

/** SQL from table descriptions: nothing here knows a table by name. */

export const quoteName = (name: string): string => `\`${name}\``
const list = (names: readonly string[]) => names.map(quoteName).join(', ')

/** An index has at most 3072 bytes, and a character up to four. */
const INDEX_CHARS_MAX = 760
/** The last text of an index; the texts before it share the rest. */
const LAST_TEXT_CHARS_MAX = 255

const isText = (table: Table, name: string) => (table.columns[name] as Column).type === 'text'

const findPlainTable = ({ name }: Table): PlainTable | null =>
  ownValue<PlainTable<PlainName>>(plainTableByName, name) ?? null

/** How many characters a text may have: null if it is in no index. */
function findCharsMax(table: Table, name: string): number | null {
  const index = [table.key, ...table.unique].find(columns => columns.includes(name))
  const texts = index?.filter(one => isText(table, one)) ?? []
  if (texts.length === 0) return findPlainTable(table)?.listedBy.includes(name) ? LAST_TEXT_CHARS_MAX : null
  if (texts.length === 1) return INDEX_CHARS_MAX
  if (texts.at(-1) === name) return LAST_TEXT_CHARS_MAX
  return Math.floor((INDEX_CHARS_MAX - LAST_TEXT_CHARS_MAX) / (texts.length - 1))
}

const SQL_TYPE: Record<Column['type'], string> = { integer: 'bigint', real: 'double', text: 'longtext' }

/** In lower case, as `information_schema` shows it. */
export function findType(table: Table, name: string): string {
  const charsMax = isText(table, name) ? findCharsMax(table, name) : null
  return charsMax === null ? SQL_TYPE[(table.columns[name] as Column).type] : `varchar(${charsMax})`
}

/** By code points and without padding: texts that differ by case, accents or trailing blanks differ. */
const COLLATIONS = { mariadb: 'utf8mb4_nopad_bin', mysql: 'utf8mb4_0900_bin' } as const
export type Flavor = keyof typeof COLLATIONS

export const findCollation = (flavor: Flavor): string => COLLATIONS[flavor]

/** How a text column is declared. */
export const renderTextType = (type: string, flavor: Flavor): string =>
  `${type} CHARACTER SET utf8mb4 COLLATE ${COLLATIONS[flavor]}`

/** Whatever the server's defaults are. */
export const renderTableOptions = (flavor: Flavor): string =>
  `ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE ${COLLATIONS[flavor]}`

export function createTable(table: Table, flavor: Flavor): string {
  const renderColumn = (name: string) => {
    const type = findType(table, name).toUpperCase()
    const declared = isText(table, name) ? renderTextType(type, flavor) : type
    return `${quoteName(name)} ${declared}${'nullable' in (table.columns[name] as Column) ? '' : ' NOT NULL'}`
  }
  const plain = findPlainTable(table)
  const parts = [
    ...table.columnNames.map(renderColumn),
    `PRIMARY KEY (${list(table.key)})`,
    ...table.unique.map(columns => `UNIQUE KEY (${list(columns)})`),
    ...(plain === null ? [] : [`KEY ${quoteName('by_age')} (${quoteName('at_ms')})`]),
    ...(plain?.listedBy ?? []).map(column => `KEY ${quoteName(`by_${column}`)} (${list([column, 'at_ms'])})`),
  ]
  return `CREATE TABLE IF NOT EXISTS ${quoteName(table.name)} (\n  ${parts.join(',\n  ')}\n) ${renderTableOptions(flavor)}`
}

/** Fails if this is not so, also if it is null: out of range for a signed 64-bit integer. */
export const requireThat = (condition: string) => `SELECT 9223372036854775807 + ((${condition}) IS NOT TRUE)`

/** Right after a write. The rows of an update all change, so it does not matter whether those that do not are counted. */
export const requireRowCount = (rows: number): string => requireThat(`ROW_COUNT() = ${rows}`)

/** Rows as a table `v` with columns `c0`, `c1`, …; read first, so that rows of `t` are found by key. */
function renderRowsTable(rows: readonly string[][]): string {
  const [first = [], ...others] = rows
  const named = `SELECT ${first.map((value, at) => `${value} AS c${at}`).join(', ')}`
  return `(${[named, ...others.map(row => `SELECT ${row.join(', ')}`)].join(' UNION ALL ')}) AS v`
}

const renderValues = (table: Table, columns: readonly string[], row: AnyRow): string[] =>
  columns.map(name => renderValue(table.columns[name] as Column, row[name] ?? null))

/** Every column is compared with the before-image, so that a row that differs from memory is not touched. */
function asBefore(table: Table, flavor: Flavor): string {
  return table.columnNames
    .map((name, at) => {
      const equals = 'nullable' in (table.columns[name] as Column) ? '<=>' : '='
      const collate = isText(table, name) ? ` COLLATE ${COLLATIONS[flavor]}` : ''
      return `t.${quoteName(name)} ${equals} v.c${at}${collate}`
    })
    .join(' AND ')
}

export function insertRows(table: Table, rows: readonly AnyRow[]): string {
  const values = rows.map(row => `(${renderRow(table, table.columnNames, row)})`)
  return `INSERT INTO ${quoteName(table.name)} (${list(table.columnNames)}) VALUES ${values.join(',')}`
}

export function deleteRows(table: Table, before: readonly AnyRow[], flavor: Flavor): string {
  const rows = renderRowsTable(before.map(row => renderValues(table, table.columnNames, row)))
  return `DELETE t FROM ${rows} STRAIGHT_JOIN ${quoteName(table.name)} AS t ON ${asBefore(table, flavor)}`
}

export function updateRows(
  table: Table,
  changed: readonly string[],
  pairs: readonly { readonly before: AnyRow; readonly after: AnyRow }[],
  flavor: Flavor,
): string {
  const rows = pairs.map(({ before, after }) => [
    ...renderValues(table, table.columnNames, before),
    ...renderValues(table, changed, after),
  ])
  const first = table.columnNames.length
  const sets = changed.map((name, at) => `t.${quoteName(name)} = v.c${first + at}`).join(', ')
  return `UPDATE ${renderRowsTable(rows)} STRAIGHT_JOIN ${quoteName(table.name)} AS t ON ${asBefore(table, flavor)} SET ${sets}`
}

/** Replaces rows with the same keys. */
export function putRows(table: Table, rows: readonly AnyRow[]): string {
  const others = table.columnNames.filter(name => !table.key.includes(name))
  const sets = others.map(name => `${quoteName(name)} = VALUES(${quoteName(name)})`).join(', ')
  return `${insertRows(table, rows)} ON DUPLICATE KEY UPDATE ${sets}`
}

function findKeys(table: Table, rows: readonly AnyRow[]): string {
  const conditions = rows.map(row => {
    const pairs = table.key.map(
      name => `${quoteName(name)} = ${renderValue(table.columns[name] as Column, row[name] ?? null)}`,
    )
    return `(${pairs.join(' AND ')})`
  })
  return conditions.join(' OR ')
}

/** Deletes rows with these keys that are older than a time. */
export function deleteOlder(table: Table, rows: readonly AnyRow[], beforeMs: number): string {
  return `DELETE FROM ${quoteName(table.name)} WHERE (${findKeys(table, rows)}) AND \`at_ms\` < ${beforeMs}`
}

/** Fails if there is a row with one of these keys. */
export function requireNone(table: Table, rows: readonly AnyRow[]): string {
  return `SELECT 9223372036854775807 + count(*) FROM ${quoteName(table.name)} WHERE ${findKeys(table, rows)}`
}

export function findRow(table: Table, key: AnyRow): string {
  return `SELECT ${list(table.columnNames)} FROM ${quoteName(table.name)} WHERE ${findKeys(table, [key])}`
}

/** Counts the rows that are stored exactly so. */
export function countSame(table: Table, rows: readonly AnyRow[], flavor: Flavor): string {
  const given = renderRowsTable(rows.map(row => renderValues(table, table.columnNames, row)))
  return `SELECT count(*) FROM ${given} STRAIGHT_JOIN ${quoteName(table.name)} AS t ON ${asBefore(table, flavor)}`
}

/** The oldest rows before a time, up to a limit. */
export function dropOld(table: Table, beforeMs: number, rows: number): string {
  return `DELETE FROM ${quoteName(table.name)} WHERE \`at_ms\` < ${beforeMs} ORDER BY \`at_ms\` LIMIT ${rows}`
}

/** A page ends when its texts have this many bytes. */
const PAGE_BYTES_MAX = 8_000_000

/** The rows after a key in its order. With rows of any length, a page also ends by size; it has at least one row. */
export function selectPage(table: Table, after: AnyRow | null, byLength: boolean, rowsMax: number): string {
  const columns = list(table.columnNames)
  const key = list(table.key)
  const from = after === null ? '' : ` WHERE ${comesAfter(table, after)}`
  const page = (more: string) =>
    `SELECT ${columns}${more} FROM ${quoteName(table.name)}${from} ORDER BY ${key} LIMIT ${rowsMax}`
  if (!byLength) return page('')
  const texts = table.columnNames.filter(name => isText(table, name))
  const bytes = texts.map(name => `coalesce(length(${quoteName(name)}), 0)`).join(' + ')
  const summed = `SELECT *, sum(row_bytes) OVER (ORDER BY ${key}) - row_bytes AS bytes_before FROM (${page(`, ${bytes} AS row_bytes`)}) AS page`
  return `SELECT ${columns} FROM (${summed}) AS measured WHERE bytes_before < ${PAGE_BYTES_MAX} ORDER BY ${key}`
}

/** Spelled out: `(a, b) > (1, 2)` does not use the index. */
function comesAfter(table: Table, after: AnyRow): string {
  const literal = (name: string) => renderValue(table.columns[name] as Column, after[name] ?? null)
  return table.key
    .map((name, at) => {
      const same = table.key.slice(0, at).map(one => `${quoteName(one)} = ${literal(one)}`)
      return `(${[...same, `${quoteName(name)} > ${literal(name)}`].join(' AND ')})`
    })
    .join(' OR ')
}
