import { Checkbox, NumberInput, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Flavor, NewFlavor } from '../../../src/wire/openstack-compute.ts'
import { createFlavor, readFlavors } from '../api/compute.ts'
import { berthCommands } from '../berth-commands.ts'
import { ActButton } from '../controls/act-button.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { Icon } from '../controls/icons.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { ofClass, pairsText, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'

export function useFlavors() {
  const { may } = useSession()
  return useQuery({ queryKey: ['flavors'], queryFn: () => readFlavors(may('context_is_admin')) })
}

export default function Flavors() {
  const query = useFlavors()
  const { whyNot } = useSession()
  const [params, change] = useUrlState()
  const [isMaking, setMaking] = useState(false)
  const wanted = (params.get('q') ?? '').toLowerCase()
  const rows = useMemo(
    () => (query.data ?? []).filter(({ name, extra_specs }) => fits(name, extra_specs, wanted)),
    [query.data, wanted],
  )
  return (
    <Page
      title="Flavors"
      text="What can be ordered: sizes, and what they ask of a host."
      actions={
        <ActButton
          why={whyNot('os_compute_api:os-flavor-manage:create')}
          leftSection={<Icon name="plus" size={13} />}
          onClick={() => setMaking(true)}
        >
          New flavor
        </ActButton>
      }
    >
      <Panel
        title="All flavors"
        aside={
          <>
            <TextInput
              aria-label="Filter flavors"
              placeholder="Name or extra spec"
              leftSection={<Icon name="search" size={13} />}
              value={params.get('q') ?? ''}
              onChange={event => change({ q: event.currentTarget.value })}
            />
            <span className="soft number">{plural(rows.length, 'flavor')}</span>
          </>
        }
        flush
      >
        {query.data === undefined ? (
          <Waiting query={query} what="flavors" />
        ) : rows.length === 0 ? (
          <Empty
            title={query.data.length === 0 ? 'No flavor yet' : 'No flavor is like this'}
            command={berthCommands.createFlavor()}
          >
            A flavor is a size with a name. Its extra specs say on which hosts it may go.
          </Empty>
        ) : (
          <DataTable
            label="Flavors"
            rows={rows}
            columns={COLUMNS}
            keyOf={row => row.id}
            height="calc(100dvh - 15rem)"
          />
        )}
      </Panel>
      {isMaking && <NewFlavorDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

const fits = (name: string, specs: Readonly<Record<string, string>>, wanted: string): boolean =>
  name.toLowerCase().includes(wanted) ||
  Object.entries(specs ?? {}).some(([key, value]) => `${key}=${value}`.toLowerCase().includes(wanted))

const COLUMNS: readonly Column<Flavor>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1fr)',
    by: flavor => flavor.name,
    cell: flavor => <Link href={`/flavors/${encodeURIComponent(flavor.id)}`}>{flavor.name}</Link>,
  },
  {
    id: 'vcpus',
    title: 'VCPU',
    width: '5rem',
    right: true,
    by: flavor => flavor.vcpus,
    cell: flavor => flavor.vcpus,
  },
  {
    id: 'ram',
    title: 'Memory',
    width: '6rem',
    right: true,
    by: flavor => flavor.ram,
    cell: flavor => ofClass('MEMORY_MB', flavor.ram),
  },
  {
    id: 'disk',
    title: 'Disk',
    width: '6rem',
    right: true,
    by: flavor => flavor.disk,
    cell: flavor => (flavor.disk === 0 ? 'volume' : ofClass('DISK_GB', flavor.disk)),
  },
  {
    id: 'specs',
    title: 'Extra specs',
    width: 'minmax(18rem, 4fr)',
    by: flavor => Object.keys(flavor.extra_specs ?? {}).length,
    exported: flavor => pairsText(flavor.extra_specs ?? {}),
    cell: flavor =>
      Object.entries(flavor.extra_specs ?? {}).map(([key, value]) => (
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
    id: 'public',
    title: 'For',
    width: '7rem',
    by: flavor => Number(flavor['os-flavor-access:is_public']),
    exported: flavor => (flavor['os-flavor-access:is_public'] ? 'everybody' : 'some projects'),
    cell: flavor => <Chip>{flavor['os-flavor-access:is_public'] ? 'everybody' : 'some projects'}</Chip>,
  },
]

const FIRST: NewFlavor = {
  name: '',
  vcpus: 2,
  ram: 4096,
  disk: 20,
  description: null,
  'os-flavor-access:is_public': true,
}

function NewFlavorDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(FIRST)
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const number = (field: 'vcpus' | 'ram' | 'disk', label: string, min: number) => (
    <NumberInput
      label={label}
      min={min}
      required
      value={draft[field]}
      onChange={value => setDraft({ ...draft, [field]: Number(value) })}
    />
  )
  return (
    <FormDialog
      title="New flavor"
      submit="Create the flavor"
      why={draft.name.trim() === '' ? 'It needs a name.' : null}
      act={() => createFlavor(draft)}
      onDone={async made => {
        await queries.invalidateQueries({ queryKey: ['flavors'] })
        onClose()
        navigate(`/flavors/${made.id}`)
      }}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        required
        value={draft.name}
        onChange={event => setDraft({ ...draft, name: event.currentTarget.value })}
      />
      {number('vcpus', 'Processors', 1)}
      {number('ram', 'Memory in MiB', 1)}
      {number('disk', 'Root disk in GB (0: it starts from a volume)', 0)}
      <Checkbox
        label="Everybody may use it"
        checked={draft['os-flavor-access:is_public']}
        onChange={event => setDraft({ ...draft, 'os-flavor-access:is_public': event.currentTarget.checked })}
      />
    </FormDialog>
  )
}
