import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import type { Share } from '../../../src/wire/openstack-shares.ts'
import { Failure } from '../api/http.ts'
import { readExports, readShare } from '../api/shares.ts'
import { CopyButton } from '../controls/copy-button.tsx'
import { Chip, Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { momentText, ofClass } from '../formats.ts'
import { usePicture, useSession } from '../session/session.tsx'
import { AccessPanel } from './access-panel.tsx'
import { MessagesPanel } from './messages-panel.tsx'
import { MetadataPanel } from './metadata-panel.tsx'
import { MovePanel } from './move-panel.tsx'
import { PlacePanel } from './place-panel.tsx'
import { ShareActions } from './share-actions.tsx'
import styles from './shares.module.css'
import { SnapshotsPanel } from './snapshots-panel.tsx'
import { StateMark } from './state-mark.tsx'
import { isBusy, isMoving, lastMove, stateOf } from './states.ts'
import { TiesPanel } from './ties-panel.tsx'
import { nameOf, useAskAgain } from './use-shares.ts'

export function useShare(id: string) {
  const again = useAskAgain()
  return useQuery({
    queryKey: ['shares', 'one', id],
    queryFn: () => readShare(id),
    refetchInterval: query => again(query.state.data === undefined ? false : isBusy(query.state.data)),
  })
}

const isGone = (error: unknown): boolean => error instanceof Failure && error.status === 404

export default function SharePage() {
  const { id = '' } = useParams<{ id: string }>()
  const query = useShare(id)
  if (isGone(query.error)) return <NoSuchShare />
  if (query.data === undefined)
    return (
      <Page title="Share" trail={TRAIL}>
        <Waiting query={query} what="the share" />
      </Page>
    )
  return <Details key={id} share={query.data} />
}

export const TRAIL = [['Shares', '/shares']] as const

export function NoSuchShare() {
  return (
    <Page title="No such share" trail={TRAIL}>
      <Panel>
        <Empty title="It was deleted, or it is not for you">
          <Link href="/shares">All shares</Link>
        </Empty>
      </Panel>
    </Page>
  )
}

function Details({ share }: { readonly share: Share }) {
  const { who, may } = useSession()
  const isOwn = share.project_id === who.project_id || may('context_is_admin')
  const moved = lastMove(share)
  return (
    <Page
      title={nameOf(share)}
      trail={TRAIL}
      text={
        <span className={styles.buttons}>
          <StateMark state={stateOf(share)} />
          {moved !== null && (
            <Chip>
              <StateMark state={moved} />
            </Chip>
          )}
          {share.is_public && <Chip>shown to all projects</Chip>}
          <code>{share.id}</code>
        </span>
      }
      actions={<ShareActions share={share} />}
    >
      {isMoving(share) && <MovePanel share={share} />}
      <MessagesPanel share={share} />
      <Facts share={share} />
      <TiesPanel share={share} isOwn={isOwn} />
      <div className={styles.two}>
        {isOwn && <PlacePanel share={share} />}
        <div className={styles.column}>
          <AccessPanel share={share} />
          <SnapshotsPanel share={share} />
          <MetadataPanel share={share} />
        </div>
      </div>
    </Page>
  )
}

function Facts({ share }: { readonly share: Share }) {
  const at = (text: string) => momentText(`${text}Z`)
  return (
    <Panel title="Details">
      <dl className={styles.facts}>
        <Fact name="Size">{ofClass('CUSTOM_SHARE_GB', share.size)}</Fact>
        <Fact name="Type">{share.share_type_name}</Fact>
        <Fact name="Protocol">{share.share_proto}</Fact>
        <Fact name="Zone">{share.availability_zone ?? 'any'}</Fact>
        {share.host !== undefined && (
          <Fact name="Pool">
            <PoolLink host={share.host} />
          </Fact>
        )}
        <Fact name="Project">{share.project_id}</Fact>
        <Fact name="Made by">{share.user_id}</Fact>
        <Fact name="Made">{at(share.created_at)}</Fact>
        {share.snapshot_id !== null && (
          <Fact name="From a snapshot">
            <code>{share.snapshot_id}</code>
          </Fact>
        )}
        {share.scheduled_to_be_deleted_at !== null && (
          <Fact name="Deleted for good">{at(share.scheduled_to_be_deleted_at)}</Fact>
        )}
        {share.description !== null && share.description !== '' && (
          <Fact name="Description">{share.description}</Fact>
        )}
        <Exports share={share} />
      </dl>
    </Panel>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function PoolLink({ host }: { readonly host: string }) {
  const { fleet } = usePicture()
  if (host === '') return <span className="soft">nowhere</span>
  const provider = [...fleet.providers.values()].find(({ name }) => name === host)
  if (provider === undefined) return <code>{host}</code>
  return <Link href={`/providers/${provider.uuid}`}>{host}</Link>
}

function Exports({ share }: { readonly share: Share }) {
  const { data } = useQuery({
    queryKey: ['shares', 'exports', share.id],
    queryFn: () => readExports(share.id),
  })
  return (
    <div style={{ gridColumn: '1 / -1' }}>
      <dt>Export locations</dt>
      {data === undefined || data.length === 0 ? (
        <dd className="soft">none so far: it is not made yet</dd>
      ) : (
        data.map(({ id, path }) => (
          <dd key={id} className={styles.buttons}>
            <code>{path}</code> <CopyButton text={path} label="Copy" />
          </dd>
        ))
      )}
    </div>
  )
}
