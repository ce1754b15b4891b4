import { Link } from 'wouter'
import type { ShareType } from '../../../src/wire/openstack-shares.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { plural } from '../formats.ts'
import { useTypes } from '../shares/use-shares.ts'

/** Share types. */
export default function ShareTypes() {
  const query = useTypes()
  return (
    <Page
      title="Share types"
      trail={[['Shares', '/shares']]}
      text="What a share can be asked to be. The extra specs of its type say which pools fit."
    >
      <Panel
        title="All share types"
        aside={<span className="soft">{plural(query.data?.length ?? 0, 'share type')}</span>}
        flush
      >
        {query.data === undefined ? (
          <Waiting query={query} what="share types" />
        ) : query.data.length === 0 ? (
          <Empty title="No share type yet" command="openstack share type create fast false">
            Every share has a type. Make one with any client of Manila.
          </Empty>
        ) : (
          <DataTable
            label="Share types"
            rows={query.data}
            columns={COLUMNS}
            keyOf={row => row.id}
            sortedBy="name"
            height="calc(100dvh - 15rem)"
          />
        )}
      </Panel>
    </Page>
  )
}

const specsText = ({ extra_specs }: ShareType): string =>
  Object.entries(extra_specs)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')

const COLUMNS: readonly Column<ShareType>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1fr)',
    by: one => one.name,
    cell: one => (
      <>
        <Link href={`/shares/types/${one.id}`}>{one.name}</Link> {one.is_default && <Chip>default</Chip>}
      </>
    ),
  },
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(9rem, 1.2fr)',
    by: one => one.description ?? '',
    cell: one => one.description ?? '–',
  },
  {
    id: 'specs',
    title: 'Extra specs',
    width: 'minmax(16rem, 3fr)',
    by: specsText,
    cell: one => <code title={specsText(one)}>{specsText(one)}</code>,
  },
]
