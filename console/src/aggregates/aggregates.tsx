import { TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { HostAggregate } from '../../../src/wire/openstack-compute.ts'
import { createAggregate, readAggregates } from '../api/compute.ts'
import { berthCommands } from '../berth-commands.ts'
import { ActButton } from '../controls/act-button.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { Icon } from '../controls/icons.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { pairsText, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'

export default function Aggregates() {
  const { may, whyNot } = useSession()
  const isAllowed = may('os_compute_api:os-aggregates:index')
  const query = useQuery({ queryKey: ['aggregates'], queryFn: readAggregates, enabled: isAllowed })
  const [isMaking, setMaking] = useState(false)
  if (!isAllowed) return <NotForYou title="Aggregates" operation="os_compute_api:os-aggregates:index" />
  return (
    <Page
      title="Aggregates"
      text="Hosts that belong together: zones, racks, hardware of a kind. Their metadata says who may come."
      actions={
        <ActButton
          why={whyNot('os_compute_api:os-aggregates:create')}
          leftSection={<Icon name="plus" size={13} />}
          onClick={() => setMaking(true)}
        >
          New aggregate
        </ActButton>
      }
    >
      <Panel
        title="All aggregates"
        aside={<span className="soft">{plural(query.data?.length ?? 0, 'aggregate')}</span>}
        flush
      >
        {query.data === undefined ? (
          <Waiting query={query} what="aggregates" />
        ) : query.data.length === 0 ? (
          <Empty title="No aggregate yet" command={berthCommands.createAggregate()}>
            Put hosts into an aggregate to give them a zone, to keep them for certain flavors, or to ask for
            them.
          </Empty>
        ) : (
          <DataTable
            label="Aggregates"
            rows={query.data}
            columns={COLUMNS}
            keyOf={row => String(row.id)}
            height="calc(100dvh - 15rem)"
          />
        )}
      </Panel>
      {isMaking && <NewAggregate onClose={() => setMaking(false)} />}
    </Page>
  )
}

const COLUMNS: readonly Column<HostAggregate>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1fr)',
    by: one => one.name,
    cell: one => <Link href={`/aggregates/${one.id}`}>{one.name}</Link>,
  },
  {
    id: 'zone',
    title: 'Zone',
    width: 'minmax(6rem, 0.7fr)',
    by: one => one.availability_zone ?? '',
    cell: one => one.availability_zone ?? '–',
  },
  {
    id: 'hosts',
    title: 'Hosts',
    width: '5rem',
    right: true,
    by: one => one.hosts.length,
    cell: one => one.hosts.length,
  },
  {
    id: 'metadata',
    title: 'Metadata',
    width: 'minmax(16rem, 3fr)',
    exported: one => pairsText(one.metadata),
    cell: one =>
      Object.entries(one.metadata)
        .filter(([key]) => key !== 'availability_zone')
        .map(([key, value]) => (
          <span key={key} style={{ marginRight: 6 }}>
            <Chip>
              <code>
                {key}={value}
              </code>
            </Chip>
          </span>
        )),
  },
  {
    id: 'uuid',
    title: 'UUID',
    width: '19rem',
    exported: one => one.uuid,
    cell: one => <code className="soft">{one.uuid}</code>,
  },
]

function NewAggregate({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [zone, setZone] = useState('')
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return (
    <FormDialog
      title="New aggregate"
      submit="Create the aggregate"
      why={name.trim() === '' ? 'It needs a name.' : null}
      act={() => createAggregate(name.trim(), zone.trim() === '' ? null : zone.trim())}
      onDone={async made => {
        await queries.invalidateQueries({ queryKey: ['aggregates'] })
        onClose()
        navigate(`/aggregates/${made.id}`)
      }}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        required
        value={name}
        onChange={event => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Availability zone"
        description="Empty: it is no zone."
        value={zone}
        onChange={event => setZone(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
