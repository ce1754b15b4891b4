import { SegmentedControl, TextInput } from '@mantine/core'
import { useMemo } from 'react'
import { useCalm } from '../controls/calm.ts'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { domainOf } from '../controls/host-name.ts'
import { Icon } from '../controls/icons.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, Loading, Page, Panel } from '../controls/page.tsx'
import { RowLink } from '../controls/row-link.tsx'
import { ShortHost } from '../controls/short-host.tsx'
import { filtered, useSliced } from '../controls/slices.ts'
import { type Fleet, isHost, type Provider, SHARING } from '../fleet/fleet.ts'
import { plural } from '../formats.ts'
import { usePicture } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { listedText } from './inventory-text.ts'

type Kind = 'roots' | 'all' | 'sharing'

export default function Providers() {
  const { fleet, phase } = usePicture()
  const [params, change] = useUrlState()
  const wanted = (params.get('q') ?? '').toLowerCase()
  const kind = (params.get('kind') ?? 'roots') as Kind
  const shape = useCalm(fleet.shapeStamp, fleet.providers.size > MANY ? CALM_MS : 0)
  const { result } = useSliced(
    () => filtered(fleet.providers.values(), fitting(fleet, kind, wanted)),
    [fleet, shape, kind, wanted],
  )
  const rows = result ?? NO_ROWS
  const domain = useMemo(() => domainOf(rows.map(({ name }) => name)), [rows])
  const columns = useMemo(() => columnsOf(fleet, domain), [fleet, domain])
  if (phase === 'refused') return <NotForYou title="Providers" />
  return (
    <Page
      title="Providers"
      text="Everything that has something to give: hosts, NUMA nodes, devices, storage. For a root, inventories are the sum of its tree."
    >
      <Panel
        title="All providers"
        aside={
          <>
            <TextInput
              aria-label="Filter by name, uuid or trait"
              placeholder="Name, uuid or trait"
              leftSection={<Icon name="search" size={13} />}
              value={params.get('q') ?? ''}
              onChange={event => change({ q: event.currentTarget.value })}
            />
            <SegmentedControl
              size="xs"
              aria-label="Which providers"
              value={kind}
              onChange={value => change({ kind: value === 'roots' ? null : value })}
              data={[
                { value: 'roots', label: 'Roots' },
                { value: 'all', label: 'All' },
                { value: 'sharing', label: 'Sharing' },
              ]}
            />
            <span className="soft number">{plural(rows.length, 'provider')}</span>
          </>
        }
        flush
      >
        {phase === 'loading' || result === null ? (
          <Loading what="the fleet" />
        ) : rows.length === 0 ? (
          <Empty title="No provider is like this">
            Names, uuids and traits are looked through. “All” also shows what is below the roots.
          </Empty>
        ) : (
          <DataTable
            label="Providers"
            rows={rows}
            columns={columns}
            keyOf={row => row.uuid}
            versionOf={row => (row.parent === null ? row.treeStamp : row.stamp)}
            height="calc(100dvh - 15rem)"
          />
        )}
      </Panel>
    </Page>
  )
}

const NO_ROWS: readonly Provider[] = []
/** The shortest interval between two updates of a list of this length while changes come in. */
const MANY = 5_000
const CALM_MS = 2_000

function fitting(fleet: Fleet, kind: Kind, wanted: string): (provider: Provider) => boolean {
  const isOf = (provider: Provider) =>
    kind === 'all' ? true : kind === 'sharing' ? provider.traits.has(SHARING) : provider.parent === null
  const traits = wanted.length > 3 ? fleet.traitsLike(wanted) : []
  return provider =>
    isOf(provider) &&
    (wanted === '' ||
      provider.name.toLowerCase().includes(wanted) ||
      provider.uuid.includes(wanted) ||
      traits.some(trait => provider.traits.has(trait)))
}

function columnsOf(fleet: Fleet, domain: string): readonly Column<Provider>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(12rem, 1.4fr)',
      by: provider => provider.name,
      cell: provider => (
        <RowLink href={`/providers/${provider.uuid}`}>
          <ShortHost name={provider.name} domain={domain} />
        </RowLink>
      ),
    },
    {
      id: 'kind',
      title: 'Kind',
      width: 'minmax(7.5rem, 0.6fr)',
      by: provider => kindOf(fleet, provider),
      cell: provider => <Chip>{kindOf(fleet, provider)}</Chip>,
    },
    {
      id: 'has',
      title: 'Inventories',
      width: 'minmax(16rem, 3fr)',
      exported: provider => listedText(fleet, provider),
      cell: provider => {
        const text = listedText(fleet, provider)
        return <span title={text}>{text}</span>
      },
    },
    {
      id: 'traits',
      title: 'Traits',
      width: '5rem',
      right: true,
      by: provider => provider.traits.size,
      cell: provider => provider.traits.size,
    },
    {
      id: 'generation',
      title: 'Generation',
      width: '6.5rem',
      right: true,
      by: provider => provider.generation,
      cell: provider => provider.generation,
    },
    {
      id: 'uuid',
      title: 'UUID',
      width: '19rem',
      exported: provider => provider.uuid,
      cell: provider => <code className="soft">{provider.uuid}</code>,
    },
  ]
}

export function kindOf(fleet: Fleet, provider: Provider): string {
  if (provider.traits.has(SHARING)) return 'sharing'
  if (provider.parent !== null) return provider.traits.has('HW_NUMA_ROOT') ? 'NUMA node' : 'nested'
  return isHost(fleet, provider) ? 'host' : 'root'
}
