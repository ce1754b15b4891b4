import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { HostAggregate } from '../../../src/wire/openstack-compute.ts'
import { addHost, deleteAggregate, readAggregates, removeHost, setAggregateMetadata } from '../api/compute.ts'
import { evaluateAggregate } from '../api/scheduling.ts'
import { berthCommands } from '../berth-commands.ts'
import { ActButton } from '../controls/act-button.tsx'
import { ActIcon } from '../controls/act-icon.tsx'
import { AskFirst } from '../controls/ask-first.tsx'
import { Icon } from '../controls/icons.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Chip, Empty, FailureNote, Page, Panel, Waiting } from '../controls/page.tsx'
import { useFlavors } from '../flavors/flavors.tsx'
import { plural } from '../formats.ts'
import { LandingPanels } from '../landing/landing-panels.tsx'
import { useSurroundings } from '../map/capacity-map.tsx'
import { MetadataEditor } from '../metadata/metadata-editor.tsx'
import type { SpecChanges, Specs } from '../metadata/spec-changes.ts'
import styles from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'
import { UsagePanel } from '../usage/usage-panel.tsx'

export default function AggregatePage() {
  const { id = '' } = useParams<{ id: string }>()
  const { may } = useSession()
  const isAllowed = may('os_compute_api:os-aggregates:index')
  const query = useQuery({ queryKey: ['aggregates'], queryFn: readAggregates, enabled: isAllowed })
  if (!isAllowed) return <NotForYou title="Aggregate" operation="os_compute_api:os-aggregates:show" />
  if (query.data === undefined) return <Waiting query={query} what="aggregates" />
  const aggregate = query.data.find(one => String(one.id) === id)
  if (aggregate === undefined)
    return (
      <Page title="No such aggregate" trail={[['Aggregates', '/aggregates']]}>
        <Panel>
          <Empty title="It was deleted meanwhile">
            <Link href="/aggregates">All aggregates</Link>
          </Empty>
        </Panel>
      </Page>
    )
  return <Details key={aggregate.id} aggregate={aggregate} />
}

function Details({ aggregate }: { readonly aggregate: HostAggregate }) {
  const { whyNot } = useSession()
  const queries = useQueryClient()
  const save = async ({ set, removed }: SpecChanges) => {
    const gone = Object.fromEntries(removed.map(key => [key, null]))
    const warning = await setAggregateMetadata(aggregate.id, { ...set, ...gone })
    await queries.invalidateQueries({ queryKey: ['aggregates'] })
    return warning
  }
  return (
    <Page
      title={aggregate.name}
      trail={[['Aggregates', '/aggregates']]}
      text={
        <>
          {aggregate.availability_zone !== null && (
            <Chip tone="accent">zone {aggregate.availability_zone}</Chip>
          )}{' '}
          <code>{aggregate.uuid}</code>
        </>
      }
      actions={<Deletion aggregate={aggregate} />}
    >
      <Members aggregate={aggregate} />
      <MetadataEditor
        type="OS::Nova::Aggregate"
        saved={aggregate.metadata}
        whyNot={whyNot('os_compute_api:os-aggregates:set_metadata')}
        onSave={save}
        matches={draft => <Matches metadata={draft} />}
      />
      <UsagePanel scope={{ aggregate: aggregate.uuid }} place={aggregate.name} />
      <LandingPanels
        target={{ aggregate: aggregate.id }}
        commands={{
          flavors: berthCommands.flavorsOfAggregate(aggregate.id),
          violations: berthCommands.violationsOfAggregate(aggregate.id),
        }}
        queryKey={['aggregates']}
      />
    </Page>
  )
}

function Deletion({ aggregate }: { readonly aggregate: HostAggregate }) {
  const { whyNot } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const remove = async () => {
    await deleteAggregate(aggregate.id)
    navigate('/aggregates')
    await queries.invalidateQueries({ queryKey: ['aggregates'] })
  }
  return (
    <>
      <ActButton
        variant="default"
        why={
          whyNot('os_compute_api:os-aggregates:delete') ??
          (aggregate.hosts.length > 0 ? 'It still has hosts: take them out first.' : null)
        }
        onClick={() => setAsking(true)}
      >
        Delete
      </ActButton>
      {isAsking && (
        <AskFirst
          title={`Delete ${aggregate.name}?`}
          action="Delete the aggregate"
          onYes={remove}
          onClose={() => setAsking(false)}
        >
          Its metadata goes with it, and with that what it asks of flavors.
        </AskFirst>
      )}
    </>
  )
}

