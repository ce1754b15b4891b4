import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { DriftFinding } from '../../../src/wire/catalog-check.ts'
import { readDrift } from '../api/catalog.ts'
import { readAggregates } from '../api/compute.ts'
import { readTypes } from '../api/shares.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { useFlavors } from '../flavors/flavors.tsx'
import { plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { CatalogTabs } from './catalog-tabs.tsx'

export default function CatalogDrift() {
  const { may } = useSession()
  const query = useQuery({
    queryKey: ['catalog', 'drift'],
    queryFn: readDrift,
    enabled: may('berth:catalog:drift'),
  })
  const [params, change] = useUrlState()
  const linkOf = useLinks()
  const code = params.get('code')
  const rows = useMemo(
    () => (query.data?.findings ?? []).filter(one => code === null || one.code === code),
    [query.data, code],
  )
  const columns = useMemo(() => columnsOf(linkOf), [linkOf])
  if (!may('berth:catalog:drift')) return <NotForYou title="Drift" operation="berth:catalog:drift" />
  return (
    <Page
      title="Catalog"
      text="What is in use and does not agree with the catalog: unknown keys, values and operators that are not allowed."
    >
      <CatalogTabs at="/catalog/drift" />
      {query.data === undefined ? (
        <Waiting query={query} what="the drift report" />
      ) : (
        <Panel
          title="Drift"
          aside={
            <>
              <CodeFilter counts={query.data.counts} code={code} onChoose={name => change({ code: name })} />
              <span className="soft">
                {Object.entries(query.data.checked)
                  .map(([kind, count]) => plural(count, kind.replace('-', ' ')))
                  .join(', ')}{' '}
                looked at
              </span>
            </>
          }
          flush
        >
          {query.data.truncated && (
            <Note tone="warm">There are more; these are the first {rows.length}.</Note>
          )}
          {rows.length === 0 ? (
            <Empty title="Everything agrees">
              Every key in use is defined, every value is allowed, every operator is read by somebody.
            </Empty>
          ) : (
            <DataTable
              label="Findings"
              rows={rows}
              columns={columns}
              keyOf={row => `${row.kind}/${row.name}/${row.key}/${row.code}/${row.text}`}
              height="calc(100dvh - 18rem)"
            />
          )}
        </Panel>
      )}
    </Page>
  )
}

function CodeFilter({
  counts,
  code,
  onChoose,
}: {
  readonly counts: Readonly<Record<string, number>>
  /** Null: findings of every code are shown. */
  readonly code: string | null
  readonly onChoose: (code: string | null) => void
}) {
  return Object.entries(counts).map(([name, count]) => (
    <button
      key={name}
      type="button"
      aria-pressed={code === name}
      onClick={() => onChoose(code === name ? null : name)}
      style={{ all: 'unset', cursor: 'pointer' }}
    >
      <Chip tone={code === name ? 'accent' : 'warm'}>
        {name} {count}
      </Chip>
    </button>
  ))
}

function columnsOf(linkOf: (one: DriftFinding) => string | null): readonly Column<DriftFinding>[] {
  return [
    {
      id: 'name',
      title: 'Where',
      width: 'minmax(13rem, 1.4fr)',
      by: one => `${one.kind} ${one.name}`,
      cell: one => {
        const to = linkOf(one)
        return (
          <>
            <Chip>{one.kind}</Chip> {to === null ? one.name : <Link href={to}>{one.name}</Link>}
          </>
        )
      },
    },
    {
      id: 'key',
      title: 'Key',
      width: 'minmax(14rem, 1.4fr)',
      by: one => one.key,
      cell: one => <code>{one.key}</code>,
    },
    {
      id: 'value',
      title: 'Value',
      width: 'minmax(7rem, 1fr)',
      by: one => one.value ?? '',
      cell: one => <code>{one.value ?? '–'}</code>,
    },
    {
      id: 'text',
      title: 'What is wrong',
      width: 'minmax(16rem, 2.2fr)',
      by: one => one.code,
      exported: one => one.text,
      cell: one => <span title={one.text}>{one.text}</span>,
    },
  ]
}

/** Where a finding can be fixed. */
function useLinks(): (one: DriftFinding) => string | null {
  const { may, has } = useSession()
  const flavors = useFlavors()
  const aggregates = useQuery({
    queryKey: ['aggregates'],
    queryFn: readAggregates,
    enabled: has('compute') && may('os_compute_api:os-aggregates:index'),
  })
  const shareTypes = useQuery({
    queryKey: ['shares', 'types'],
    queryFn: () => readTypes(may('context_is_admin')),
    enabled: has('share'),
  })
  return useMemo(
    () =>
      ({ kind, name }: DriftFinding) => {
        const known = { flavor: flavors.data, aggregate: aggregates.data, 'share-type': shareTypes.data }[
          kind
        ]
        const id = known?.find(one => one.name === name)?.id
        return id === undefined ? null : `${PAGES[kind]}/${encodeURIComponent(id)}`
      },
    [flavors.data, aggregates.data, shareTypes.data],
  )
}

const PAGES = { flavor: '/flavors', aggregate: '/aggregates', 'share-type': '/shares/types' } as const
