import { useMemo } from 'react'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { domainOf } from '../controls/host-name.ts'
import { Chip, Panel } from '../controls/page.tsx'
import { RowLink } from '../controls/row-link.tsx'
import { ShortHost } from '../controls/short-host.tsx'
import { UsageBar } from '../controls/usage-bar.tsx'
import { amount, className, ofClass, percent, plural, ratio, ratioOf } from '../formats.ts'
import { toneOf } from './hover-card.tsx'
import { type Group, markWords, type Tile } from './tiles.ts'

interface Row extends Tile {
  readonly group: string
}

/** Rows of unchanged tiles are the same objects as before. */
const rowsByTile = new WeakMap<Tile, Row>()

function rowOf(tile: Tile, group: string): Row {
  const known = rowsByTile.get(tile)
  if (known?.group === group) return known
  const row = { ...tile, group }
  rowsByTile.set(tile, row)
  return row
}

/** The same hosts as a table. */
export default function HostTable({
  groups,
  name,
}: {
  readonly groups: readonly Group[]
  readonly name: string
}) {
  const rows = useMemo(
    () => groups.flatMap(group => group.tiles.map(tile => rowOf(tile, group.name))),
    [groups],
  )
  const domain = useMemo(() => domainOf(rows.map(row => row.name)), [rows])
  const columns = useMemo(() => columnsOf(name, domain), [name, domain])
  return (
    <Panel title={`${className(name)} by host`} aside={plural(rows.length, 'row')} flush>
      <DataTable
        label="Hosts"
        rows={rows}
        columns={columns}
        keyOf={row => `${row.group}/${row.uuid}`}
        height="60dvh"
      />
    </Panel>
  )
}

function columnsOf(name: string, domain: string): readonly Column<Row>[] {
  const figure = (id: string, title: string, of: (row: Row) => number): Column<Row> => ({
    id,
    title,
    width: 'minmax(5.5rem, 1fr)',
    right: true,
    by: of,
    cell: row => (row.figures === null ? '–' : <span title={amount(of(row))}>{ofClass(name, of(row))}</span>),
  })
  return [
    {
      id: 'name',
      title: 'Host',
      width: 'minmax(9rem, 2fr)',
      by: row => row.name,
      cell: row => (
        <RowLink href={`/providers/${row.uuid}`}>
          <ShortHost name={row.name} domain={domain} />
        </RowLink>
      ),
    },
    { id: 'group', title: 'Group', width: 'minmax(6rem, 1fr)', by: row => row.group, cell: row => row.group },
    {
      id: 'share',
      title: 'In use',
      width: 'minmax(9rem, 1.6fr)',
      by: row => row.share,
      cell: row => (row.figures === null ? 'has none' : <UsageBar name={name} figures={row.figures} />),
    },
    {
      id: 'percent',
      title: '%',
      width: '4.5rem',
      right: true,
      by: row => row.share,
      cell: row => (row.figures === null ? '–' : percent(row.share)),
    },
    figure('used', 'Used', row => row.figures?.used ?? 0),
    figure('capacity', 'Capacity', row => row.figures?.capacity ?? 0),
    figure('reserved', 'Reserved', row => row.figures?.reserved ?? 0),
    {
      id: 'ratio',
      title: 'Ratio',
      width: '4.5rem',
      right: true,
      by: row => (row.figures === null ? 0 : ratioOf(row.figures)),
      cell: row => (row.figures === null ? '–' : ratio(row.figures)),
    },
    figure('free', 'Free', row => (row.figures?.capacity ?? 0) - (row.figures?.used ?? 0)),
    {
      id: 'mark',
      title: 'Mark',
      width: 'minmax(7rem, 1fr)',
      by: row => row.mark,
      cell: row => <Chip tone={toneOf(row.mark)}>{markWords[row.mark]}</Chip>,
    },
  ]
}
