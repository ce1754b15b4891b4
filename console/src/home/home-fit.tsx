import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { ProjectFit } from '../../../src/wire/projects.ts'
import { readProjectFit } from '../api/projects.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Empty, Panel, Waiting } from '../controls/page.tsx'
import fit from '../fit/fit-table.module.css'
import { amount, ofClass } from '../formats.ts'

/** Fewer than this are shown as few. */
const FEW = 10

type Flavor = ProjectFit['flavors'][number]

export function HomeFit({ project }: { readonly project: string }) {
  const query = useQuery({ queryKey: ['projects', project, 'fit'], queryFn: () => readProjectFit(project) })
  const zones = query.data?.zones
  const columns = useMemo(() => columnsOf(zones ?? []), [zones])
  return (
    <Panel
      title="What fits now"
      aside={<span className="soft">How many more servers of each flavor, by zone</span>}
      flush
    >
      {query.data === undefined ? (
        <Waiting query={query} what="what fits" />
      ) : query.data.flavors.length === 0 ? (
        <Empty title="No flavor yet">There is no flavor that this project may use.</Empty>
      ) : (
        <DataTable
          label="What fits now"
          rows={query.data.flavors}
          columns={columns}
          keyOf={({ id }) => id}
          sortedBy="flavor"
          sortName="fit"
          height="24rem"
          cut={query.data.truncated ? `the first ${amount(query.data.flavors.length)} flavors by name` : null}
        />
      )}
    </Panel>
  )
}

function columnsOf(zones: readonly string[]): readonly Column<Flavor>[] {
  const count = (
    id: string,
    title: string,
    find: (flavor: Flavor) => Flavor['zones'][number],
  ): Column<Flavor> => ({
    id,
    title,
    width: '6.5rem',
    right: true,
    by: flavor => find(flavor).fits + Number(find(flavor).more),
    cell: flavor => <Count count={find(flavor)} />,
  })
  return [
    {
      id: 'flavor',
      title: 'Flavor',
      width: 'minmax(8rem, 1.4fr)',
      by: ({ name }) => name,
      cell: ({ id, name }) => <Link href={`/flavors/${encodeURIComponent(id)}`}>{name}</Link>,
    },
    count('fits', 'In all', flavor => flavor),
    ...zones.map((zone, at) =>
      count(`zone-${zone}`, zone, flavor => flavor.zones[at] ?? { fits: 0, more: false, exact: true }),
    ),
    {
      id: 'reason',
      title: 'Why none',
      width: 'minmax(10rem, 1.4fr)',
      by: ({ reason }) => reason ?? '',
      cell: ({ reason }) => <span className="soft">{reason ?? ''}</span>,
    },
    {
      id: 'size',
      title: 'Size',
      width: 'minmax(9rem, 1fr)',
      by: ({ ram }) => ram,
      cell: ({ vcpus, ram }) => `${vcpus} VCPU, ${ofClass('MEMORY_MB', ram)}`,
    },
  ]
}

function Count({ count: { fits, more, exact } }: { readonly count: Flavor['zones'][number] }) {
  const text = more ? `${amount(fits)}+` : `${exact || fits === 0 ? '' : '~'}${amount(fits)}`
  return (
    <span className={fit.count} data-level={fits === 0 ? 'none' : fits < FEW ? 'few' : 'many'}>
      {text}
    </span>
  )
}