/** Which flavors would pass, for the current draft. */
function Matches({ metadata }: { readonly metadata: Specs }) {
  const flavors = useFlavors()
  const [settled] = useDebouncedValue(metadata, 300)
  const query = useQuery({
    queryKey: ['matches', 'aggregate', settled, flavors.data],
    queryFn: () => evaluateAggregate((flavors.data ?? []).slice(0, 10_000), settled),
    enabled: flavors.data !== undefined,
    placeholderData: before => before,
  })
  if (query.data === undefined) return <span className="soft">Counting flavors …</span>
  const fitting = query.data.filter(({ passes }) => passes).length
  return (
    <span role="status">
      Takes <strong className="number">{fitting}</strong> of{' '}
      <span className="number">{query.data.length}</span> flavors
      <span className="soft"> by what metadata and extra specs say of each other</span>
    </span>
  )
}

function Members({ aggregate }: { readonly aggregate: HostAggregate }) {
  const { whyNot } = useSession()
  const { hosts } = useSurroundings()
  const queries = useQueryClient()
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['aggregates'] }),
      queries.invalidateQueries({ queryKey: ['hosts'] }),
    ])
  const [leaving, setLeaving] = useState<string | null>(null)
  const add = useMutation({ mutationFn: (host: string) => addHost(aggregate.id, host), onSuccess: refresh })
  const takeOut = async (host: string) => {
    await removeHost(aggregate.id, host)
    await refresh()
  }
  const byName = new Map([...hosts.values()].map(host => [host.name, host]))
  return (
    <Panel
      title="Hosts"
      aside={
        <>
          <span className="soft">{plural(aggregate.hosts.length, 'host')}</span>
          <AddHost
            others={[...byName.keys()].filter(name => !aggregate.hosts.includes(name))}
            onAdd={host => add.mutate(host)}
          />
        </>
      }
    >
      {add.error !== null && <FailureNote error={add.error} />}
      {aggregate.hosts.length === 0 ? (
        <p className="soft">
          No host yet. Add one above, or with <code>{berthCommands.addHostToAggregate(aggregate.name)}</code>.
        </p>
      ) : (
        <div className={styles.chips}>
          {aggregate.hosts.map(name => (
            <Chip key={name}>
              <Link href={`/providers/${byName.get(name)?.uuid ?? ''}`}>{name}</Link>
              <ActIcon
                size={14}
                label={`Take ${name} out`}
                why={whyNot('os_compute_api:os-aggregates:remove_host')}
                onClick={() => setLeaving(name)}
              >
                <Icon name="close" size={10} />
              </ActIcon>
            </Chip>
          ))}
        </div>
      )}
      {leaving !== null && (
        <AskFirst
          title={`Take ${leaving} out of ${aggregate.name}?`}
          action="Take the host out"
          onYes={() => takeOut(leaving)}
          onClose={() => setLeaving(null)}
        >
          Servers on it stay. What this aggregate asks of flavors, and its zone, no longer hold for the host.
        </AskFirst>
      )}
    </Panel>
  )
}

function AddHost({
  others,
  onAdd,
}: {
  /** Hosts that are not in it. */
  readonly others: readonly string[]
  readonly onAdd: (host: string) => void
}) {
  const why = useSession().whyNot('os_compute_api:os-aggregates:add_host')
  if (why !== null)
    return (
      <ActButton variant="default" why={why}>
        Add a host
      </ActButton>
    )
  return (
    <Select
      aria-label="Add a host"
      placeholder="Add a host"
      searchable
      limit={50}
      w={180}
      value={null}
      data={[...others]}
      onChange={host => host !== null && onAdd(host)}
    />
  )
}
