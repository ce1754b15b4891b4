import { SegmentedControl, Select, TextInput } from '@mantine/core'
import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import { ownValue } from '../../../src/kernel/records.ts'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { type Column, DataTable } from '../controls/data-table.tsx'
import { Icon } from '../controls/icons.tsx'
import { Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { momentText, ofClass, plural } from '../formats.ts'
import { usePicture, useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { NoShares } from './no-shares.tsx'
import styles from './shares.module.css'
import { StateMark } from './state-mark.tsx'
import { stateOf } from './states.ts'
import { tieCounts } from './ties.ts'
import { nameOf, shortId, useIsAdmin, useShares } from './use-shares.ts'

export default function Shares() {
  const { whyNot } = useSession()
  const { phase } = usePicture()
  const isAdmin = useIsAdmin()
  const [, navigate] = useLocation()
  const [params, change] = useUrlState()
  const inBin = params.has('bin')
  const query = useShares(inBin)
  const all = query.data
  const rows = useMemo(() => (all ?? []).filter(share => fits(share, params)), [all, params])
  return (
    <Page
      title="Shares"
      text="File systems that several machines use at once: where they are, how they are, and which have to be near one another or apart."
      actions={
        <>
          <Link href="/shares/types">Share types</Link>
          <ActButton
            why={whyNot('share:create')}
            leftSection={<Icon name="plus" size={13} />}
            onClick={() => navigate('/shares/new')}
          >
            New share
          </ActButton>
        </>
      }
    >
      <Panel
        title={inBin ? 'The bin' : 'All shares'}
        aside={
          <>
            <BinSwitch inBin={inBin} onChange={wanted => change({ bin: wanted ? '1' : null })} />
            <span className="soft number">{plural(rows.length, 'share')}</span>
            {phase === 'refused' && <span className="soft">asked again every few seconds</span>}
          </>
        }
        flush
      >
        {all === undefined ? (
          <Waiting query={query} what="shares" />
        ) : all.length === 0 ? (
          <NoShares inBin={inBin} />
        ) : (
          <>
            <Filters shares={all} isAdmin={isAdmin} />
            {rows.length === 0 ? (
              <Empty title="No share is like this">Take a filter away to see more of them.</Empty>
            ) : (
              <DataTable
                label="Shares"
                rows={rows}
                columns={isAdmin ? ADMIN_COLUMNS : MEMBER_COLUMNS}
                keyOf={row => row.id}
                sortedBy="name"
                height="calc(100dvh - 18rem)"
              />
            )}
          </>
        )}
      </Panel>
    </Page>
  )
}

function BinSwitch({
  inBin,
  onChange,
}: {
  readonly inBin: boolean
  readonly onChange: (inBin: boolean) => void
}) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Which shares"
      value={inBin ? 'bin' : 'live'}
      onChange={value => onChange(value === 'bin')}
      data={[
        { value: 'live', label: 'In use' },
        { value: 'bin', label: 'Bin' },
      ]}
    />
  )
}

const backendOf = ({ host = '' }: Share): string => host.split('#')[0] as string

/** By the name of the filter in the address. */
const FIELDS: Readonly<Record<string, (share: Share) => string>> = {
  state: share => stateOf(share).word,
  type: share => share.share_type_name,
  zone: share => share.availability_zone ?? '',
  project: share => share.project_id,
  backend: backendOf,
}

function fits(share: Share, params: URLSearchParams): boolean {
  const wanted = (params.get('q') ?? '').trim().toLowerCase()
  const texts = [share.name ?? '', share.id, share.host ?? '', share.project_id, share.description ?? '']
  return (
    texts.some(text => text.toLowerCase().includes(wanted)) &&
    Object.entries(FIELDS).every(([name, of]) => !params.has(name) || params.get(name) === of(share))
  )
}

function Filters({ shares, isAdmin }: { readonly shares: readonly Share[]; readonly isAdmin: boolean }) {
  const [params, change] = useUrlState()
  const filter = (name: string, label: string) => (
    <Select
      key={name}
      aria-label={label}
      placeholder={label}
      clearable
      searchable
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
      data={[
        ...new Set([
          ...shares.map(ownValue(FIELDS, name) as (share: Share) => string),
          params.get(name) ?? '',
        ]),
      ]
        .filter(value => value !== '')
        .sort()}
      value={params.get(name)}
      onChange={value => change({ [name]: value })}
    />
  )
  return (
    <search className={styles.filters}>
      <TextInput
        aria-label="Filter shares"
        placeholder={isAdmin ? 'Name, id, project or pool' : 'Name or id'}
        leftSection={<Icon name="search" size={13} />}
        value={params.get('q') ?? ''}
        onChange={event => change({ q: event.currentTarget.value })}
      />
      {filter('state', 'State')}
      {filter('type', 'Type')}
      {filter('zone', 'Zone')}
      {isAdmin && filter('project', 'Project')}
      {isAdmin && filter('backend', 'Back end')}
    </search>
  )
}

function tiesText(share: Share): string {
  const { same_host: near, different_host: away } = tieCounts(share)
  const parts = [near > 0 ? `near ${near}` : '', away > 0 ? `away from ${away}` : '']
  return parts.filter(part => part !== '').join(', ')
}

const NAME: Column<Share> = {
  id: 'name',
  title: 'Name',
  width: 'minmax(9rem, 0.85fr)',
  by: nameOf,
  cell: share => (
    <Link href={`/shares/${share.id}`} title={share.id}>
      {share.name === null || share.name === '' ? <code>{shortId(share.id)}</code> : share.name}
    </Link>
  ),
}

const COMMON: readonly Column<Share>[] = [
  {
    id: 'state',
    title: 'State',
    width: '12.5rem',
    by: share => stateOf(share).word,
    cell: share => <StateMark state={stateOf(share)} />,
  },
  {
    id: 'size',
    title: 'Size',
    width: '5.5rem',
    right: true,
    by: share => share.size,
    cell: share => ofClass('CUSTOM_SHARE_GB', share.size),
  },
  {
    id: 'type',
    title: 'Type',
    width: '6.5rem',
    by: share => share.share_type_name,
    cell: share => share.share_type_name,
  },
  {
    id: 'zone',
    title: 'Zone',
    width: '4.5rem',
    by: share => share.availability_zone ?? '',
    cell: share => share.availability_zone ?? '–',
  },
  {
    id: 'ties',
    title: 'Has to be',
    width: '10rem',
    by: share => tieCounts(share).same_host + tieCounts(share).different_host,
    cell: share => tiesText(share) || <span className="soft">anywhere</span>,
  },
]

const PROJECT: Column<Share> = {
  id: 'project',
  title: 'Project',
  width: 'minmax(5.5rem, 0.52fr)',
  by: share => share.project_id,
  cell: share => share.project_id,
}

const POOL: Column<Share> = {
  id: 'pool',
  title: 'Pool',
  width: 'minmax(10.5rem, 1fr)',
  by: share => share.host ?? '',
  cell: share => (share.host ? <code>{share.host}</code> : <span className="soft">nowhere</span>),
}

const CREATED: Column<Share> = {
  id: 'created',
  title: 'Made',
  width: '6.5rem',
  by: share => share.created_at,
  cell: share => {
    const at = new Date(`${share.created_at}Z`)
    return <time title={momentText(at)}>{at.toLocaleDateString()}</time>
  },
}

const MEMBER_COLUMNS = [NAME, ...COMMON, PROJECT, CREATED]
const ADMIN_COLUMNS = [NAME, ...COMMON, PROJECT, POOL, CREATED]
