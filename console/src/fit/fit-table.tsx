import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Fit, FlavorFit } from '../../../src/wire/fit.ts'
import { readFit } from '../api/scheduling.ts'
import { berthCommands } from '../berth-commands.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Empty, FailureNote, Loading, Panel } from '../controls/page.tsx'
import { amount, ofClass } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import styles from './fit-table.module.css'

/** Fewer than this are shown as few. */
const FEW = 10

/** Every flavor and how many more of it fit, by zone. Each number leads to the question about it. */
export function FitTable({ page }: { readonly page: '/why' | '/what-if' }) {
  const { may } = useSession()
  const query = useQuery({ queryKey: ['fit'], queryFn: readFit, enabled: may('berth:simulate') })
  const columns = useMemo(() => columnsOf(query.data?.zones ?? [], page), [query.data?.zones, page])
  if (!may('berth:simulate'))
    return (
      <Panel>
        <Empty title="Which flavor?">Choose one above. The address of this page is the question.</Empty>
      </Panel>
    )
  return (
    <Panel
      title="What fits"
      aside={<span className="soft">How many more servers of each flavor, by zone</span>}
      flush
    >
      {query.error !== null && <FailureNote error={query.error} />}
      {query.data === undefined ? (
        query.error === null && <Loading what="what fits" />
      ) : query.data.flavors.length === 0 ? (
        <Empty title="No flavor yet">Create one, and see here how many servers of it fit.</Empty>
      ) : (
        <>
          <DataTable
            label="What fits"
            rows={query.data.flavors}
            columns={columns}
            keyOf={({ id }) => id}
            sortedBy="fits"
            height="calc(100dvh - 20rem)"
          />
          {query.data.truncated && (
            <p className={styles.rest}>
              The first {amount(query.data.flavors.length)} flavors by name.{' '}
              <code>{berthCommands.fit()}</code> shows all.
            </p>
          )}
        </>
      )}
    </Panel>
  )
}

function columnsOf(zones: Fit['zones'], page: string): readonly Column<FlavorFit>[] {
  const linkTo = ({ name }: FlavorFit, zone: string | null) =>
    `${page}?${new URLSearchParams({ flavor: name, ...(zone === null ? {} : { zone }) })}`
  return [
    {
      id: 'flavor',
      title: 'Flavor',
      width: 'minmax(8rem, 1.4fr)',
      by: ({ name }) => name,
      cell: one => <Link href={linkTo(one, null)}>{one.name}</Link>,
    },
    {
      id: 'fits',
      title: 'In all',
      width: '6.5rem',
      right: true,
      by: ({ fits }) => fits,
      cell: one => <Count count={one} to={linkTo(one, null)} label={`${one.name} in all`} />,
    },
    ...zones.map(
      ({ zone, hosts }, at): Column<FlavorFit> => ({
        id: `zone-${zone}`,
        title: zone,
        width: '6.5rem',
        right: true,
        by: one => one.zones[at]?.fits ?? 0,
        cell: one => (
          <Count
            count={one.zones[at] ?? { fits: 0, hosts: 0, exact: true }}
            to={linkTo(one, zone)}
            label={`${one.name} in ${zone}`}
            of={hosts}
          />
        ),
      }),
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
      width: 'minmax(10rem, 1fr)',
      by: ({ ram }) => ram,
      cell: one => (
        <span className="soft">
          {one.vcpus} VCPU, {ofClass('MEMORY_MB', one.ram)}
        </span>
      ),
    },
  ]
}

function Count({
  count: { fits, hosts, exact },
  to,
  label,
  of,
}: {
  readonly count: { readonly fits: number; readonly hosts: number; readonly exact: boolean }
  readonly to: string
  readonly label: string
  readonly of?: number
}) {
  const text = `${exact || fits === 0 ? '' : '~'}${amount(fits)}`
  const hostsText =
    of === undefined ? `on ${amount(hosts)} hosts` : `on ${amount(hosts)} of ${amount(of)} hosts`
  return (
    <Link
      href={to}
      className={styles.count}
      data-level={fits === 0 ? 'none' : fits < FEW ? 'few' : 'many'}
      title={hostsText}
      aria-label={`${label}: ${text}`}
    >
      {text}
    </Link>
  )
}
