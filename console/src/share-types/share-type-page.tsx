import { Link, useParams } from 'wouter'
import type { ShareType } from '../../../src/wire/openstack-shares.ts'
import { deleteTypeSpec, setTypeSpecs } from '../api/share-types.ts'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { MetadataEditor } from '../metadata/metadata-editor.tsx'
import type { SpecChanges } from '../metadata/spec-changes.ts'
import { useSession } from '../session/session.tsx'
import { useRefresh, useTypes } from '../shares/use-shares.ts'

const TRAIL = [
  ['Shares', '/shares'],
  ['Share types', '/shares/types'],
] as const

export default function ShareTypePage() {
  const { id = '' } = useParams<{ id: string }>()
  const query = useTypes()
  if (query.data === undefined) return <Waiting query={query} what="share types" />
  const type = query.data.find(one => one.id === id)
  if (type === undefined)
    return (
      <Page title="No such share type" trail={TRAIL}>
        <Panel>
          <Empty title="It was deleted, or you may not see it">
            <Link href="/shares/types">All share types</Link>
          </Empty>
        </Panel>
      </Page>
    )
  return <Details key={type.id} type={type} />
}

function Details({ type }: { readonly type: ShareType }) {
  const { whyNot } = useSession()
  const refresh = useRefresh()
  const save = async ({ set, removed }: SpecChanges) => {
    if (Object.keys(set).length > 0) await setTypeSpecs(type.id, set)
    for (const key of removed) await deleteTypeSpec(type.id, key)
    await refresh()
    return null
  }
  return (
    <Page
      title={type.name}
      trail={TRAIL}
      text={
        <>
          {type.is_default && <Chip>default</Chip>} {type.description} <code>{type.id}</code>
        </>
      }
    >
      <MetadataEditor
        type="OS::Manila::ShareType"
        saved={type.extra_specs}
        whyNot={whyNot('share_types_extra_spec:create')}
        whyKept={key => (key === 'driver_handles_share_servers' ? 'Every share type must have it.' : null)}
        onSave={save}
      />
    </Page>
  )
}
