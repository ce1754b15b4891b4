import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { Flavor } from '../../../src/wire/openstack-compute.ts'
import { decodings } from '../address-part.ts'
import { deleteExtraSpec, deleteFlavor, setExtraSpecs } from '../api/compute.ts'
import { explainSchedule } from '../api/scheduling.ts'
import { ActButton } from '../controls/act-button.tsx'
import { AskFirst } from '../controls/ask-first.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { ofClass } from '../formats.ts'
import { MetadataEditor } from '../metadata/metadata-editor.tsx'
import type { SpecChanges, Specs } from '../metadata/spec-changes.ts'
import { useSession } from '../session/session.tsx'
import { askedFlavor } from './asked-flavor.ts'
import { FlavorAccess } from './flavor-access.tsx'
import { useFlavors } from './flavors.tsx'

export default function FlavorPage() {
  const { id = '' } = useParams<{ id: string }>()
  const query = useFlavors()
  if (query.data === undefined) return <Waiting query={query} what="flavors" />
  const flavor = query.data.find(one => decodings(id).includes(one.id))
  if (flavor === undefined)
    return (
      <Page title="No such flavor" trail={[['Flavors', '/flavors']]}>
        <Panel>
          <Empty title="It was deleted, or you may not see it">
            <Link href="/flavors">All flavors</Link>
          </Empty>
        </Panel>
      </Page>
    )
  return <Details key={flavor.id} flavor={flavor} />
}

function Details({ flavor }: { readonly flavor: Flavor }) {
  const { whyNot, may } = useSession()
  const queries = useQueryClient()
  const save = async ({ set, removed }: SpecChanges) => {
    const warning = Object.keys(set).length === 0 ? null : await setExtraSpecs(flavor.id, set)
    for (const key of removed) await deleteExtraSpec(flavor.id, key)
    await queries.invalidateQueries({ queryKey: ['flavors'] })
    return warning
  }
  return (
    <Page
      title={flavor.name}
      trail={[['Flavors', '/flavors']]}
      text={
        <>
          <Chip>{flavor.vcpus} VCPU</Chip> <Chip>{ofClass('MEMORY_MB', flavor.ram)}</Chip>{' '}
          <Chip>{flavor.disk === 0 ? 'starts from a volume' : ofClass('DISK_GB', flavor.disk)}</Chip>{' '}
          <Chip>{flavor['os-flavor-access:is_public'] ? 'for every project' : 'for some projects'}</Chip>{' '}
          <code>{flavor.id}</code>
        </>
      }
      actions={
        <>
          {may('berth:explain:hosts') && (
            <Link href={`/why?flavor=${encodeURIComponent(flavor.name)}`}>Where would it go?</Link>
          )}
          <DeleteFlavor flavor={flavor} />
        </>
      }
    >
      <MetadataEditor
        type="OS::Nova::Flavor"
        saved={flavor.extra_specs ?? {}}
        whyNot={whyNot('os_compute_api:os-flavor-extra-specs:create')}
        onSave={save}
        matches={draft => <Matches flavor={flavor} specs={draft} />}
      />
      {!flavor['os-flavor-access:is_public'] && <FlavorAccess flavor={flavor} />}
    </Page>
  )
}

/** Counted by the scheduler, for the current draft. */
function Matches({ flavor, specs }: { readonly flavor: Flavor; readonly specs: Specs }) {
  const { may } = useSession()
  const [settled] = useDebouncedValue(specs, 350)
  const asked = askedFlavor(flavor, settled)
  const query = useQuery({
    queryKey: ['matches', asked],
    queryFn: () => explainSchedule({ flavor: asked }, 0),
    enabled: may('berth:explain:hosts'),
    placeholderData: before => before,
  })
  if (!may('berth:explain:hosts')) return <span />
  if (query.error !== null) return <span className="soft">{query.error.message}</span>
  if (query.data === undefined) return <span className="soft">Counting hosts …</span>
  const { passed, hosts, with_room } = query.data
  return (
    <span role="status">
      Matches <strong className="number">{passed}</strong> of <span className="number">{hosts}</span> hosts
      <span className="soft"> · {with_room} with room</span>
    </span>
  )
}

function DeleteFlavor({ flavor }: { readonly flavor: Flavor }) {
  const { whyNot } = useSession()
  const [isAsking, setAsking] = useState(false)
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const remove = async () => {
    await deleteFlavor(flavor.id)
    navigate('/flavors')
    await queries.invalidateQueries({ queryKey: ['flavors'] })
  }
  return (
    <>
      <ActButton
        variant="default"
        why={whyNot('os_compute_api:os-flavor-manage:delete')}
        onClick={() => setAsking(true)}
      >
        Delete
      </ActButton>
      {isAsking && (
        <AskFirst
          title={`Delete ${flavor.name}?`}
          action="Delete the flavor"
          onYes={remove}
          onClose={() => setAsking(false)}
        >
          Servers that have it stay as they are. Nobody can order it any more.
        </AskFirst>
      )}
    </>
  )
}
