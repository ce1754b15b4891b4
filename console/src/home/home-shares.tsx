import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Empty, Panel, Waiting } from '../controls/page.tsx'
import { ofClass, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { StateMark } from '../shares/state-mark.tsx'
import { stateOf } from '../shares/states.ts'
import { hintedBy } from '../shares/ties.ts'
import { nameOf, useShares } from '../shares/use-shares.ts'

export function HomeShares({ project }: { readonly project: string }) {
  const { may } = useSession()
  const query = useShares()
  const own = useMemo(() => query.data?.filter(one => one.project_id === project), [query.data, project])
  const columns = useMemo(() => columnsOf(query.data ?? []), [query.data])
  return (
    <Panel
      title="Shares"
      aside={
        <>
          {own !== undefined && <span className="soft">{plural(own.length, 'share')}</span>}
          <Link href="/shares">All that you may see</Link>
        </>
      }
      flush
    >
      {own === undefined ? (
        <Waiting query={query} what="shares" />
      ) : own.length === 0 ? (
        <Empty title="No share yet">
          A share is a file system for several machines.{' '}
          {may('share:create') && <Link href="/shares/new">Create one.</Link>}
        </Empty>
      ) : (
        <DataTable
          label="Shares"
          rows={own}
          columns={columns}
          keyOf={({ id }) => id}
          sortedBy="name"
          sortName="shares"
          height="18rem"
        />
      )}
    </Panel>
  )
}

function columnsOf(visible: readonly Share[]): readonly Column<Share>[] {
  const names = new Map(visible.map(share => [share.id, nameOf(share)]))
  const list = (word: string, ids: readonly string[]) =>
    ids.map(id => `${word} ${names.get(id) ?? 'a share you may not see'}`)
  const hints = (share: Share) =>
    [
      ...list('near', hintedBy(share, 'same_host')),
      ...list('away from', hintedBy(share, 'different_host')),
    ].join(', ')
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(9rem, 1fr)',
      by: nameOf,
      cell: share => <Link href={`/shares/${share.id}`}>{nameOf(share)}</Link>,
    },
    {
      id: 'state',
      title: 'State',
      width: '8rem',
      by: share => stateOf(share).word,
      cell: share => <StateMark state={stateOf(share)} />,
    },
    {
      id: 'size',
      title: 'Size',
      width: '6rem',
      right: true,
      by: ({ size }) => size,
      cell: ({ size }) => ofClass('DISK_GB', size),
    },
    {
      id: 'hints',
      title: 'Has to be',
      width: 'minmax(14rem, 2fr)',
      by: hints,
      cell: share => <span title={hints(share)}>{hints(share) || '–'}</span>,
    },
  ]
}
